// SPDX-License-Identifier: MIT
#include "common/ranks/slice.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace {

using course::Slice, course::slice_of;

TEST(Slice, SlicesAreNeighboursAndHaveAllElements) {
    for (const int ranks : {1, 2, 3, 8, 64}) {
        for (const std::int64_t n : {0L, 1L, 7L, 8L, 9L, 1000L, 1L << 40}) {
            std::int64_t end = 0;
            for (int rank = 0; rank < ranks; ++rank) {
                const Slice slice = slice_of(n, rank, ranks);
                EXPECT_EQ(slice.begin, end);
                EXPECT_TRUE(slice.size() == n / ranks || slice.size() == n / ranks + 1);
                end = slice.end;
            }
            EXPECT_EQ(end, n);
        }
    }
}

TEST(Slice, TheLargestNumberHasSlices) {
    constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(slice_of(kLargest, 63, 64).end, kLargest);
}

}  // namespace
