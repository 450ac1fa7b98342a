// SPDX-License-Identifier: MIT
// Where the last stage cuts the keys of several ranks.
#include "problem/rank_cuts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/input/random.hpp"

namespace {

using quicksort::ClassCount, quicksort::cut_classes, quicksort::kMostClasses, quicksort::RankCuts;

// Of so many chunks, with random numbers of keys in the first 2 R - 1 classes.
std::vector<ClassCount> random_counts(int chunks, int ranks, std::uint64_t seed) {
    course::Random random(seed);
    std::vector<ClassCount> counts(static_cast<std::size_t>(chunks) * kMostClasses, 0);
    for (int chunk = 0; chunk < chunks; ++chunk) {
        for (int c = 0; c < 2 * ranks - 1; ++c) {
            counts[chunk * kMostClasses + c] = random.next() % (c % 2 == 0 ? 50 : 9);
        }
    }
    return counts;
}

TEST(RankCuts, EachKeyOfAChunkGoesToOneRank) {
    for (const int ranks : {2, 3, 8, 64}) {
        const std::vector<ClassCount> counts = random_counts(12, ranks, ranks);
        const RankCuts cuts = cut_classes(counts, ranks);
        for (int chunk = 0; chunk < 12; ++chunk) {
            std::int64_t keys = 0;
            for (int c = 0; c < kMostClasses; ++c) {
                keys += static_cast<std::int64_t>(counts[chunk * kMostClasses + c]);
            }
            EXPECT_EQ(cuts.begin(chunk, 0), 0);
            EXPECT_EQ(cuts.begin(chunk, ranks), keys);
            for (int to = 0; to < ranks; ++to) EXPECT_GE(cuts.count(chunk, to), 0);
        }
    }
}

// A class with an even number is whole: before a cut of all chunks, or behind it.
TEST(RankCuts, KeysOfDifferentValueAreNotDivided) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        constexpr int kRanks = 4, kChunks = 8;
        const std::vector<ClassCount> counts = random_counts(kChunks, kRanks, seed);
        const RankCuts cuts = cut_classes(counts, kRanks);
        for (int d = 1; d < kRanks; ++d) {
            std::int64_t lower = 0, upper = kMostClasses;  // classes before and behind the cut
            for (int chunk = 0; chunk < kChunks; ++chunk) {
                std::int64_t end = 0;
                for (int c = 0; c < 2 * kRanks - 1; ++c) {
                    const std::int64_t begin = end;
                    end += static_cast<std::int64_t>(counts[chunk * kMostClasses + c]);
                    if (begin < cuts.begin(chunk, d)) lower = std::max<std::int64_t>(lower, c);
                    if (end > cuts.begin(chunk, d)) upper = std::min<std::int64_t>(upper, c);
                }
            }
            EXPECT_TRUE(lower < upper || (lower == upper && lower % 2 == 1)) << lower << upper;
        }
    }
}

TEST(RankCuts, EqualKeysAreDividedExactly) {
    constexpr int kRanks = 5, kChunks = 3;
    std::vector<ClassCount> counts(std::size_t{kChunks} * kMostClasses, 0);
    for (int chunk = 0; chunk < kChunks; ++chunk) counts[chunk * kMostClasses + 1] = 334;
    const std::vector<std::int64_t> begins = cut_classes(counts, kRanks).begins();
    EXPECT_EQ(begins, (std::vector<std::int64_t>{0, 201, 402, 602, 802, 1002}));
    EXPECT_EQ(quicksort::longest_part(begins), 201);
}

TEST(RankCuts, TheNearerEndOfAClassIsTheCut) {
    std::vector<ClassCount> counts(kMostClasses, 0);
    counts[0] = 60;
    counts[2] = 40;
    EXPECT_EQ(cut_classes(counts, 2).begins(), (std::vector<std::int64_t>{0, 60, 100}));
    counts[0] = 10;
    counts[2] = 90;
    EXPECT_EQ(cut_classes(counts, 2).begins(), (std::vector<std::int64_t>{0, 10, 100}));
}

TEST(RankCuts, FewerKeysThanRanks) {
    std::vector<ClassCount> counts(kMostClasses, 0);
    counts[5] = 2;
    const std::vector<std::int64_t> begins = cut_classes(counts, 8).begins();
    EXPECT_EQ(begins.front(), 0);
    EXPECT_EQ(begins.back(), 2);
    EXPECT_EQ(quicksort::longest_part(begins), 1);
}

TEST(RankCuts, SumsBeginAnewInEachChunk) {
    std::vector<ClassCount> counts(std::size_t{2} * kMostClasses, 0);
    counts[0] = 3;
    counts[1] = 4;
    counts[kMostClasses + 1] = 5;
    const std::vector<ClassCount> sums = quicksort::sums_before(counts);
    EXPECT_EQ(sums[1], 3u);
    EXPECT_EQ(sums[2], 7u);
    EXPECT_EQ(sums[kMostClasses + 1], 0u);
    EXPECT_EQ(sums[kMostClasses + 2], 5u);
}

}  // namespace
