// SPDX-License-Identifier: MIT
// The named inputs and the files of keys, and the verdict on a sorted list.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "common/base/error.hpp"
#include "common/sorting/keys.hpp"
#include "common/sorting/sort_verifier.hpp"
#include "tests/common/scratch_folder.hpp"

namespace {

using course::InputError, course::UsageError;
using course::sorting::fingerprint_of, course::sorting::Key, course::sorting::kInputNames;
using course::sorting::kProcessors, course::sorting::make_keys, course::sorting::read_keys;
using course::sorting::Verifier, course::sorting::write_keys;
using course_test::message_of, course_test::ScratchFolder;

constexpr Key kLeast = std::numeric_limits<Key>::min();
constexpr Key kMost = std::numeric_limits<Key>::max();

std::vector<Key> keys_of(std::string_view name, std::int64_t n, std::uint64_t seed = 1) {
    std::vector<Key> keys(n);
    make_keys(name, seed, keys);
    return keys;
}

std::vector<Key> sorted(std::vector<Key> keys) {
    std::sort(keys.begin(), keys.end());
    return keys;
}

// Which of the kProcessors equal parts of the range holds the key.
int bucket_of(Key key) {
    return static_cast<int>((std::int64_t{key} - kLeast) / ((std::int64_t{1} << 32) / kProcessors));
}

// --- Named inputs --------------------------------------------------------------------------------

TEST(SortingKeys, EveryInputHasEverySizeAndIsRepeatable) {
    for (const std::string_view name : kInputNames) {
        for (const std::int64_t n : {1, 2, 3, 63, 64, 65, 1000}) {
            SCOPED_TRACE(std::string(name) + " " + std::to_string(n));
            EXPECT_EQ(keys_of(name, n), keys_of(name, n));
        }
    }
    for (const std::string_view name : course::sorting::kMergeInputNames) {
        EXPECT_NE(course::sorting::all_input_names().find(name), std::string::npos);
    }
    EXPECT_THROW(keys_of("unknown", 3), UsageError);
}

TEST(SortingKeys, RandomInputsDependOnTheSeed) {
    for (const std::string_view name :
         {"uniform", "gaussian", "nearly-sorted", "few-unique", "zipf", "bucket", "staggered",
          "g-group", "permutation", "values-30", "values-255", "values-500", "one-heavy",
          "anded"}) {
        EXPECT_NE(keys_of(name, 1000, 1), keys_of(name, 1000, 2)) << name;
    }
}

// If the generators change, recorded rows can no longer be compared.
TEST(SortingKeys, TheFirstUniformKeysStayTheSame) {
    EXPECT_EQ(keys_of("uniform", 4),
              (std::vector<Key>{-566121720, 1905093865, -1953106323, 1191582491}));
}

// For any n, also less than there are runs.
TEST(SortingKeys, InputsOfMergesAreSortedRuns) {
    for (const std::int64_t n : {1, 2, 63, 64, 65, 1000, 6400, 10'007}) {
        const std::vector<Key> interleaved = keys_of("interleaved-runs", n);
        const std::vector<Key> one_sided = keys_of("one-sided", n);
        EXPECT_TRUE(n < 64 || interleaved.front() == std::numeric_limits<Key>::min()) << n;
        const auto begin_of = [&](std::int64_t run) { return (run * n + 63) / 64; };
        for (std::int64_t run = 0; run < 64; ++run) {
            const std::int64_t begin = begin_of(run), end = begin_of(run + 1);
            SCOPED_TRACE(std::to_string(n) + " " + std::to_string(run));
            EXPECT_TRUE(std::is_sorted(interleaved.begin() + begin, interleaved.begin() + end));
            EXPECT_TRUE(std::is_sorted(one_sided.begin() + begin, one_sided.begin() + end));
            if (begin == end || end == n) continue;
            EXPECT_LT(one_sided[end], one_sided[begin]);  // the next run is below this one
            if (n < 128) continue;
            // Its first key lies between the first two keys of this run.
            EXPECT_LT(interleaved[begin], interleaved[end]);
            EXPECT_LT(interleaved[end], interleaved[begin + 1]);
        }
    }
}

TEST(SortingKeys, UniformFillsTheRange) {
    std::vector<int> buckets(kProcessors);
    for (const Key key : keys_of("uniform", 64'000)) ++buckets[bucket_of(key)];
    for (const int count : buckets) EXPECT_NEAR(count, 1000, 200);  // six standard deviations
}

TEST(SortingKeys, GaussianIsTheMeanOfFour) {
    const std::vector<Key> keys = keys_of("gaussian", 100'000);
    double sum = 0, squares = 0;
    for (const Key key : keys) sum += key, squares += 1.0 * key * key;
    const double deviation = std::sqrt(squares / 100'000);
    // One uniform key has a deviation of 2^32 / sqrt(12), the mean of four has half of it.
    EXPECT_NEAR(deviation / (0x1p32 / std::sqrt(12.0) / 2), 1, 0.02);
    EXPECT_NEAR(sum / 100'000 / deviation, 0, 0.02);
}

TEST(SortingKeys, SortedHasBothEndsOfTheRange) {
    const std::vector<Key> keys = keys_of("sorted", 1001);
    EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
    EXPECT_EQ(keys.front(), kLeast);
    EXPECT_EQ(keys.back(), kMost);
    EXPECT_EQ(std::set<Key>(keys.begin(), keys.end()).size(), 1001u);
    std::vector<Key> reverse = keys_of("reverse", 1001);
    std::reverse(reverse.begin(), reverse.end());
    EXPECT_EQ(reverse, keys);
}

TEST(SortingKeys, NearlySortedIsMostlySorted) {
    const std::vector<Key> keys = keys_of("nearly-sorted", 100'000);
    const std::vector<Key> right = keys_of("sorted", 100'000);
    int moved = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) moved += keys[i] != right[i];
    EXPECT_NEAR(moved, 1000, 200);
}

TEST(SortingKeys, FewKeysAndOneKey) {
    const std::vector<Key> few = keys_of("few-unique", 10'000);
    const std::set<Key> different(few.begin(), few.end());
    EXPECT_EQ(different.size(), 8u);
    EXPECT_TRUE(different.contains(kLeast));
    EXPECT_TRUE(different.contains(kMost));
    const std::vector<Key> equal = keys_of("all-equal", 10'000);
    EXPECT_EQ(std::set<Key>(equal.begin(), equal.end()).size(), 1u);
}

TEST(SortingKeys, ZipfFallsAsOneOverTheRank) {
    std::map<Key, int> counts;
    constexpr int kCount = 1'000'000;
    for (const Key key : keys_of("zipf", kCount)) ++counts[key];
    std::vector<int> by_rank;
    for (const auto& [key, count] : counts) by_rank.push_back(count);
    std::sort(by_rank.rbegin(), by_rank.rend());
    double harmonic = 0;
    for (int r = 1; r < 1 << 20; ++r) harmonic += 1.0 / r;
    for (const int rank : {1, 2, 3, 10, 100}) {
        const double expected = kCount / harmonic / rank;
        EXPECT_NEAR(by_rank[rank - 1], expected, 6 * std::sqrt(expected)) << rank;
    }
}

TEST(SortingKeys, BucketStaggeredAndGroupFollowTheirDefinitions) {
    constexpr int p = kProcessors, g = course::sorting::kGroup, kEach = p * 8;
    const std::vector<Key> bucket = keys_of("bucket", p * kEach);
    const std::vector<Key> staggered = keys_of("staggered", p * kEach);
    const std::vector<Key> group = keys_of("g-group", p * kEach);
    for (int processor = 0; processor < p; ++processor) {
        for (int k = 0; k < kEach; ++k) {
            const int i = processor * kEach + k;
            ASSERT_EQ(bucket_of(bucket[i]), k / (kEach / p)) << i;
            ASSERT_EQ(bucket_of(staggered[i]),
                      processor < p / 2 ? 2 * processor + 1 : 2 * processor - p)
                << i;
            ASSERT_EQ(bucket_of(group[i]), (processor / g * g + p / 2 + k / (kEach / g)) % p) << i;
        }
    }
}

TEST(SortingKeys, DeterministicDuplicatesHalve) {
    const std::int64_t n = 1 << 16;  // 2^10 keys per processor
    const std::vector<Key> keys = keys_of("deterministic-duplicates", n);
    EXPECT_EQ(keys[0], 16);
    EXPECT_EQ(keys[n / 2 - 1], 16);
    EXPECT_EQ(keys[n / 2], 15);
    EXPECT_EQ(keys[3 * n / 4], 14);
    EXPECT_EQ(keys[n - 1024 - 1], 11);  // the last but one processor
    EXPECT_EQ(keys[n - 1024], 10);
    EXPECT_EQ(keys[n - 512], 9);
    EXPECT_EQ(keys[n - 1], 0);
}

TEST(SortingKeys, SomeInputsHaveSoManyValues) {
    for (const auto& [name, values] : {std::pair<const char*, std::size_t>{"values-30", 30},
                                       {"values-255", 255},
                                       {"values-500", 500}}) {
        const std::vector<Key> keys = keys_of(name, 100'000);
        const std::set<Key> found(keys.begin(), keys.end());
        EXPECT_EQ(found.size(), values) << name;
        EXPECT_EQ(*found.begin(), kLeast) << name;
        EXPECT_EQ(*found.rbegin(), kMost) << name;
    }
}

TEST(SortingKeys, OneHeavyHasSevenEqualKeysOfEight) {
    const std::vector<Key> keys = keys_of("one-heavy", 80'000);
    std::map<Key, int> counts;
    for (const Key key : keys) ++counts[key];
    int most = 0, heavy = 0;
    for (const auto& [key, count] : counts) {
        most = std::max(most, count);
        heavy += count > 100;
    }
    EXPECT_NEAR(most, 70'000, 500);
    EXPECT_EQ(heavy, 1);
}

TEST(SortingKeys, AnOrganPipeRisesAndFalls) {
    for (const std::int64_t n : {999, 1000}) {
        const std::vector<Key> keys = keys_of("organ-pipe", n);
        for (std::int64_t i = 0; i < n; ++i) EXPECT_EQ(keys[i], keys[n - 1 - i]);
        EXPECT_TRUE(std::is_sorted(keys.begin(), keys.begin() + (n + 1) / 2));
        EXPECT_EQ(keys[0], kLeast);
        EXPECT_EQ(keys[(n - 1) / 2], kMost);
    }
}

TEST(SortingKeys, EveryRangeOfBitReversedKeysHasTheWholeRange) {
    const std::vector<Key> keys = keys_of("bit-reversed", 1 << 12);
    for (std::size_t begin = 0; begin < keys.size(); begin += 64) {
        std::set<int> buckets;
        for (std::size_t i = 0; i < 64; ++i) buckets.insert(bucket_of(keys[begin + i]));
        EXPECT_EQ(buckets.size(), 64u) << begin;
    }
    EXPECT_EQ(std::set<Key>(keys.begin(), keys.end()).size(), keys.size());
}

// Each bit of a word is set once in eight times.
TEST(SortingKeys, AndedBitsAreRare) {
    const std::vector<Key> keys = keys_of("anded", 10'000);
    std::int64_t ones = 0;
    for (const Key key : keys) ones += std::popcount(static_cast<std::uint32_t>(key));
    EXPECT_NEAR(static_cast<double>(ones) / (32 * 10'000), 1.0 / 8, 0.005);
}

TEST(SortingKeys, APermutationHasEachKeyOnce) {
    for (const std::int64_t n : {1, 2, 3, 1000, 4096, 4097}) {
        std::vector<Key> expected(n);
        std::iota(expected.begin(), expected.end(), 0);
        const std::vector<Key> keys = keys_of("permutation", n);
        EXPECT_EQ(sorted(keys), expected) << n;
        if (n >= 1000) {
            int in_place = 0;
            for (std::int64_t i = 0; i < n; ++i) in_place += keys[i] == i;
            EXPECT_LE(in_place, 10) << n;  // a random permutation has one on average
        }
    }
}

// --- Files ---------------------------------------------------------------------------------------

class SortingFiles : public testing::Test {
  protected:
    static std::string error_of(const std::string& path) {
        return message_of<InputError>([&] { read_keys(path); });
    }

    ScratchFolder folder_;
};

TEST_F(SortingFiles, TextAndRawFilesAreReadAsWritten) {
    const std::vector<Key> keys = {kMost, 0, -1, kLeast, 7};
    for (const std::string name : {"keys.txt", "keys.i32"}) {
        std::ostringstream out;
        write_keys(out, keys, course::sorting::is_raw_name(name));
        EXPECT_EQ(read_keys(folder_.write(name, out.str())), keys) << name;
    }
    EXPECT_EQ(read_keys(folder_.write("a", "1 2\t3\r\n\n# four\n-5 # six\n")),
              (std::vector<Key>{1, 2, 3, -5}));
    EXPECT_EQ(read_keys(folder_.write("b.i32", std::string("\x01\x00\x00\x80", 4))),
              (std::vector<Key>{kLeast + 1}));
}

TEST_F(SortingFiles, ErrorsNameFileAndLine) {
    const auto expect = [this](const std::string& content, const std::string& error) {
        const std::string path = folder_.write("keys.txt", content);
        EXPECT_EQ(error_of(path), path + error);
    };
    expect("1\n2 x\n", ":2: key 'x' is not a number");
    expect("1\n\n2.5\n", ":3: key '2.5' is not an integer");
    expect("2147483648\n", ":1: key '2147483648' is above 2147483647");
    expect("0 -2147483649\n", ":1: key '-2147483649' is below -2147483648");
    expect("", ": holds no data");
    expect("# nothing\n\n", ": holds no data");
    const std::string odd = folder_.write("odd.i32", "12345");
    EXPECT_EQ(error_of(odd), odd + ": 5 bytes are not a whole number of int32 keys");
    const std::string empty = folder_.write("empty.i32", "");
    EXPECT_EQ(error_of(empty), empty + ": holds no data");
    for (const std::string name : {"missing.i32", "missing.txt"}) {
        const std::string path = folder_ / name;
        EXPECT_EQ(error_of(path), path + ": cannot be read: No such file or directory");
    }
    const std::string hole = folder_.write("hole.i32", "");
    std::filesystem::resize_file(hole, std::uintmax_t{1} << 42);
    EXPECT_EQ(error_of(hole), hole + ": its 4398046511104 bytes are more than the free memory");
    const std::string directory = folder_ / "folder.i32";
    std::filesystem::create_directory(directory);
    EXPECT_EQ(error_of(directory), directory + ": is a directory");
}

// --- Verdicts ------------------------------------------------------------------------------------

// Both verifiers must refuse the same outputs: the exact one and the one by fingerprint.
class SortingVerdict : public testing::TestWithParam<std::int64_t> {
  protected:
    static bool passes(const std::vector<Key>& input, const std::vector<Key>& output) {
        const course::Verdict verdict = Verifier(input, GetParam()).verify(output);
        EXPECT_FALSE(verdict.message.empty());
        return verdict.passed;
    }
    std::vector<Key> input_ = keys_of("few-unique", 1000);
    std::vector<Key> output_ = sorted(input_);
};

TEST_P(SortingVerdict, PassesTheRightAnswer) {
    for (const std::string_view name : kInputNames) {
        for (const std::int64_t n : {1, 2, 3, 1000, 10'007}) {
            const std::vector<Key> input = keys_of(name, n);
            EXPECT_TRUE(passes(input, sorted(input))) << name << ' ' << n;
        }
    }
}

TEST_P(SortingVerdict, RefusesZeros) {
    EXPECT_FALSE(passes(input_, std::vector<Key>(1000)));
    EXPECT_FALSE(passes({5}, {0}));
}

TEST_P(SortingVerdict, RefusesTheUnsortedInput) { EXPECT_FALSE(passes(input_, input_)); }

TEST_P(SortingVerdict, RefusesALostKey) {
    EXPECT_FALSE(passes(input_, {output_.begin(), output_.end() - 1}));
    // One key is lost and its neighbour is there twice: still in order, and as many keys as before.
    const auto rise = std::adjacent_find(output_.begin(), output_.end(), std::less<>());
    ASSERT_NE(rise, output_.end());
    *(rise + 1) = *rise;
    EXPECT_FALSE(passes(input_, output_));
}

TEST_P(SortingVerdict, RefusesADoubledKey) {
    std::vector<Key> longer = output_;
    longer.push_back(output_.back());
    EXPECT_FALSE(passes(input_, longer));
    const auto rise = std::adjacent_find(output_.begin(), output_.end(), std::less<>());
    *rise = *(rise + 1);
    EXPECT_FALSE(passes(input_, output_));
}

TEST_P(SortingVerdict, RefusesTwoExchangedKeys) {
    std::swap(output_.front(), output_.back());
    EXPECT_FALSE(passes(input_, output_));
    const std::vector<Key> input = keys_of("permutation", 5000);
    for (const int i : {0, 2499, 4998}) {
        std::vector<Key> output = sorted(input);
        std::swap(output[i], output[i + 1]);
        EXPECT_FALSE(passes(input, output)) << i;
    }
}

TEST_P(SortingVerdict, RefusesAnAlteredLastKey) {
    std::vector<Key> input = {3, 1, 2};
    EXPECT_TRUE(passes(input, {1, 2, 3}));
    EXPECT_FALSE(passes(input, {1, 2, 4}));
    EXPECT_FALSE(passes(input, {1, 2, kMost}));
}

// All copies of one key became another key: an exclusive or would not notice.
TEST_P(SortingVerdict, RefusesEqualKeysThatAllChanged) {
    EXPECT_FALSE(passes(std::vector<Key>(1024, 7), std::vector<Key>(1024, 8)));
    EXPECT_FALSE(passes(std::vector<Key>(1024, 0), std::vector<Key>(1024, kLeast)));
}

INSTANTIATE_TEST_SUITE_P(ExactAndFingerprint, SortingVerdict, testing::Values(1 << 20, 0),
                         [](const auto& parameter) {
                             return parameter.param > 0 ? "Exact" : "Fingerprint";
                         });

TEST(SortingFingerprint, IgnoresOnlyTheOrder) {
    const std::vector<Key> keys = keys_of("uniform", 10'001);
    EXPECT_EQ(fingerprint_of(keys), fingerprint_of(sorted(keys)));
    for (const std::size_t place : {0, 5000, 10'000}) {
        for (int bit = 0; bit < 32; ++bit) {
            std::vector<Key> other = keys;
            other[place] ^= static_cast<Key>(1u << bit);
            const auto a = fingerprint_of(keys), b = fingerprint_of(other);
            EXPECT_NE(a.sums[0], b.sums[0]);
            EXPECT_NE(a.sums[1], b.sums[1]);
        }
    }
}

}  // namespace
