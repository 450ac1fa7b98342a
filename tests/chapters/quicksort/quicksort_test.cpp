// SPDX-License-Identifier: MIT
// The inputs, options and verdicts of chapter quicksort's stages.
#include "problem/quicksort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/base/error.hpp"
#include "common/input/random.hpp"
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

// The listing of Gimeno and Velasco 2024 word for word, one thread after the other. So no race can
// spoil it: each block sees the sums of all blocks before it, and the pivots are written last. The
// CPU sorts both parts. `with_scan`: a thread begins behind the counts of the threads before it,
// and not behind its own count.
std::vector<int> run_listing(const std::vector<int>& keys, int threads, int blocks,
                             bool with_scan) {
    struct Counts {
        int lt = 0, gt = 0;
    };
    const int count = static_cast<int>(keys.size()), pivot = keys[0];
    const int share = (count + blocks * threads - 1) / (blocks * threads);
    const auto each_thread = [&](auto&& act) {
        for (int block = 0; block < blocks; ++block) {
            for (int thread = 0; thread < threads; ++thread) {
                const int begin = (block * threads + thread) * share;
                const bool is_last = block == blocks - 1 && thread == threads - 1;
                // The listing cuts the last thread's share only. Others may read beyond the list.
                const int end = is_last ? count : std::min(begin + share, count);
                act(block, block * threads + thread, begin, end);
            }
        }
    };
    std::vector<Counts> of_thread(blocks * threads), of_block(blocks);
    each_thread([&](int block, int thread, int begin, int end) {
        for (int i = begin; i < end; ++i) {
            of_thread[thread].gt += keys[i] > pivot;
            of_thread[thread].lt += keys[i] < pivot;
        }
        of_block[block].lt += of_thread[thread].lt;
        of_block[block].gt += of_thread[thread].gt;
    });
    std::vector<int> sorted(count, 0);
    const auto write = [&](int place, int key) {
        if (place >= 0 && place < count) sorted[place] = key;
    };
    each_thread([&](int block, int thread, int begin, int end) {
        Counts from;
        for (int j = 0; j < block; ++j) {
            from.lt += of_block[j].lt;
            from.gt += of_block[j].gt;
        }
        for (int j = block * threads; with_scan && j < thread; ++j) {
            from.lt += of_thread[j].lt;
            from.gt += of_thread[j].gt;
        }
        int idlt = from.lt + (with_scan ? 0 : of_thread[thread].lt);
        int idgt = count - 1 - from.gt - (with_scan ? 0 : of_thread[thread].gt);
        for (int i = begin; i < end; ++i) {
            if (keys[i] < pivot) write(idlt++, keys[i]);
            if (keys[i] > pivot) write(idgt--, keys[i]);
        }
    });
    Counts all;
    for (const Counts& one : of_block) {
        all.lt += one.lt;
        all.gt += one.gt;
    }
    std::fill(sorted.begin() + all.lt, sorted.end() - all.gt, pivot);
    std::sort(sorted.begin(), sorted.begin() + all.lt);
    std::sort(sorted.end() - all.gt, sorted.end());
    return sorted;
}

// At the sizes of their three printed runs, which end with TEST PASS.
TEST(PublishedListing, SortsNoListAtThePrintedSizes) {
    struct Size {
        int keys, threads, blocks;
    };
    course::Random random(1);
    for (const Size size : {Size{50, 3, 17}, Size{14, 7, 2}, Size{254, 24, 11}}) {
        int right = 0, right_with_scan = 0;
        for (int i = 0; i < 5000; ++i) {
            std::vector<int> keys(size.keys);
            for (int& key : keys) key = static_cast<int>(random.below(100));
            const auto found = run_listing(keys, size.threads, size.blocks, false);
            const auto mended = run_listing(keys, size.threads, size.blocks, true);
            std::sort(keys.begin(), keys.end());
            right += found == keys;
            right_with_scan += mended == keys;
        }
        EXPECT_EQ(right, 0) << size.keys;
        EXPECT_EQ(right_with_scan, 5000) << size.keys;
    }
}

}  // namespace
