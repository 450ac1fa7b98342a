// SPDX-License-Identifier: MIT
#include "common/input/inputs.hpp"

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "tests/common/scratch_folder.hpp"

namespace {

using course::is_one_of, course::refuse_other_n;

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

}  // namespace
