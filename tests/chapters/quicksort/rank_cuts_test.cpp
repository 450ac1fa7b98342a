// SPDX-License-Identifier: MIT
// Which parts the ranks of stage many_gpus get, and where they lie.
#include "problem/rank_cuts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "common/input/random.hpp"

namespace {

using quicksort::kFewestPartsOfFirst, quicksort::kMostGroups, quicksort::PartMessage,
    quicksort::PartPieces, quicksort::PartPlaces, quicksort::PartRange, quicksort::RankCuts;

// Random numbers of keys; each seventh part is constant, and has more of them.
RankCuts random_cuts(int parts, int ranks, std::uint64_t seed) {
    course::Random random(seed);
    std::vector<unsigned> counts;
    std::vector<bool> is_constant;
    for (int p = 0; p < parts; ++p) is_constant.push_back(p % 7 == 3);
    for (int rank = 0; rank < ranks; ++rank) {
        for (int p = 0; p < parts; ++p) {
            counts.push_back(static_cast<unsigned>(random.next() % (is_constant[p] ? 500 : 50)));
        }
    }
    return RankCuts(std::move(counts), std::move(is_constant), ranks);
}

std::int64_t all_keys(const RankCuts& cuts, int part) {
    std::int64_t keys = 0;
    for (int rank = 0; rank < cuts.ranks(); ++rank) keys += cuts.count(rank, part);
    return keys;
}

TEST(RankCuts, EachKeyGoesToOneRank) {
    for (const int ranks : {2, 3, 8, 64}) {
        const RankCuts cuts = random_cuts(512, ranks, ranks);
        std::int64_t before = 0;
        for (int part = 0; part < 512; ++part) {
            std::int64_t keys = 0;
            for (int rank = 0; rank < ranks; ++rank) {
                const PartRange parts = cuts.parts(rank);
                const std::int64_t share = cuts.share(rank, part);
                EXPECT_TRUE(share == 0 || (part >= parts.begin && part < parts.end));
                if (!cuts.is_constant(part)) {
                    EXPECT_TRUE(share == 0 || share == all_keys(cuts, part));
                }
                keys += share;
            }
            EXPECT_EQ(keys, all_keys(cuts, part));
            before += keys;
        }
        EXPECT_EQ(cuts.begins().front(), 0);
        EXPECT_EQ(cuts.begins().back(), before);
    }
}

TEST(RankCuts, NeighboursShareAConstantPartAtMost) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const RankCuts cuts = random_cuts(32, 4, seed);
        for (int rank = 0; rank + 1 < 4; ++rank) {
            const int last = cuts.parts(rank).end - 1, next = cuts.parts(rank + 1).begin;
            EXPECT_TRUE(next > last || (next == last && cuts.is_constant(next)));
        }
    }
}

TEST(RankCuts, EqualKeysAreDividedExactly) {
    const RankCuts cuts({0, 334, 0, 0, 334, 0, 0, 334, 0, 0, 0, 0, 0, 0, 0}, {false, true, false},
                        5);
    EXPECT_EQ(cuts.begins(), (std::vector<std::int64_t>{0, 201, 402, 602, 802, 1002}));
    EXPECT_EQ(quicksort::longest_part(cuts.begins()), 201);
    EXPECT_EQ(cuts.share(3, 1), 200);
    EXPECT_EQ(cuts.parts(3).begin, 1);
    EXPECT_EQ(cuts.parts(3).end, 2);
}

TEST(RankCuts, TheNearerEndOfAPartIsTheCut) {
    const std::vector<bool> open(2, false);
    EXPECT_EQ(RankCuts({60, 40, 0, 0}, open, 2).begins(), (std::vector<std::int64_t>{0, 60, 100}));
    EXPECT_EQ(RankCuts({10, 40, 0, 50}, open, 2).begins(), (std::vector<std::int64_t>{0, 10, 100}));
}

TEST(RankCuts, FewerKeysThanRanks) {
    const RankCuts cuts({2, 0, 0, 0, 0, 0, 0, 0}, {true}, 8);
    EXPECT_EQ(cuts.begins().back(), 2);
    EXPECT_EQ(quicksort::longest_part(cuts.begins()), 1);
    for (int rank = 0; rank < 8; ++rank) {
        EXPECT_EQ(cuts.parts(rank).size(), cuts.keys(rank) > 0 ? 1 : 0);
    }
}

TEST(RankCuts, NoKeys) {
    const RankCuts cuts({0, 0, 0, 0}, {false, false}, 2);
    EXPECT_EQ(cuts.begins(), (std::vector<std::int64_t>{0, 0, 0}));
    EXPECT_EQ(cuts.parts(0).size(), 0);
    EXPECT_EQ(cuts.group(1, 0).size(), 0);
}

TEST(RankCuts, GroupsAreAllPartsOfARank) {
    for (const auto& [parts, ranks] :
         std::vector<std::pair<int, int>>{{512, 2}, {512, 64}, {32, 3}}) {
        const RankCuts cuts = random_cuts(parts, ranks, 5);
        for (int rank = 0; rank < ranks; ++rank) {
            const PartRange all = cuts.parts(rank);
            int end = all.begin;
            for (int g = 0; g < kMostGroups; ++g) {
                const PartRange group = cuts.group(rank, g);
                EXPECT_EQ(group.begin, end);
                EXPECT_TRUE(group.size() >= kFewestPartsOfFirst || group.end == all.end);
                end = group.end;
            }
            EXPECT_EQ(end, all.end);
        }
    }
}

TEST(RankCuts, KeysOfAConstantPartDoNotTravel) {
    const RankCuts cuts({9, 9, 9, 9, 0, 9}, {false, true, false}, 2);
    EXPECT_EQ(cuts.begins(), (std::vector<std::int64_t>{0, 23, 45}));
    EXPECT_EQ(cuts.sent_parts(0, 1, 0).begin, 2);
    EXPECT_EQ(cuts.sent_parts(0, 1, 0).end, 3);
    EXPECT_EQ(cuts.sent_parts(1, 0, 0).begin, 0);
    EXPECT_EQ(cuts.sent_parts(1, 0, 0).end, 1);
    EXPECT_EQ(cuts.sent_parts(1, 0, 1).size(), 0);
}

// Of each part, the number of its region.
std::vector<unsigned> regions_of(const RankCuts& cuts, int parts) {
    std::vector<unsigned> regions;
    unsigned region = 0;
    for (int part = 0; part < parts; ++part) {
        regions.push_back(cuts.is_constant(part) ? ~0u : region++);
    }
    return regions;
}

TEST(PartPlaces, RegionsOrOnePartBehindTheOther) {
    // The first rank's parts fit into regions of 8 keys, the second one's do not.
    const RankCuts cuts({8, 5, 1, 9, 6, 3}, {false, true, false}, 2);
    const PartPlaces places(cuts, regions_of(cuts, 3), 8);
    EXPECT_TRUE(places.fit(0));
    EXPECT_EQ(places.begin(0, 0), 0);
    EXPECT_EQ(places.begin(0, 2), 8);
    EXPECT_FALSE(places.fit(1));
    EXPECT_EQ(places.begin(1, 0), 0);
    EXPECT_EQ(places.begin(1, 2), 12);  // at a multiple of 16 bytes
}

TEST(PartMessage, HasTheFreeRoomBetweenItsParts) {
    // All parts are in the first group of rank 1. It gets the last three, of which one has no keys.
    const RankCuts cuts({100, 3, 0, 4, 0, 90, 3, 5}, {false, false, false, false}, 2);
    EXPECT_EQ(cuts.begins(), (std::vector<std::int64_t>{0, 100, 205}));
    const PartPlaces places(cuts, regions_of(cuts, 4), 128);
    const PartMessage message(cuts, places, 0, 1, 0);
    EXPECT_EQ(message.begin, 128);
    EXPECT_EQ(message.length, 256 + 4);
    EXPECT_EQ(PartMessage(cuts, places, 0, 1, 1).length, 0);
    EXPECT_EQ(PartMessage(cuts, places, 1, 0, 0).length, 0);
}

// Every key of a rank is where its piece says: on the rank itself, or in a message, as far from the
// message's begin as on the sender. No two keys are at the same place.
TEST(PartPieces, EachKeyHasAPlace) {
    constexpr int kParts = 64, kTile = 16, kReceived = 60 * kParts;
    for (const auto& [ranks, capacity] :
         std::vector<std::pair<int, std::int64_t>>{{1, 60}, {2, 60}, {3, 48}, {7, 48}}) {
        const RankCuts cuts = random_cuts(kParts, ranks, 17);
        const PartPlaces places(cuts, regions_of(cuts, kParts), capacity);
        for (int rank = 0; rank < ranks; ++rank) {
            const PartPieces pieces(cuts, places, rank, kReceived, kTile);
            std::map<std::int64_t, int> owners;
            unsigned tiles = 0;
            for (int g = 0; g < kMostGroups; ++g) {
                const PartRange group = cuts.group(rank, g);
                for (int part = group.begin; part < group.end; ++part) {
                    EXPECT_EQ(pieces.first_tile(part), tiles);
                    std::int64_t key = 0;  // of the part
                    for (int from = 0; from < ranks; ++from) {
                        const std::size_t i =
                            static_cast<std::size_t>(part - pieces.parts().begin) * ranks + from;
                        const quicksort::Piece& piece = pieces.pieces()[i];
                        const unsigned count = cuts.is_constant(part) ? 0 : cuts.count(from, part);
                        EXPECT_EQ(piece.first_tile, tiles);
                        EXPECT_EQ(piece.end, key + count);
                        if (count > 0) {
                            const std::int64_t sent =
                                places.begin(from, part) -
                                PartMessage(cuts, places, from, rank, g).begin;
                            EXPECT_EQ(piece.shift + key, from == rank
                                                             ? places.begin(rank, part)
                                                             : pieces.message(g, from) + sent);
                            EXPECT_EQ((piece.shift + key) % 4, 0);
                        }
                        for (; key < piece.end; ++key) {
                            const std::int64_t place = piece.shift + key;
                            EXPECT_EQ(place >= kReceived, from != rank);
                            EXPECT_LT(place, pieces.end());
                            EXPECT_TRUE(owners.emplace(place, part).second);
                        }
                        tiles += (count + kTile - 1) / kTile;
                    }
                }
            }
            EXPECT_EQ(pieces.first_tile(pieces.parts().end), tiles);
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

}  // namespace
