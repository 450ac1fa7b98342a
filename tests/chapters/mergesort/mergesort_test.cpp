// SPDX-License-Identifier: MIT
// The inputs and verdicts of chapter mergesort's stages. quicksort_test.cpp tests files and inputs
// for both chapters.
#include "problem/mergesort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/base/error.hpp"
#include "tests/chapters/stage_run.hpp"

namespace {

using course_test::RunResult;
using mergesort::Input, mergesort::Key, mergesort::Output, mergesort::Phase, mergesort::PhaseTimer;
using Arguments = std::vector<std::string>;

void sort_right(const Input& input, Output& output, PhaseTimer& timer) {
    timer.begin(Phase::kKernels);
    std::copy(input.keys.begin(), input.keys.end(), output.keys.begin());
    std::sort(output.keys.begin(), output.keys.end());
    timer.end();
}

// A merge that sends two equal keys to one place: the other place keeps the value that the list
// held before.
void lose_equal_keys(const Input& input, Output& output, PhaseTimer& timer) {
    sort_right(input, output, timer);
    for (std::size_t i = 1; i < output.keys.size(); ++i) {
        if (output.keys[i] == output.keys[i - 1]) output.keys[i] = input.keys[i];
    }
}

RunResult run(const Arguments& arguments, mergesort::SortKeys sort_keys = sort_right,
              const std::vector<mergesort::Option>& options = {}) {
    return course_test::run_quietly(arguments, [&](int argc, char** argv) {
        return mergesort::run_stage(argc, argv, "mergesort/test", sort_keys, nullptr, options);
    });
}

TEST(Mergesort, SortsEveryInput) {
    const auto sorts = [](std::string_view name) {
        for (const char* n : {"1", "2", "3", "1000"}) {
            const RunResult result = run({"--check", "--n", n, "--input", std::string(name)});
            EXPECT_EQ(result.status, course::kExitOk) << name << ' ' << result.diagnostics;
        }
    };
    for (const std::string_view name : course::sorting::kInputNames) sorts(name);
    for (const std::string_view name : course::sorting::kMergeInputNames) sorts(name);
}

TEST(Mergesort, RefusesAMergeThatLosesEqualKeys) {
    for (const char* name : {"few-unique", "zipf", "deterministic-duplicates"}) {
        const int status =
            run({"--check", "--n", "100000", "--input", name}, lose_equal_keys).status;
        EXPECT_EQ(status, course::kExitFailure) << name;
    }
}

TEST(Mergesort, ReportsBadInputInOneLine) {
    const RunResult result = run({"--n", "0"});
    EXPECT_EQ(result.status, course::kExitUsage);
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(std::count(result.diagnostics.begin(), result.diagnostics.end(), '\n'), 1);
    EXPECT_NE(run({"--help"}).output.find("Merge sort"), std::string::npos);
}

}  // namespace
