// SPDX-License-Identifier: MIT
// Where the last stage cuts the keys of several ranks.
#include "problem/rank_cuts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
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

// Applied to a list whose key is its place, and -1 in a hole.
void expect_no_hole(const std::vector<std::int64_t>& holes, std::int64_t length) {
    std::vector<std::int64_t> list(length);
    for (std::int64_t i = 0; i < length; ++i) list[i] = i;
    for (const std::int64_t hole : holes) list[hole] = -1;
    std::vector<std::int64_t> expected;
    for (const std::int64_t key : list) {
        if (key >= 0) expected.push_back(key);
    }
    for (const quicksort::KeyMove& move : quicksort::moves_into(holes, length)) {
        EXPECT_EQ(list[move.to], -1);
        list[move.to] = list[move.from];
    }
    list.resize(expected.size());
    std::sort(list.begin(), list.end());
    EXPECT_EQ(list, expected);
}

TEST(RankCuts, KeysFromTheEndFillAllHoles) {
    expect_no_hole({}, 0);
    expect_no_hole({}, 4);
    expect_no_hole({0, 1, 2}, 3);
    expect_no_hole({2}, 3);
    expect_no_hole({0, 4}, 5);
    expect_no_hole({1, 2, 5, 6, 8}, 10);
    expect_no_hole({0, 1, 2, 7, 8, 9}, 10);
    expect_no_hole({0, 6, 9}, 10);
}

// A rank's list gets the keys that the cuts say, numbered, and -1 with them. After the moves each
// chunk's keys are there once, at a multiple of four places, and -1 is not among them.
TEST(RankCuts, AllKeysOfAChunkArrive) {
    constexpr int kChunks = 3;
    for (const int ranks : {1, 2, 3, 7}) {
        const RankCuts cuts = cut_classes(random_counts(kChunks * ranks, ranks, 17), ranks);
        for (int rank = 0; rank < ranks; ++rank) {
            const std::vector<quicksort::Arrival> arrivals =
                quicksort::arrivals_on(cuts, rank, kChunks);
            std::int64_t before = 0;
            for (int chunk = 0; chunk < kChunks; ++chunk) {
                const quicksort::Arrival& arrival = arrivals[chunk];
                EXPECT_EQ(arrival.begin % 4, 0);
                EXPECT_GE(arrival.begin, before);
                std::map<std::int64_t, std::int64_t> list;
                std::int64_t keys = 0;
                for (int from = 0; from < ranks; ++from) {
                    const auto message = cuts.message(from * kChunks + chunk, rank);
                    if (!message.is_sent && from != rank) continue;
                    const std::int64_t unwanted = from == rank ? 0 : message.unwanted;
                    const std::int64_t count = cuts.count(from * kChunks + chunk, rank);
                    EXPECT_EQ(arrival.places[from] % 4, 0);
                    for (std::int64_t i = 0; i < unwanted + count; ++i) {
                        const bool is_new =
                            list.emplace(arrival.places[from] + i, i < unwanted ? -1 : keys++)
                                .second;
                        EXPECT_TRUE(is_new);
                    }
                }
                EXPECT_EQ(arrival.count, keys);
                for (const quicksort::KeyMove& move : arrival.moves) {
                    list[move.to] = list.at(move.from);
                }
                std::vector<std::int64_t> found, expected;
                for (std::int64_t i = 0; i < keys; ++i) {
                    found.push_back(list.at(arrival.begin + i));
                    expected.push_back(i);
                }
                std::sort(found.begin(), found.end());
                EXPECT_EQ(found, expected);
                before = list.empty() ? before : list.rbegin()->first + 1;
            }
        }
    }
}

TEST(RankCuts, AMessageBeginsAtWholeLines) {
    const course::Message<std::int32_t> message(7, 12);
    EXPECT_EQ(message.begin, 4);
    EXPECT_EQ(message.unwanted, 3);
    EXPECT_EQ(message.length, 8);
    EXPECT_TRUE(message.is_sent);
    EXPECT_FALSE(course::Message<std::int32_t>(7, 7).is_sent);
    EXPECT_EQ(course::line_after<std::int32_t>(8), 8);
    EXPECT_EQ(course::line_after<std::int32_t>(9), 12);
    EXPECT_EQ(course::line_after<double>(9), 10);
}

TEST(RankCuts, CursorsBeginAnewInEachChunk) {
    std::vector<ClassCount> counts(std::size_t{4} * kMostClasses, 9);  // two chunks of two ranks
    counts[2 * kMostClasses] = 3;
    counts[2 * kMostClasses + 1] = 4;
    counts[3 * kMostClasses] = 0;
    counts[3 * kMostClasses + 1] = 5;
    const std::vector<ClassCount> cursors = quicksort::cursors_of(counts, 2, 1);
    EXPECT_EQ(cursors.size(), std::size_t{2} * kMostClasses);
    EXPECT_EQ(cursors[0], 0u);
    EXPECT_EQ(cursors[1], 3u);
    EXPECT_EQ(cursors[2], 7u);
    EXPECT_EQ(cursors[kMostClasses], 0u);
    EXPECT_EQ(cursors[kMostClasses + 1], 0u);
    EXPECT_EQ(cursors[kMostClasses + 2], 5u);
}

}  // namespace
