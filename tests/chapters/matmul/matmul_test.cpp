// SPDX-License-Identifier: MIT
// The inputs and the oracle of chapter matmul. The oracle must fail on every wrong result.
#include "problem/matmul.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>

#include "common/base/error.hpp"
#include "tests/chapters/stage_run.hpp"

namespace {

using matmul::Input, matmul::make_input, matmul::Output, matmul::Verifier;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// In floats, and from the last product to the first, unlike the oracle.
Output multiplied(const Input& input) {
    Output output;
    for (std::int64_t i = 0; i < input.m; ++i) {
        for (std::int64_t j = 0; j < input.n; ++j) {
            float sum = 0.0f;
            for (std::int64_t p = input.k - 1; p >= 0; --p) {
                sum += input.a[i * input.k + p] * input.b[p * input.n + j];
            }
            output.c.push_back(sum);
        }
    }
    return output;
}

bool passes(const Input& input, const Output& output) {
    return !Verifier(input, 1).check(output).fault;
}

// A cell of C whose right value `is_right` accepts.
template <typename IsRight>
std::int64_t find_cell(const Output& output, const IsRight& is_right) {
    return std::ranges::find_if(output.c, is_right) - output.c.begin();
}

TEST(MakeInput, IsTheSameForTheSameSeed) {
    EXPECT_EQ(make_input("random", 9, 8, 7, 5).b, make_input("random", 9, 8, 7, 5).b);
    EXPECT_NE(make_input("random", 9, 8, 7, 5).b, make_input("random", 9, 8, 7, 6).b);
    const Input square = make_input("random", 8, 8, 8, 5);
    EXPECT_NE(square.a, square.b);
}

TEST(Bfloat16, RoundsToTheNearestEvenNumber) {
    using matmul::to_bfloat16;
    EXPECT_EQ(to_bfloat16(1.0f + 0x1.0p-8f), 1.0f);  // in the middle
    EXPECT_EQ(to_bfloat16(1.0f + 0x1.8p-8f), 1.0f + 0x1.0p-7f);
    EXPECT_EQ(to_bfloat16(1.0f + 0x3.0p-8f), 1.0f + 0x1.0p-6f);
    EXPECT_EQ(to_bfloat16(-256.0f), -256.0f);
    EXPECT_EQ(to_bfloat16(257.0f), 256.0f);
    EXPECT_EQ(to_bfloat16(-kInfinity), -kInfinity);
    EXPECT_TRUE(std::isnan(to_bfloat16(kNan)));
}

TEST(Bfloat16, AllNumbersOfAnInputAreRounded) {
    for (const std::string_view name : matmul::kInputNames) {
        const Input input = make_input(name, 30, 20, 1, 3, matmul::Format::kBfloat16);
        for (const auto* matrix : {&input.a, &input.b}) {
            for (const float number : *matrix) {
                EXPECT_TRUE(number == matmul::to_bfloat16(number) || std::isnan(number)) << number;
            }
        }
    }
}

// The sums, each rounded to the format of C.
Output rounded(Output output) {
    for (float& cell : output.c) cell = matmul::to_bfloat16(cell);
    return output;
}

TEST(Bfloat16, VerifierAllowsOneRounding) {
    const Input exact = make_input("integers", 9, 8, 300, 5, matmul::Format::kBfloat16);
    const Output sums = multiplied(exact), right = rounded(sums);
    EXPECT_TRUE(passes(exact, right));
    EXPECT_FALSE(passes(exact, sums));  // not rounded
    const Input random = make_input("random", 9, 8, 30, 5, matmul::Format::kBfloat16);
    Output output = rounded(multiplied(random));
    EXPECT_TRUE(passes(random, output));
    output.c[10] *= 1.0f + 0x1.0p-6f;  // two roundings away
    EXPECT_FALSE(passes(random, output));
}

TEST(MakeInput, RandomNumbersFillTheirRange) {
    const Input input = make_input("random", 300, 1, 300, 1);
    const auto [least, greatest] = std::ranges::minmax(input.a);
    EXPECT_GE(least, -1.0f);
    EXPECT_LT(least, -0.999f);
    EXPECT_LT(greatest, 1.0f);
    EXPECT_GT(greatest, 0.999f);
}

TEST(MakeInput, NoSumOfIntegersLeavesTheExactOnes) {
    for (const std::int64_t k : {1, 2, 100, 100'000}) {
        const Input input = make_input("integers", 3, 2, k, 1);
        float largest = 0.0f;
        for (const float number : input.a) {
            EXPECT_EQ(number, std::trunc(number));
            largest = std::max(largest, std::abs(number));
        }
        for (const float number : input.b) largest = std::max(largest, std::abs(number));
        EXPECT_GE(largest, 1.0f);
        EXPECT_LE(static_cast<double>(k) * largest * largest, 0x1.0p+24) << k;
    }
}

TEST(MakeInput, SpecialNumbersGiveAllKindsOfCells) {
    const Output output = multiplied(make_input("special", 200, 200, 30, 1));
    const auto count = [&](const auto& is) { return std::ranges::count_if(output.c, is); };
    EXPECT_GT(count([](float cell) { return std::isnan(cell); }), 100);
    EXPECT_GT(count([](float cell) { return cell == kInfinity; }), 100);
    EXPECT_GT(count([](float cell) { return cell == -kInfinity; }), 100);
    EXPECT_GT(count([](float cell) { return std::abs(cell) < 10.0f; }), 10'000);
}

TEST(MakeInput, RefusesAnotherNameAndLargerMatrices) {
    EXPECT_THROW(make_input("ones", 3, 3, 3, 1), course::UsageError);
    EXPECT_THROW(make_input("random", 1, matmul::kMaxSide + 1, 1, 1), course::UsageError);
}

TEST(Oracle, AcceptsAnotherOrderOfTheSums) {
    for (const char* name : {"random", "integers", "special"}) {
        for (const auto& [m, n, k] : {std::array{1, 1, 1}, {7, 5, 3}, {33, 64, 200}, {3, 4, 0}}) {
            const Input input = make_input(name, m, n, k, 3);
            EXPECT_TRUE(passes(input, multiplied(input))) << name << ' ' << m << ' ' << n;
        }
    }
}

TEST(Oracle, SaysHowNearTheBoundTheErrorsAre) {
    const Input input = make_input("random", 20, 20, 50, 1);
    const double share = Verifier(input, 1).check(multiplied(input)).share_of_bound;
    EXPECT_GT(share, 0.01);
    EXPECT_LT(share, 0.5);
}

TEST(Oracle, RefusesOneCellAboveTheBound) {
    const Input input = make_input("random", 20, 30, 50, 1);
    for (const int cell : {0, 17, 599}) {
        Output output = multiplied(input);
        double magnitudes = 0.0;
        for (int p = 0; p < input.k; ++p) {
            magnitudes += std::abs(static_cast<double>(input.a[cell / 30 * 50 + p]) *
                                   input.b[p * 30 + cell % 30]);
        }
        const double bound = 50 * 0x1.0p-24 * magnitudes;
        const float right = output.c[cell];
        output.c[cell] = static_cast<float>(right + 0.5 * bound);
        EXPECT_TRUE(passes(input, output)) << cell;
        output.c[cell] = static_cast<float>(right + 2.0 * bound);
        EXPECT_FALSE(passes(input, output)) << cell;
        output.c[cell] = kNan;
        EXPECT_FALSE(passes(input, output)) << cell;
        output.c[cell] = -kInfinity;
        EXPECT_FALSE(passes(input, output)) << cell;
    }
}

TEST(Oracle, RefusesAForgottenProduct) {
    for (const char* name : {"random", "integers"}) {
        const Input input = make_input(name, 10, 10, 100, 1);
        Output output = multiplied(input);
        output.c[55] -= input.a[5 * 100 + 99] * input.b[99 * 10 + 5];
        EXPECT_FALSE(passes(input, output)) << name;
    }
}

TEST(Oracle, IntegersMustBeExact) {
    const Input input = make_input("integers", 20, 20, 50, 1);
    Output output = multiplied(input);
    output.c[399] += 1.0f;
    const auto fault = Verifier(input, 1).check(output).fault;
    ASSERT_TRUE(fault);
    EXPECT_NE(fault->find("cell (19, 19)"), std::string::npos) << *fault;
}

TEST(Oracle, NanAndInfinityMustBeWhereTheyBelong) {
    const Input input = make_input("special", 60, 60, 20, 1);
    const Output right = multiplied(input);
    const std::int64_t nan = find_cell(right, [](float cell) { return std::isnan(cell); });
    const std::int64_t infinite = find_cell(right, [](float cell) { return cell == kInfinity; });
    ASSERT_LT(std::max(nan, infinite), input.cells());
    const auto with = [&](std::int64_t cell, float value) {
        Output output = right;
        output.c[cell] = value;
        return passes(input, output);
    };
    EXPECT_TRUE(with(nan, -kNan));
    EXPECT_FALSE(with(nan, kInfinity));
    EXPECT_FALSE(with(nan, 0.0f));
    EXPECT_FALSE(with(infinite, -kInfinity));
    EXPECT_FALSE(with(infinite, std::numeric_limits<float>::max()));
    EXPECT_FALSE(with(infinite, kNan));
}

TEST(Oracle, ADenormalSumMayLoseItsRounding) {
    Input input;
    input.m = input.n = input.k = 1;
    input.a = {0x1.0p-100f};
    input.b = {0x1.8p-49f};  // the product is one and a half of the least denormal number
    EXPECT_TRUE(passes(input, {{0x1.0p-149f}}));
    EXPECT_TRUE(passes(input, {{0x1.0p-148f}}));
    EXPECT_FALSE(passes(input, {{0x1.8p-148f}}));
    EXPECT_FALSE(passes(input, {{0.0f}}));
}

TEST(Oracle, ASampleSeesEachRow) {
    const Input input = make_input("random", 100, 300, 10, 1);
    const Output right = multiplied(input);
    const Verifier verifier(input, 1, 0.0);
    const Verifier::Result result = verifier.check(right);
    EXPECT_FALSE(result.fault);
    EXPECT_EQ(result.checked, 100 * Verifier::kSampledColumns);
    for (const int row : {0, 50, 99}) {
        Output output = right;
        std::fill_n(output.c.begin() + row * 300, 300, 100.0f);
        EXPECT_TRUE(verifier.check(output).fault) << row;
    }
}

TEST(Oracle, ASampleSeesATileOfColumns) {
    const Input input = make_input("random", 64, 300, 10, 1);
    const Verifier verifier(input, 1, 0.0);
    Output output = multiplied(input);
    for (int i = 0; i < 32; ++i) std::fill_n(output.c.begin() + i * 300 + 32, 32, 0.0f);
    EXPECT_TRUE(verifier.check(output).fault);
}

TEST(Oracle, RefusesAnotherNumberOfCells) {
    const Input input = make_input("random", 3, 3, 3, 1);
    Output output = multiplied(input);
    output.c.pop_back();
    EXPECT_FALSE(passes(input, output));
}

TEST(Stage, AWrongResultIsToldAndFails) {
    const auto forget = [](const Input&, Output&, matmul::PhaseTimer& timer) {
        timer.begin(matmul::Phase::kKernels);
        timer.end();
    };
    for (const char* k : {"10", "0"}) {
        const course_test::RunResult result = course_test::run_quietly(
            {"--check", "--n", "10", "--k", k}, [&](int argc, char** argv) {
                return matmul::run_stage(argc, argv, "matmul/09_test", forget);
            });
        EXPECT_EQ(result.status, 1);
        EXPECT_NE(result.diagnostics.find("cell (0, 0) is 3.40282e+38"), std::string::npos)
            << result.diagnostics;
    }
}

TEST(Stage, WritesRowsThatReadBackAsTheSameNumbers) {
    const auto multiply = [](const Input& input, Output& output, matmul::PhaseTimer& timer) {
        timer.begin(matmul::Phase::kKernels);
        output = multiplied(input);
        timer.end();
        timer.note_grid(1, 1);
    };
    const course_test::RunResult result = course_test::run_quietly(
        {"--n", "2", "--m", "3", "--k", "4", "--repeats", "1", "--quiet", "--output", "-"},
        [&](int argc, char** argv) {
            return matmul::run_stage(argc, argv, "matmul/09_test", multiply);
        });
    EXPECT_EQ(result.status, 0) << result.diagnostics;
    const Output right = multiplied(make_input("random", 3, 2, 4, 1));
    std::string numbers = result.output;
    EXPECT_EQ(std::ranges::count(numbers, '\n'), 3);
    std::ranges::replace(numbers, ',', ' ');
    std::istringstream words(numbers);
    for (const float cell : right.c) {
        float number = 0.0f;
        words >> number;
        EXPECT_EQ(number, cell);
    }
}

}  // namespace
