// SPDX-License-Identifier: MIT
#include "common/input/random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <stdexcept>

namespace {

using course::Random;

// The first numbers of Blackman and Vigna's own C code, seeded by splitmix64: inputs named by a
// seed must never change.
TEST(Random, FixedNumbers) {
    Random zero(0);
    EXPECT_EQ(zero.next(), 0x99ec5f36cb75f2b4ULL);
    EXPECT_EQ(zero.next(), 0xbf6e1f784956452aULL);
    EXPECT_EQ(zero.next(), 0x1a5f849d4933e6e0ULL);
}

TEST(Random, SeedsDiffer) {
    Random one(1);
    Random two(2);
    EXPECT_NE(one.next(), two.next());
}

TEST(Random, UniformStaysInItsRange) {
    Random random(3);
    double sum = 0.0;
    for (int i = 0; i < 100000; ++i) {
        const double value = random.uniform();
        ASSERT_GE(value, 0.0);
        ASSERT_LT(value, 1.0);
        sum += value;
    }
    EXPECT_NEAR(sum / 100000, 0.5, 5 * 0.2887 / std::sqrt(100000.0));
    for (int i = 0; i < 1000; ++i) {
        const double value = random.uniform(-3.0, 5.0);
        ASSERT_GE(value, -3.0);
        ASSERT_LE(value, 5.0);
    }
}

TEST(Random, NormalHasItsMoments) {
    Random random(4);
    constexpr int kCount = 200000;
    double sum = 0.0;
    double squares = 0.0;
    int beyond_two = 0;
    for (int i = 0; i < kCount; ++i) {
        const double value = random.normal();
        sum += value;
        squares += value * value;
        beyond_two += std::abs(value) > 2.0;
    }
    EXPECT_NEAR(sum / kCount, 0.0, 5 / std::sqrt(double{kCount}));
    EXPECT_NEAR(squares / kCount, 1.0, 5 * std::sqrt(2.0 / kCount));
    EXPECT_NEAR(beyond_two / double{kCount}, 0.0455, 0.0025);
}

// To the last bit: its logarithm is our own for that. (Expected values: the same method in Python.)
TEST(Random, NormalIsTheSameEverywhere) {
    Random random(1);
    EXPECT_EQ(random.normal(), 0x1.e267c87ac62ebp+0);
    EXPECT_EQ(random.normal(), 0x1.84abd879d0e18p-3);
    EXPECT_EQ(random.normal(), 0x1.4d55c9633557cp+0);
}

TEST(Random, BelowIsUniform) {
    Random random(5);
    std::array<int, 3> counts{};
    for (int i = 0; i < 30000; ++i) ++counts.at(random.below(3));
    for (const int count : counts) {
        EXPECT_NEAR(count, 10000, 5 * std::sqrt(30000 * (1.0 / 3) * (2.0 / 3)));
    }
    // Each multiple of three below 3 * 2^62 is hit by two of the 2^64 numbers, its neighbours by
    // one each: without rejection half of the results are multiples, and not a third.
    constexpr std::uint64_t kBiased = std::uint64_t{3} << 62;
    int multiples = 0;
    for (int i = 0; i < 10000; ++i) {
        const std::uint64_t value = random.below(kBiased);
        ASSERT_LT(value, kBiased);
        multiples += value % 3 == 0;
    }
    EXPECT_NEAR(multiples, 3333, 250);
    EXPECT_EQ(random.below(1), 0U);
    EXPECT_THROW(random.below(0), std::invalid_argument);
}

}  // namespace
