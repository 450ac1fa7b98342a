// SPDX-License-Identifier: MIT
#include "common/input/inputs.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "common/harness/error.hpp"
#include "tests/common/scratch_folder.hpp"

namespace {

using course::append_csv, course::append_number, course::is_one_of, course::refuse_other_n;

TEST(Inputs, NamesAreWhole) {
    constexpr std::string_view kNames[] = {"uniform", "grid"};
    EXPECT_TRUE(is_one_of(kNames, "grid"));
    EXPECT_FALSE(is_one_of(kNames, "gri"));
    EXPECT_FALSE(is_one_of(kNames, "grid "));
    EXPECT_FALSE(is_one_of(kNames, ""));
}

TEST(Inputs, AFileHasTheNumberThatItHas) {
    EXPECT_NO_THROW(refuse_other_n(0, "a.txt", 3, "points"));
    EXPECT_NO_THROW(refuse_other_n(3, "a.txt", 3, "points"));
    EXPECT_EQ(course_test::message_of<course::UsageError>(
                  [] { refuse_other_n(4, "a.txt", 3, "points"); }),
              "--n 4: a.txt has 3 points");
}

template <class Number>
std::string written(Number value) {
    std::string line;
    append_number(line, value);
    return line;
}

TEST(Inputs, NumbersAreAsShortAsTheyCanBeAndNoShorter) {
    EXPECT_EQ(written(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
    EXPECT_EQ(written(0.1f), "0.1");
    EXPECT_EQ(written(0.1), "0.1");
    EXPECT_EQ(written(static_cast<double>(0.1f)), "0.10000000149011612");
    EXPECT_EQ(written(-std::numeric_limits<double>::max()), "-1.7976931348623157e+308");
}

TEST(Inputs, ALineOfCsvEnds) {
    std::string line = "a,b\n";
    append_csv(line, 1, -0.5, std::int64_t{1} << 40);
    append_csv(line, 7);
    EXPECT_EQ(line, "a,b\n1,-0.5,1099511627776\n7\n");
}

}  // namespace
