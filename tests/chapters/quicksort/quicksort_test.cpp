// SPDX-License-Identifier: MIT
// The inputs, options and verdicts of chapter quicksort's stages.
#include "problem/quicksort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/base/error.hpp"
#include "tests/chapters/stage_run.hpp"
#include "tests/common/scratch_folder.hpp"

namespace {

using course_test::read_file, course_test::RunResult, course_test::ScratchFolder;
using quicksort::Input, quicksort::Key, quicksort::Output, quicksort::Phase, quicksort::PhaseTimer;
using Arguments = std::vector<std::string>;

void sort_right(const Input& input, Output& output, PhaseTimer& timer) {
    timer.begin(Phase::kKernels);
    std::copy(input.keys.begin(), input.keys.end(), output.keys.begin());
    std::sort(output.keys.begin(), output.keys.end());
    timer.end();
}

std::int64_t at_most_100() { return 100; }

RunResult run(const Arguments& arguments, quicksort::SortKeys sort_keys = sort_right,
              quicksort::LargestN largest_n = nullptr,
              const std::vector<quicksort::Option>& options = {}) {
    return course_test::run_quietly(arguments, [&](int argc, char** argv) {
        return quicksort::run_stage(argc, argv, "quicksort/test", sort_keys, largest_n, options);
    });
}

void expect_refused(const Arguments& arguments, const std::string& message, int status) {
    const RunResult result = run(arguments, sort_right, at_most_100);
    EXPECT_EQ(result.status, status) << message;
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(result.diagnostics, "test: " + message + "\n");
}

TEST(Quicksort, SortsEveryInput) {
    for (const std::string_view name : course::sorting::kInputNames) {
        for (const char* n : {"1", "2", "3", "1000"}) {
            const RunResult result = run({"--check", "--n", n, "--input", std::string(name)});
            EXPECT_EQ(result.status, course::kExitOk) << name << ' ' << result.diagnostics;
        }
    }
}

// The output of a stage that does nothing must fail for every input and size.
TEST(Quicksort, RefusesAnOutputThatWasNeverWritten) {
    const auto nothing = [](const Input&, Output&, PhaseTimer&) {};
    for (const std::string_view name : course::sorting::kInputNames) {
        for (const char* n : {"1", "2", "3", "4", "6", "16", "1000"}) {
            const RunResult result =
                run({"--check", "--n", n, "--input", std::string(name)}, nothing);
            EXPECT_EQ(result.status, course::kExitFailure) << name << ' ' << n;
            EXPECT_NE(result.diagnostics.find("WRONG RESULT"), std::string::npos);
        }
    }
}

TEST(Quicksort, RefusesKeysThatAreNotInOrder) {
    const auto copy = [](const Input& input, Output& output, PhaseTimer&) {
        std::copy(input.keys.begin(), input.keys.end(), output.keys.begin());
    };
    EXPECT_EQ(run({"--check", "--input", "sorted"}, copy).status, course::kExitOk);
    EXPECT_EQ(run({"--check", "--input", "reverse"}, copy).status, course::kExitFailure);
}

TEST(Quicksort, TellsAStagesLargestN) {
    const std::string limit = ": this stage sorts at most 100 keys on this device";
    EXPECT_EQ(run({"--check", "--n", "100"}, sort_right, at_most_100).status, course::kExitOk);
    EXPECT_EQ(run({"--check"}, sort_right, at_most_100).status, course::kExitOk);
    expect_refused({"--n", "101"}, "--n 101" + limit, course::kExitUsage);

    const ScratchFolder folder;
    std::string many;
    for (int i = 0; i < 101; ++i) many += std::to_string(i) + '\n';
    const std::string path = folder.write("many.txt", many);
    expect_refused({"--input", path}, path + ": 101 keys" + limit, course::kExitUsage);
}

TEST(Quicksort, ReportsBadInputInOneLine) {
    const ScratchFolder folder;
    const std::string path = folder.write("keys.txt", "3\n1\n2147483648\n");
    expect_refused({"--input", path}, path + ":3: key '2147483648' is above 2147483647",
                   course::kExitFailure);
    const std::string raw = folder.write("keys.i32", "123");
    expect_refused({"--input", raw}, raw + ": 3 bytes are not a whole number of int32 keys",
                   course::kExitFailure);
    const std::string three = folder.write("three.txt", "3 2 1");
    expect_refused({"--input", three, "--n", "4"}, "--n 4: " + three + " has 3 keys",
                   course::kExitUsage);
    EXPECT_EQ(run({"--n", "0"}).status, course::kExitUsage);
}

TEST(Quicksort, WritesTextOrRaw) {
    const ScratchFolder folder;
    const std::string path = folder.write("keys.txt", "2 -2147483648 1 # and\n 2147483647");
    const std::string text = folder / "sorted.txt", raw = folder / "sorted.i32";
    for (const std::string& output : {text, raw}) {
        EXPECT_EQ(run({"--check", "--input", path, "--output", output}).status, course::kExitOk);
    }
    EXPECT_EQ(read_file(text), "-2147483648\n1\n2\n2147483647\n");
    EXPECT_EQ(read_file(raw).size(), 16u);
    EXPECT_EQ(course::sorting::read_keys(raw), course::sorting::read_keys(text));
    EXPECT_EQ(run({"--check", "--input", raw}).status, course::kExitOk);
    // A wrong result leaves no file, not even a partial one.
    const auto nothing = [](const Input&, Output&, PhaseTimer&) {};
    run({"--check", "--output", folder / "wrong.txt"}, nothing);
    EXPECT_EQ(folder.count(), 3);
}

TEST(Quicksort, PassesAStagesOwnOptions) {
    const std::vector<quicksort::Option> options = {
        {"--threads", "threads per block", 256, 1, 1024},
        {"--memory", "memory of the host's list", 0, 0, 0, {"pinned", "pageable"}}};
    const auto report = [](const Input& input, Output& output, PhaseTimer& timer) {
        sort_right(input, output, timer);
        output.report.push_back({"asked", std::to_string(input.options.integer("--threads")) +
                                              input.options.choice("--memory") +
                                              std::to_string(input.seed)});
    };
    const auto run_with = [&](const Arguments& arguments) {
        return run(arguments, report, nullptr, options);
    };
    const std::string defaults = run_with({"--n", "10"}).output;
    EXPECT_NE(defaults.find("threads=256;memory=pinned"), std::string::npos) << defaults;
    EXPECT_NE(defaults.find("256pinned1\n"), std::string::npos) << defaults;
    const std::string given =
        run_with({"--n", "10", "--threads", "3", "--memory", "pageable", "--seed", "7"}).output;
    EXPECT_NE(given.find("3pageable7\n"), std::string::npos) << given;
    for (const char* threads : {"0", "1025", "x"}) {
        EXPECT_EQ(run_with({"--threads", threads}).status, course::kExitUsage);
    }
    EXPECT_EQ(run_with({"--memory", "swap"}).status, course::kExitUsage);
}

TEST(Quicksort, AnOptionThatCountsKeysIsAtMostN) {
    const ScratchFolder folder;
    const std::string three = folder.write("three.txt", "3 2 1");
    const auto run_with = [&](const Arguments& arguments) {
        return run(arguments, sort_right, nullptr,
                   {{"--leaf", "keys per leaf", 32, 1, 1000, {}, true}});
    };
    EXPECT_NE(run_with({"--n", "100"}).output.find("leaf=32\n"), std::string::npos);
    EXPECT_NE(run_with({"--n", "31"}).output.find("leaf=31\n"), std::string::npos);
    EXPECT_NE(run_with({"--input", three}).output.find("leaf=3\n"), std::string::npos);
    EXPECT_NE(run_with({"--n", "32", "--leaf", "32"}).output.find("leaf=32\n"), std::string::npos);
    const RunResult above = run_with({"--n", "31", "--leaf", "32"});
    EXPECT_EQ(above.status, course::kExitUsage);
    EXPECT_EQ(above.diagnostics, "test: --leaf 32: there are only 31 keys\n");
    EXPECT_EQ(run_with({"--input", three, "--leaf", "4"}).status, course::kExitUsage);
    EXPECT_EQ(run_with({"--leaf", "0"}).status, course::kExitUsage);
}

}  // namespace
