// SPDX-License-Identifier: MIT
// Pairs as integers, and the verdict on sorted pairs.
#include "common/sorting/pairs.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using course::sorting::Key, course::sorting::Pair, course::sorting::Value;
using course::sorting::key_of, course::sorting::pair_of, course::sorting::value_of;
using course::sorting::SplitPairs, course::sorting::verify_pairs, course::sorting::write_pairs;

constexpr Key kLowest = std::numeric_limits<Key>::min(), kHighest = std::numeric_limits<Key>::max();
const std::vector<Key> kKeys = {3, kHighest, kLowest, 3, -1};

std::vector<Pair> sorted() {
    return {pair_of(kLowest, 2), pair_of(-1, 4), pair_of(3, 0), pair_of(3, 3),
            pair_of(kHighest, 1)};
}

std::string said_of(const std::vector<Pair>& pairs) {
    const course::Verdict verdict = verify_pairs(kKeys, pairs);
    return (verdict.passed ? "right: " : "wrong: ") + verdict.message;
}

TEST(SortingPairs, AreIntegersInTheOrderOfTheirKeys) {
    const Key keys[] = {kLowest, -1, 0, 1, kHighest};
    const Value values[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff};
    Pair before = std::numeric_limits<Pair>::min();
    for (const Key key : keys) {
        for (const Value value : values) {
            const Pair pair = pair_of(key, value);
            EXPECT_EQ(key_of(pair), key);
            EXPECT_EQ(value_of(pair), value);
            EXPECT_LE(before, pair);
            before = pair;
        }
    }
    EXPECT_EQ(before, std::numeric_limits<Pair>::max());
}

TEST(SortingPairs, AreListsAndPairsAgain) {
    const SplitPairs lists(sorted());
    EXPECT_EQ(lists.keys, (std::vector<Key>{kLowest, -1, 3, 3, kHighest}));
    EXPECT_EQ(lists.values, (std::vector<Value>{2, 4, 0, 3, 1}));
    std::vector<Pair> pairs(5);
    lists.join(pairs);
    EXPECT_EQ(pairs, sorted());
}

TEST(SortingPairs, TheVerdictLeavesTheOrderOfEqualKeysFree) {
    std::vector<Pair> pairs = sorted();
    EXPECT_EQ(said_of(pairs), "right: all 5 pairs in the order of their keys, none of them lost");
    std::swap(pairs[2], pairs[3]);
    EXPECT_EQ(said_of(pairs).substr(0, 5), "right");
}

TEST(SortingPairs, TheVerdictFindsEachFault) {
    std::vector<Pair> pairs = sorted();
    std::swap(pairs[1], pairs[2]);
    EXPECT_EQ(
        said_of(pairs),
        "wrong: pair 1 of 5 has key 3 and value 0, and the next one has key -1: not in order");
    pairs = sorted();
    pairs[3] = pairs[2];
    for (int run = 0; run < 100; ++run) {  // in which order threads meet the value does not matter
        ASSERT_EQ(said_of(pairs),
                  "wrong: pair 3 of 5 has key 3 and value 0: another one has this value, too");
    }
    pairs = sorted();
    pairs[1] = pair_of(-1, 3);
    EXPECT_EQ(said_of(pairs),
              "wrong: pair 1 of 5 has key -1 and value 3: its key in the input is 3");
    pairs = sorted();
    pairs[4] = pair_of(kHighest, 5);
    EXPECT_EQ(said_of(pairs),
              "wrong: pair 4 of 5 has key 2147483647 and value 5: no pair of the "
              "input has this value");
    pairs.pop_back();
    EXPECT_EQ(said_of(pairs), "wrong: 4 pairs in the output, of 5");
    EXPECT_EQ(said_of(std::vector<Pair>(5, 0)).substr(0, 5), "wrong");
}

// More pairs than one word of the list of values has bits, and than one core looks at.
TEST(SortingPairs, TheVerdictFindsALostPairAmongMany) {
    std::vector<Key> keys(100'000, 7);
    std::vector<Pair> pairs;
    for (Value i = 0; i < keys.size(); ++i) pairs.push_back(pair_of(7, i));
    EXPECT_TRUE(verify_pairs(keys, pairs).passed);
    pairs[77'777] = pairs[12];
    EXPECT_FALSE(verify_pairs(keys, pairs).passed);
}

TEST(SortingPairs, AreWrittenAsTextOrRaw) {
    std::ostringstream lines, raw;
    write_pairs(lines, sorted(), false);
    EXPECT_EQ(lines.str(), "-2147483648 2\n-1 4\n3 0\n3 3\n2147483647 1\n");
    write_pairs(raw, std::vector<Pair>{pair_of(1, 2)}, true);
    EXPECT_EQ(raw.str(), std::string("\1\0\0\0\2\0\0\0", 8));
}

}  // namespace
