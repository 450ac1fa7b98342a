// SPDX-License-Identifier: MIT
#include "common/harness/statistics.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <vector>

namespace {

using course::median;
using course::quantile;
using course::quartiles;
using Values = std::vector<double>;

TEST(Statistics, MedianOfOddAndEvenCounts) {
    EXPECT_EQ(median(Values{7.0}), 7.0);
    EXPECT_EQ(median(Values{2.0, 1.0}), 1.5);
    EXPECT_EQ(median(Values{3.0, 1.0, 2.0}), 2.0);
    EXPECT_EQ(median(Values{4.0, 1.0, 3.0, 2.0}), 2.5);
    EXPECT_EQ(median(Values{1.0, 1.0, 1.0, 100.0}), 1.0);
}

// Expected values from R: quantile(x, c(.25, .5, .75), type = 7).
TEST(Statistics, QuartilesAreThoseOfR) {
    const auto one = quartiles(Values{5.0});
    EXPECT_EQ(one.lower, 5.0);
    EXPECT_EQ(one.median, 5.0);
    EXPECT_EQ(one.upper, 5.0);

    const auto two = quartiles(Values{1.0, 2.0});
    EXPECT_DOUBLE_EQ(two.lower, 1.25);
    EXPECT_DOUBLE_EQ(two.median, 1.5);
    EXPECT_DOUBLE_EQ(two.upper, 1.75);

    const auto five = quartiles(Values{5.0, 3.0, 1.0, 4.0, 2.0});
    EXPECT_EQ(five.lower, 2.0);
    EXPECT_EQ(five.median, 3.0);
    EXPECT_EQ(five.upper, 4.0);

    const auto ten = quartiles(Values{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    EXPECT_DOUBLE_EQ(ten.lower, 3.25);
    EXPECT_DOUBLE_EQ(ten.median, 5.5);
    EXPECT_DOUBLE_EQ(ten.upper, 7.75);

    const auto uneven = quartiles(Values{0.1, 10.0, 2.5, 7.0});
    EXPECT_DOUBLE_EQ(uneven.lower, 1.9);
    EXPECT_DOUBLE_EQ(uneven.median, 4.75);
    EXPECT_DOUBLE_EQ(uneven.upper, 7.75);
}

TEST(Statistics, QuantilesReachBothEnds) {
    const Values values{3.0, -1.0, 2.0};
    EXPECT_EQ(quantile(values, 0.0), -1.0);
    EXPECT_EQ(quantile(values, 1.0), 3.0);
    EXPECT_DOUBLE_EQ(quantile(values, 0.9), 2.8);
}

TEST(Statistics, SummaryHoldsAll) {
    const auto summary = course::summarize(Values{4.0, 1.0, 3.0, 2.0});
    EXPECT_EQ(summary.count, 4);
    EXPECT_EQ(summary.minimum, 1.0);
    EXPECT_DOUBLE_EQ(summary.lower_quartile, 1.75);
    EXPECT_DOUBLE_EQ(summary.median, 2.5);
    EXPECT_DOUBLE_EQ(summary.upper_quartile, 3.25);
    EXPECT_EQ(summary.maximum, 4.0);
}

TEST(Statistics, NothingAndNaNAreRefused) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_THROW(median(Values{}), std::invalid_argument);
    EXPECT_THROW(median(Values{1.0, nan}), std::invalid_argument);
    EXPECT_THROW(median(Values{1.0, infinity}), std::invalid_argument);
    EXPECT_THROW(quantile(Values{1.0}, 1.5), std::invalid_argument);
    EXPECT_THROW(quantile(Values{1.0}, nan), std::invalid_argument);
}

}  // namespace
