// SPDX-License-Identifier: MIT
#include "common/input/numbers.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace {

using course::NumberFault;
using course::parse_integer;
using course::parse_real;
using course::parse_unsigned;

std::int64_t integer(std::string_view text) {
    const auto number = parse_integer(text);
    EXPECT_TRUE(number) << text;
    return number.value;
}

TEST(Numbers, IntegersInPlainAndScientificForm) {
    EXPECT_EQ(integer("0"), 0);
    EXPECT_EQ(integer("-0"), 0);
    EXPECT_EQ(integer("007"), 7);
    EXPECT_EQ(integer("+12"), 12);
    EXPECT_EQ(integer("-3"), -3);
    EXPECT_EQ(integer("1000000"), 1000000);
    EXPECT_EQ(integer("1e10"), 10000000000);
    EXPECT_EQ(integer("6.4E+11"), 640000000000);
    EXPECT_EQ(integer("1.5e3"), 1500);
    EXPECT_EQ(integer("-1.5e3"), -1500);
    EXPECT_EQ(integer("1500e-2"), 15);
    EXPECT_EQ(integer("2."), 2);
    EXPECT_EQ(integer(".5e1"), 5);
    EXPECT_EQ(integer("0e999999999999999999999"), 0);
}

TEST(Numbers, IntegersAreExactToTheLastBit) {
    // As a double this would end in ...992.
    EXPECT_EQ(integer("9007199254740993e0"), 9007199254740993);
    EXPECT_EQ(integer("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(integer("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(parse_integer("9223372036854775808").fault, NumberFault::kOutOfRange);
    EXPECT_EQ(parse_integer("-9223372036854775809").fault, NumberFault::kOutOfRange);
    EXPECT_EQ(parse_integer("1e19").fault, NumberFault::kOutOfRange);
    EXPECT_EQ(parse_integer("1e99999999999999999999999").fault, NumberFault::kOutOfRange);
    EXPECT_EQ(parse_integer("1e-99999999999999999999999").fault, NumberFault::kNotAnInteger);
    EXPECT_EQ(parse_unsigned("18446744073709551615").value,
              std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(parse_unsigned("18446744073709551616").fault, NumberFault::kOutOfRange);
    EXPECT_EQ(parse_unsigned("-1").fault, NumberFault::kOutOfRange);
}

TEST(Numbers, OtherTextIsNoInteger) {
    EXPECT_EQ(parse_integer("").fault, NumberFault::kEmpty);
    EXPECT_EQ(parse_integer("1.5").fault, NumberFault::kNotAnInteger);
    EXPECT_EQ(parse_integer("15e-1").fault, NumberFault::kNotAnInteger);
    for (const char* text :
         {"abc", "12a", "1 2", " 1",    "1 ",    "0x10", "1'000", "1,000", "-",   "+",
          "e5",  "1e",  "1e+", "1e+-5", "1e5.0", "1..2", "--1",   "nan",   "inf", "."}) {
        EXPECT_EQ(parse_integer(text).fault, NumberFault::kNotANumber) << text;
    }
}

TEST(Numbers, Reals) {
    EXPECT_EQ(parse_real("0.25").value, 0.25);
    EXPECT_EQ(parse_real("-1e-3").value, -1e-3);
    EXPECT_EQ(parse_real("+2").value, 2.0);
    EXPECT_EQ(parse_real("").fault, NumberFault::kEmpty);
    for (const char* text : {"x", "1x", "1 ", " 1", "+-1", "+", "0x10", "1,5", "++1"}) {
        EXPECT_EQ(parse_real(text).fault, NumberFault::kNotANumber) << text;
    }
    for (const char* text : {"nan", "NaN", "-nan", "inf", "-inf", "+inf", "infinity"}) {
        EXPECT_EQ(parse_real(text).fault, NumberFault::kNotFinite) << text;
    }
    EXPECT_EQ(parse_real("1e999").fault, NumberFault::kOutOfRange);
}

}  // namespace
