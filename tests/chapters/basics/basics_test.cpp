// SPDX-License-Identifier: MIT
// The input and the oracle of chapter basics. The oracle must fail on every wrong result.
#include "problem/basics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "tests/chapters/stage_run.hpp"

namespace {

using basics::count_wrong, basics::first_wrong, basics::Input, basics::kLargest, basics::kMaxSide,
    basics::make_input;
using basics::Output;

// Column by column, unlike the oracle.
Output right_sums(const Input& input) {
    Output output;
    output.row_sums.resize(input.n);
    for (int j = 0; j < input.n; ++j) {
        std::int32_t sum = 0;
        for (int i = 0; i < input.n; ++i) {
            const std::int32_t cell = input.cells[std::size_t(i) * input.n + j];
            sum += cell;
            output.row_sums[i] += cell;
        }
        output.column_sums.push_back(sum);
    }
    return output;
}

TEST(MakeInput, IsTheSameForTheSameSeed) {
    EXPECT_TRUE(
        std::ranges::equal(make_input("random", 50, 7).cells, make_input("random", 50, 7).cells));
    EXPECT_FALSE(
        std::ranges::equal(make_input("random", 50, 7).cells, make_input("random", 50, 8).cells));
}

TEST(MakeInput, StaysInItsRangeAndReachesBothEnds) {
    const Input input = make_input("random", 1000, 1);
    const auto [least, greatest] = std::ranges::minmax(input.cells);
    EXPECT_EQ(least, -kLargest);
    EXPECT_EQ(greatest, kLargest);
}

TEST(MakeInput, NoSumOverflows) { EXPECT_LE(kMaxSide * std::int64_t{kLargest}, INT32_MAX); }

TEST(MakeInput, RefusesMatricesWhoseSumsCouldOverflow) {
    EXPECT_THROW(make_input("random", kMaxSide + 1, 1), course::UsageError);
}

TEST(MakeInput, RefusesAnotherName) { EXPECT_THROW(make_input("ones", 3, 1), course::UsageError); }

TEST(MakeInput, LiesInTheMemoryOfTheStage) {
    static int blocks = 0;
    const basics::HostMemory counted{[](std::size_t bytes) {
                                         ++blocks;
                                         return std::malloc(bytes);
                                     },
                                     [](void* memory) {
                                         --blocks;
                                         std::free(memory);
                                     }};
    {
        const Input input = make_input("random", 3, 1, counted);
        EXPECT_EQ(blocks, 1);
        EXPECT_EQ(input.memory.get(), input.cells.data());
    }
    EXPECT_EQ(blocks, 0);
}

TEST(Oracle, AcceptsTheRightSums) {
    for (const int n : {1, 2, 33, 100}) {
        const Input input = make_input("random", n, 1);
        EXPECT_EQ(count_wrong(input, right_sums(input)), 0) << n;
    }
}

TEST(Oracle, CountsEveryWrongSum) {
    const Input input = make_input("random", 100, 1);
    Output output = right_sums(input);
    output.row_sums[0] += 1;
    output.row_sums[99] -= 1;
    output.column_sums[50] += 1;
    EXPECT_EQ(count_wrong(input, output), 3);
    const std::int32_t right = output.row_sums[0] - 1;
    EXPECT_EQ(first_wrong(input, output), course::text("row 0 has ", right + 1, ", not ", right));
    output.row_sums = right_sums(input).row_sums;
    const std::int32_t column = output.column_sums[50] - 1;
    output.column_sums[50] = INT32_MIN;  // as before a run
    EXPECT_EQ(first_wrong(input, output), course::text("column 50 has none, not ", column));
    EXPECT_EQ(first_wrong(input, right_sums(input)), "");
}

TEST(Oracle, TellsRowsFromColumns) {
    const Input input = make_input("random", 20, 1);
    Output output = right_sums(input);
    std::swap(output.row_sums, output.column_sums);
    EXPECT_EQ(count_wrong(input, output), 40);
}

TEST(Stage, AWrongResultIsToldAndFails) {
    const auto forget = [](const Input&, Output&, basics::PhaseTimer& timer) {
        timer.begin(basics::Phase::kKernels);
        timer.end();
    };
    const course_test::RunResult result =
        course_test::run_quietly({"--check", "--n", "10"}, [&](int argc, char** argv) {
            return basics::run_stage(argc, argv, "basics/09_test", forget);
        });
    EXPECT_EQ(result.status, 1);
    EXPECT_NE(result.diagnostics.find("20 of 20 sums are wrong; the first: row 0 has none"),
              std::string::npos)
        << result.diagnostics;
}

}  // namespace
