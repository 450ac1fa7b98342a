// SPDX-License-Identifier: MIT
// The generators of chapter montecarlo: check values of other implementations, proofs of their
// periods, and what a linear generator must fail.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <cstdint>
#include <numbers>
#include <vector>

#include "common/input/splitmix64.hpp"
#include "problem/method.hpp"
#include "problem/reference.hpp"

namespace {

using montecarlo::Generator, montecarlo::Method, montecarlo::PointTest;
using montecarlo::reference_words;
using Words = std::vector<std::uint32_t>;

// --- Check values --------------------------------------------------------------------------------

// The tests of Random123 (Salmon and others), file kat_vectors.
TEST(Philox, HasTheKnownAnswers) {
    using Four = std::array<std::uint32_t, 4>;
    EXPECT_EQ(montecarlo::philox({0, 0, 0, 0}, 0),
              (Four{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    EXPECT_EQ(montecarlo::philox({~0u, ~0u, ~0u, ~0u}, ~std::uint64_t{0}),
              (Four{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(
        montecarlo::philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822),
        (Four{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// xoroshiro64* as its authors print it, one step at a time.
struct PlainXoroshiro {
    std::uint32_t a, b;
    std::uint32_t next() {
        const std::uint32_t word = a * 0x9e3779bb;
        const std::uint32_t mixed = b ^ a;
        a = std::rotl(a, 26) ^ mixed ^ (mixed << 9);
        b = std::rotl(mixed, 13);
        return word;
    }
};

// The values of the Rust crate rand_xoshiro, which took them from the authors' program.
TEST(Xoroshiro, HasTheKnownAnswers) {
    PlainXoroshiro generator{1, 2};
    for (const std::uint32_t word :
         {2654435771u, 327208753u, 4063491769u, 4259754937u, 261922412u, 168123673u, 552743735u,
          1672597395u, 1031040050u, 2755315674u}) {
        EXPECT_EQ(generator.next(), word);
    }
}

TEST(Xoroshiro, ItsFirstStreamIsThePlainGenerator) {
    for (std::uint64_t seed : {0, 1, 77}) {
        std::uint64_t state = seed;
        const std::uint64_t bits = course::next_splitmix64(state);
        PlainXoroshiro plain{static_cast<std::uint32_t>(bits),
                             static_cast<std::uint32_t>(bits >> 32)};
        for (const std::uint32_t word : reference_words(Generator::kXoroshiro, seed, 0, 1000)) {
            ASSERT_EQ(word, plain.next());
        }
    }
}

// From an implementation in Python with its own polynomials: the first state's ends are known, too,
// because a state is the 89 words before the first.
TEST(FourTap, HasTheKnownAnswers) {
    EXPECT_EQ(reference_words(Generator::kFourTap, 1, 0, 1), Words{0xa1b58961});
    EXPECT_EQ(reference_words(Generator::kFourTap, 1, 1, 1), Words{0x597924e5});
    EXPECT_EQ(reference_words(Generator::kFourTap, 1, 2, 1), Words{0x24c688c2});
    EXPECT_EQ(reference_words(Generator::kFourTap, 1, 3, 1), Words{0x44b7068e});
    const Method method = {.generator = Generator::kFourTap, .test = PointTest::kFloats};
    EXPECT_EQ(montecarlo::count_inside_reference(100'000, 1, 1024, method), 78589u);
    EXPECT_EQ(montecarlo::count_inside_reference(100'000, 2, 1024, method), 78552u);
}

TEST(FourTap, EachWordIsTheSumOfFourBeforeIt) {
    const Words words = reference_words(Generator::kFourTap, 5, 12'345, 2000);
    for (std::size_t n = 89; n < words.size(); ++n) {
        ASSERT_EQ(words[n], words[n - 20] ^ words[n - 51] ^ words[n - 60] ^ words[n - 89]);
    }
}

// --- Periods -------------------------------------------------------------------------------------

// A polynomial over GF(2) modulo p = x^89 + x^69 + x^38 + x^29 + 1, one bool for each coefficient.
using Residue = std::bitset<89>;

Residue times_x(const Residue& a) {
    Residue shifted = a << 1;
    if (a[88]) {
        for (const int j : {0, 29, 38, 69}) shifted.flip(j);
    }
    return shifted;
}

Residue square(const Residue& a) {
    Residue sum, power = a;
    for (int j = 0; j < 89; ++j, power = times_x(power)) {
        if (a[j]) sum ^= power;
    }
    return sum;
}

// p has no root (p(0) = p(1) = 1), and x^(2^89) = x modulo p. So each irreducible factor has a
// degree that divides 89, a prime, and is not 1: p is irreducible. Then the order of x divides
// 2^89 - 1, and it is this number, because this number is prime: the test of Lucas and Lehmer.
TEST(FourTap, ItsPolynomialIsPrimitive) {
    const Residue x = times_x(Residue(1));
    Residue power = x;
    for (int i = 0; i < 89; ++i) power = square(power);
    EXPECT_EQ(power, x);

    __extension__ using Wide = unsigned __int128;
    constexpr Wide kMersenne = (Wide{1} << 89) - 1;
    const auto product = [](Wide a, Wide b) {  // modulo 2^89 - 1, by doubling
        Wide sum = 0;
        for (; b != 0; b >>= 1, a = a * 2 % kMersenne) {
            if (b & 1) sum = (sum + a) % kMersenne;
        }
        return sum;
    };
    Wide lucas = 4;
    for (int i = 0; i < 87; ++i) lucas = (product(lucas, lucas) + kMersenne - 2) % kMersenne;
    EXPECT_TRUE(lucas == 0);
}

// p is the polynomial of every 7th word of Zierler's primitive trinomial x^89 + x^38 + 1.
TEST(FourTap, IsASeventhOfATrinomial) {
    std::uint64_t seed = 9;
    Words words;
    for (int i = 0; i < 89; ++i) words.push_back(course::next_splitmix64(seed) >> 32);
    for (int i = 89; i < 7000; ++i) words.push_back(words[i - 51] ^ words[i - 89]);
    for (std::size_t n = 7 * 89; n < words.size(); n += 7) {
        ASSERT_EQ(words[n],
                  words[n - 7 * 20] ^ words[n - 7 * 51] ^ words[n - 7 * 60] ^ words[n - 7 * 89]);
    }
}

// A map of the 64 bits of xoroshiro's state: element c is the image of bit c.
using Map = std::array<std::uint64_t, 64>;

std::uint64_t image(const Map& map, std::uint64_t state) {
    std::uint64_t sum = 0;
    for (; state != 0; state &= state - 1) sum ^= map[std::countr_zero(state)];
    return sum;
}

Map power_of(Map map, std::uint64_t exponent) {
    Map result;
    for (int c = 0; c < 64; ++c) result[c] = std::uint64_t{1} << c;
    for (; exponent != 0; exponent >>= 1) {
        Map square{};
        for (int c = 0; c < 64; ++c) {
            if (exponent & 1) result[c] = image(map, result[c]);
            square[c] = image(map, map[c]);
        }
        map = square;
    }
    return result;
}

Map xoroshiro_step() {
    Map step;
    for (int c = 0; c < 64; ++c) {
        PlainXoroshiro generator{c < 32 ? 1u << c : 0, c < 32 ? 0 : 1u << (c - 32)};
        generator.next();
        step[c] = std::uint64_t{generator.b} << 32 | generator.a;
    }
    return step;
}

// The order of the step is 2^64 - 1, so all states but 0 are one cycle.
TEST(Xoroshiro, HasTheFullPeriod) {
    constexpr std::uint64_t kPeriod = ~std::uint64_t{0};
    const Map step = xoroshiro_step(), identity = power_of(step, 0);
    EXPECT_EQ(power_of(step, kPeriod), identity);
    std::uint64_t product = 1;
    for (const std::uint64_t prime : {3, 5, 17, 257, 641, 65537, 6700417}) {
        EXPECT_NE(power_of(step, kPeriod / prime), identity) << prime;
        product *= prime;
    }
    EXPECT_EQ(product, kPeriod);  // these are all primes of the period
}

// So streams are stretches of one cycle, 10^12 steps apart: disjoint if they are not longer and
// their number is below (2^64 - 1) / 10^12.
TEST(Xoroshiro, ItsStreamsBeginWhereTheyShould) {
    std::uint64_t seed = 3;
    const std::uint64_t first = course::next_splitmix64(seed);
    for (const std::uint64_t stream : {1u, 2u, 1000u, 18'446'743u}) {
        const std::uint64_t state =
            image(power_of(xoroshiro_step(), stream * 1'000'000'000'000), first);
        PlainXoroshiro plain{static_cast<std::uint32_t>(state),
                             static_cast<std::uint32_t>(state >> 32)};
        for (const std::uint32_t word : reference_words(Generator::kXoroshiro, 3, stream, 10)) {
            EXPECT_EQ(word, plain.next());
        }
    }
}

// The first `count` words of `streams` streams whose beginnings are x^jump apart.
std::vector<Words> streams_apart(const Residue& jump, int streams, int count) {
    std::uint64_t seed = 1;
    Words base;
    for (int i = 0; i < 89; ++i) base.push_back(course::next_splitmix64(seed) >> 32);
    for (int i = 89; i < 89 + count; ++i) {
        base.push_back(base[i - 20] ^ base[i - 51] ^ base[i - 60] ^ base[i - 89]);
    }
    std::vector<Words> found;
    Residue begin(1);
    for (int t = 0; t < streams; ++t) {
        Words words(count, 0);
        for (int i = 0; i < count; ++i) {
            for (int j = 0; j < 89; ++j) {
                if (begin[j]) words[i] ^= base[i + j];
            }
        }
        found.push_back(words);
        Residue next, shifted = begin;  // begin * jump
        for (int j = 0; j < 89; ++j, shifted = times_x(shifted)) {
            if (jump[j]) next ^= shifted;
        }
        begin = next;
    }
    return found;
}

// How often the words at one place of streams 0, 29, 38, 69 and 89 have the XOR 0.
int count_relations(const std::vector<Words>& streams) {
    int zeros = 0;
    for (std::size_t i = 0; i < streams[0].size(); ++i) {
        zeros += (streams[0][i] ^ streams[29][i] ^ streams[38][i] ^ streams[69][i] ^
                  streams[89][i]) == 0;
    }
    return zeros;
}

Residue power_of_x(std::uint64_t exponent) {
    Residue power(1);
    for (int bit = 63; bit >= 0; --bit) {
        power = square(power);
        if (exponent >> bit & 1) power = times_x(power);
    }
    return power;
}

// Words at one place of all streams are a sequence, too: that of alpha^J, where alpha is a root of
// p and J the distance of streams. If J is 2^k, alpha^J is a root of p as well, so the relation
// between words holds between streams at every place, although the streams are disjoint.
TEST(FourTap, ADistanceOf2ToThe56WouldRelateTheStreams) {
    EXPECT_EQ(count_relations(streams_apart(power_of_x(std::uint64_t{1} << 56), 90, 311)), 311);
}

TEST(FourTap, NoShortRelationHoldsBetweenStreams) {
    std::vector<Words> streams;
    for (int t = 0; t < 90; ++t) streams.push_back(reference_words(Generator::kFourTap, 1, t, 311));
    EXPECT_EQ(count_relations(streams), 0);
    // The streams are 10^17 words apart: their first drawn word is the 90th.
    const auto apart = streams_apart(power_of_x(100'000'000'000'000'000), 90, 89 + 10);
    for (int t = 0; t < 90; ++t) {
        for (int i = 0; i < 10; ++i) EXPECT_EQ(apart[t][89 + i], streams[t][i]);
    }
}

// --- Ranks ---------------------------------------------------------------------------------------

// The rank over GF(2) of rows of kColumns bits.
template <std::size_t kColumns>
int rank_of(std::vector<std::bitset<kColumns>> rows) {
    int rank = 0;
    for (std::size_t column = 0; column < kColumns; ++column) {
        const auto pivot = std::find_if(rows.begin() + rank, rows.end(),
                                        [&](const auto& row) { return row[column]; });
        if (pivot == rows.end()) continue;
        std::iter_swap(pivot, rows.begin() + rank);
        for (auto row = rows.begin() + rank + 1; row != rows.end(); ++row) {
            if ((*row)[column]) *row ^= rows[rank];
        }
        ++rank;
    }
    return rank;
}

// Two words in a row take all 2^64 values equally often if these 64 sequences of bits are
// independent: those of the 32 bits of a word and of the word after it.
TEST(FourTap, PairsOfWordsAreEquallyDistributed) {
    for (std::uint64_t seed = 1; seed <= 64; ++seed) {
        const Words words = reference_words(Generator::kFourTap, seed, 0, 90);
        std::vector<std::bitset<89>> rows(64);
        for (int n = 0; n < 89; ++n) {
            for (int bit = 0; bit < 32; ++bit) {
                rows[bit][n] = words[n] >> bit & 1;
                rows[32 + bit][n] = words[n + 1] >> bit & 1;
            }
        }
        EXPECT_EQ(rank_of(rows), 64) << seed;
    }
}

// One bit of consecutive words fills a matrix of 256 x 256, as in tests of matrix rank. That of
// random bits has a rank below 250 once in 10^11 times.
int rank_of_bit(Generator generator, int bit) {
    const Words words = reference_words(generator, 1, 0, 256 * 256);
    std::vector<std::bitset<256>> rows(256);
    for (std::size_t i = 0; i < words.size(); ++i) rows[i / 256][i % 256] = words[i] >> bit & 1;
    return rank_of(rows);
}

// Where a sequence of bits is linear, its rank is no larger than the state: a test with more rows
// than that must fail. This is the price of few instructions.
TEST(Ranks, LinearGeneratorsFailAboveTheirState) {
    for (const int bit : {0, 13, 31}) EXPECT_EQ(rank_of_bit(Generator::kFourTap, bit), 89) << bit;
    // The product's lowest bit is that of the state. Higher ones are sums with carries.
    EXPECT_EQ(rank_of_bit(Generator::kXoroshiro, 0), 64);
    EXPECT_GE(rank_of_bit(Generator::kXoroshiro, 31), 250);
    // XORWOW's lowest bit: 160 bits of state, and one of the counter, which alternates.
    EXPECT_LE(rank_of_bit(Generator::kXorwow, 0), 162);
    EXPECT_GE(rank_of_bit(Generator::kXorwow, 31), 250);
    for (const int bit : {0, 31}) EXPECT_GE(rank_of_bit(Generator::kCurandPhilox, bit), 250);
}

// --- The tests of points -------------------------------------------------------------------------

double bias_of_share(long double share) {
    return static_cast<double>(4 * share - std::numbers::pi_v<long double>);
}

// A rule is inside for all |x| up to a bound, if y is given.
TEST(Biases, AreThoseOfAllWords) {
    for (const PointTest test : {PointTest::kIntegers, PointTest::kFloats}) {
        std::uint64_t inside = 0;
        for (std::uint32_t y = 0; y < 65536; ++y) {
            const auto inside_at = [&](std::int32_t x) {
                return montecarlo::is_word_inside(static_cast<std::uint32_t>(x) << 16 | y, test);
            };
            // By bisection: the first x that is inside, and the first after it that is not.
            std::int32_t first = -32768, last = 0;
            for (std::int32_t low = -32769; last - low > 1;) {
                const std::int32_t middle = (low + last) / 2 - (low + last < 0 && (low + last) % 2);
                (inside_at(middle) ? last : low) = middle;
            }
            first = last;
            if (!inside_at(first)) continue;
            std::int32_t end = 32768;
            for (std::int32_t low = 0; end - low > 1;) {
                const std::int32_t middle = (low + end) / 2;
                (inside_at(middle) ? low : end) = middle;
            }
            inside += end - first;
        }
        EXPECT_DOUBLE_EQ(bias_of_share(inside * 0x1p-32L), montecarlo::bias_of(test));
    }
}

// Long: all pairs of words. For each float that y can be, the x that are inside are those below a
// bound, which falls as y grows.
TEST(Biases, DISABLED_OfTwoFloatsIsThatOfAllPairs) {
    constexpr std::uint64_t kWords = std::uint64_t{1} << 32;
    const auto inside_at = [](std::uint64_t x, std::uint64_t y) {
        return montecarlo::is_inside(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y));
    };
    std::uint64_t inside = 0, bound = kWords;
    for (std::uint64_t y = 0; y < kWords;) {
        // Words from 2^(24 + e) on give the same float in groups of at most 2^e + 1.
        const auto value = [](std::uint64_t word) {
            return static_cast<float>(static_cast<std::uint32_t>(word)) * 0x1p-32f + 0x1p-33f;
        };
        const auto end_of_group = [&](std::uint64_t word) {
            std::uint64_t end = word + 1;
            while (end < kWords && value(end) == value(word)) ++end;
            return end;
        };
        const std::uint64_t end = end_of_group(y);
        while (bound > 0 && !inside_at(bound - 1, y)) --bound;
        inside += (end - y) * bound;
        y = end;
    }
    EXPECT_DOUBLE_EQ(bias_of_share(inside * 0x1p-64L), montecarlo::bias_of(PointTest::kTwoFloats));
}

}  // namespace
