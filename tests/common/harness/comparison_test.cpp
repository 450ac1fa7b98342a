// SPDX-License-Identifier: MIT
#include "common/harness/comparison.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace {

using course::ErrorMeter;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(ErrorMeter, KeepsTheLargestErrorAndItsPlace) {
    ErrorMeter meter;
    meter.add(1.0, 1.0);
    meter.add(3.0, 2.0, 4.0);
    meter.add(-2.0, -2.125);
    EXPECT_EQ(meter.count(), 3);
    EXPECT_EQ(meter.max_error(), 0.25);
    EXPECT_EQ(meter.max_index(), 1);
    EXPECT_TRUE(meter.passes(0.25));
    EXPECT_FALSE(meter.passes(0.2499));
    EXPECT_FALSE(meter.passes(kNaN));
    EXPECT_EQ(meter.describe(0.5), "largest error 0.25 at value 1 of 3, tolerance 0.5");
}

TEST(ErrorMeter, NothingComparedFails) {
    EXPECT_FALSE(ErrorMeter().passes(1.0));
    EXPECT_EQ(ErrorMeter().describe(1.0), "no value was compared");
}

TEST(ErrorMeter, OneValueThatIsNotFiniteFailsForGood) {
    const double bad[][3] = {
        {kNaN, 1.0, 1.0}, {1.0, kNaN, 1.0}, {kInfinity, kInfinity, 1.0}, {1.0, 1.0, kNaN},
        {1.0, 1.0, 0.0},  {1.0, 1.0, -1.0}, {1.0, -kInfinity, 1.0},      {1.0, 1.0, kInfinity}};
    for (const auto& [actual, expected, scale] : bad) {
        ErrorMeter meter;
        meter.add(1.0, 1.0);
        meter.add(actual, expected, scale);
        meter.add(2.0, 1.0);  // a right or finite value afterwards heals nothing
        EXPECT_FALSE(meter.passes(kInfinity)) << actual << ' ' << expected << ' ' << scale;
        EXPECT_EQ(meter.max_index(), 1);
        EXPECT_EQ(meter.max_error(), kInfinity);
        EXPECT_NE(meter.describe(1.0).find("value 1 of 3 cannot be compared"), std::string::npos);
    }
}

}  // namespace
