// SPDX-License-Identifier: MIT
// How a stage draws a point: its generator, and the test that makes a point of the numbers.
#pragma once

#include <cstdint>
#include <string_view>

namespace montecarlo {

// Generator g of a run, where each of its streams begins, and which numbers it gives.
enum class Generator {
    // Marsaglia, "Xorshift RNGs", 2003, seeded as cuRAND does it. Stream g is cuRAND's subsequence
    // g, 2^67 g numbers after the first.
    kXorwow,
    // xoroshiro64*: Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2021.
    // The first state is SplitMix64's first output that is not 0. Stream g begins 10^12 g steps
    // after it.
    kXoroshiro,
    // w[n] = w[n-20] ^ w[n-51] ^ w[n-60] ^ w[n-89]: Ziff, "Four-tap shift-register-sequence
    // random-number generators", Computers in Physics 12, 1998. The first 89 words are the upper
    // halves of SplitMix64's outputs. Stream g begins with word 10^17 g; its first number is 89
    // words later.
    kFourTap,
    // cuRAND's host API: 4096 subsequences of XORWOW give one number each in turn.
    kCurandXorwow,
    // The same for Philox4x32-10 (Salmon and others, "Parallel random numbers: as easy as 1, 2, 3",
    // 2011): 65536 subsequences give four numbers each in turn.
    kCurandPhilox,
};

// What makes a point of random words.
enum class PointTest {
    // Two words. Each is a float (k + 1/2) / 2^32, rounded: inside if fmaf(x, x, y * y) < 1.
    kTwoFloats,
    // One word. x and y are its halves, as 16-bit integers with a sign: inside if x^2 + x + y^2 is
    // below 2^30. So x stands for the middle of its cell, and y for its edge.
    kIntegers,
    // One word. x is the whole word with a sign, y its lower half times 2^16, both as floats:
    // inside if fmaf(-x, x, fmaf(-y, y, 2^62)) > 0.
    kFloats,
};

std::string_view name_of(Generator generator);
std::string_view name_of(PointTest test);

// Random words that a point takes.
constexpr int words_per_point(PointTest test) { return test == PointTest::kTwoFloats ? 2 : 1; }

// 4 p - pi, where p is the share of all possible words (or pairs of words) whose point is inside:
// what the estimate tends to miss pi by. Exact, but for the rounding of this double.
double bias_of(PointTest test);

// With this many points, the bias of a test of one word would be at most 0.8 standard errors.
// Above it, the stages that use such a test refuse to run.
inline constexpr std::int64_t kMaxWordSamples = 10'000'000'000'000;

struct Method {
    Generator generator = Generator::kXorwow;
    PointTest test = PointTest::kTwoFloats;
    int bytes_per_generator = 0;  // of device memory, while the points are drawn

    // The least work per point, for the check against the device's limits.
    constexpr double operations_per_point() const {
        // Per word. XORWOW: three shifts, four xors, an addition, and the Weyl addition; the moves
        // cost nothing. xoroshiro64*: a product, two xors for a, one for b, two rotations and a
        // shift. Four taps: three xors. Philox: ten rounds of four products, four xors and two
        // additions give four words.
        constexpr double kXorwow = 9, kXoroshiro = 7, kFourTap = 3, kPhilox = 25;
        const double per_word = generator == Generator::kXoroshiro      ? kXoroshiro
                                : generator == Generator::kFourTap      ? kFourTap
                                : generator == Generator::kCurandPhilox ? kPhilox
                                                                        : kXorwow;
        // Two floats: a multiply-add each, then a product, a multiply-add and a comparison. Of a
        // word: two shifts or conversions, two multiply-adds, and up to two steps to count.
        const double per_test = test == PointTest::kTwoFloats ? 2 * 2 + 1 + 2 + 1 : 8;
        return words_per_point(test) * per_word + per_test;
    }
};

}  // namespace montecarlo
