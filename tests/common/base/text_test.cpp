// SPDX-License-Identifier: MIT
#include "common/base/text.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace {

using course::append_csv, course::append_number;

TEST(Text, ValuesFollowOneAnother) {
    EXPECT_EQ(course::text("--n ", 3, ": ", 0.5), "--n 3: 0.5");
    EXPECT_EQ(course::text(1.0 / 3.0), "0.333333");
    EXPECT_EQ(course::fixed(1.0 / 3.0, 2), "0.33");
    EXPECT_EQ(course::fixed(-2.0, 0), "-2");
}

template <class Number>
std::string written(Number value) {
    std::string line;
    append_number(line, value);
    return line;
}

TEST(Text, NumbersAreAsShortAsTheyCanBeAndNoShorter) {
    EXPECT_EQ(written(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
    EXPECT_EQ(written(0.1f), "0.1");
    EXPECT_EQ(written(0.1), "0.1");
    EXPECT_EQ(written(static_cast<double>(0.1f)), "0.10000000149011612");
    EXPECT_EQ(written(-std::numeric_limits<double>::max()), "-1.7976931348623157e+308");
}

TEST(Text, ALineOfCsvEnds) {
    std::string line = "a,b\n";
    append_csv(line, 1, -0.5, std::int64_t{1} << 40);
    append_csv(line, 7);
    EXPECT_EQ(line, "a,b\n1,-0.5,1099511627776\n7\n");
}

TEST(Text, QuantitiesHaveThreeDigitsAndAPrefix) {
    EXPECT_EQ(course::format_bytes(0), "0 B");
    EXPECT_EQ(course::format_bytes(12), "12 B");
    EXPECT_EQ(course::format_bytes(1500), "1.50 kB");
    EXPECT_EQ(course::format_bytes(999999), "1.00 MB");
    EXPECT_EQ(course::format_byte_rate(760e9), "760 GB/s");
    EXPECT_EQ(course::format_operation_rate(56.2e12), "56.2 Top/s");
    EXPECT_EQ(course::format_milliseconds(1.48), "1.48 ms");
}

}  // namespace
