// SPDX-License-Identifier: MIT
// The generator of stage limit/04 in the lanes of a vector, for stage peers/cpu_cores:
// w[n] = w[n-20] ^ w[n-51] ^ w[n-60] ^ w[n-89]. A stream begins 10^17 words after the one before.
//
// The recurrence is linear, so x stands for one step: if x^n is the sum of some x^j modulo
// x^89 + x^69 + x^38 + x^29 + 1, then word i + n is the XOR of the words i + j with these j
// (Haramoto and others, "Efficient Jump Ahead for F2-Linear Random Number Generators", 2008).
#pragma once

#include <cmath>
#include <cstdint>

#include "common/input/splitmix64.hpp"

namespace montecarlo {

inline constexpr int kDegree = 89;  // words of a state
inline constexpr int kLanes = 16;
inline constexpr int kDigitBits = 4;  // of a polynomial that one look-up replaces
inline constexpr int kDigits = (kDegree + kDigitBits - 1) / kDigitBits;

// The words of one place in kLanes streams.
struct alignas(64) Row {
    std::uint32_t words[kLanes];
};

// Of stage limit/04: x is the word with a sign, y its lower half.
inline bool is_inside(std::uint32_t word) {
    const auto x = static_cast<float>(static_cast<std::int32_t>(word));
    const auto y = static_cast<float>(static_cast<std::int32_t>(word << 16));
    return std::fmaf(-x, x, std::fmaf(-y, y, 0x1p62f)) > 0.0f;
}

class Streams {
  public:
    explicit Streams(std::uint64_t seed) {
        std::uint32_t words[kWords] = {};
        for (int i = 0; i < kDegree; ++i) {
            words[i] = static_cast<std::uint32_t>(course::next_splitmix64(seed) >> 32);
        }
        for (int i = kDegree; i < 2 * kDegree - 1; ++i) {
            words[i] = words[i - 20] ^ words[i - 51] ^ words[i - 60] ^ words[i - kDegree];
        }
        for (int i = 0; i < kWords - kDigitBits; ++i) {
            for (int value = 0; value < 1 << kDigitBits; ++value) {
                for (int j = 0; j < kDigitBits; ++j) {
                    if (value >> j & 1) sums_[i][value] ^= words[i + j];
                }
            }
        }
    }

    // Writes the states of streams first, first + 1, ...: kDegree rows. The first number of a
    // stream is the next word.
    void start(std::int64_t first, Row* rows) const {
        static const Polynomial kDistance = power(2, 100'000'000'000'000'000u);
        Polynomial position = power(kDistance, static_cast<std::uint64_t>(first));
        for (int lane = 0; lane < kLanes; ++lane) {
            for (int i = 0; i < kDegree; ++i) {
                std::uint32_t word = 0;
                for (int digit = 0; digit < kDigits; ++digit) {
                    const int shift = kDigitBits * digit;
                    word ^= sums_[i + shift][static_cast<int>(position >> shift) & 15];
                }
                rows[i].words[lane] = word;
            }
            position = product(position, kDistance);
        }
    }

  private:
    __extension__ using Polynomial = unsigned __int128;  // bit j is the coefficient of x^j
    static constexpr int kWords = kDegree + kDigits * kDigitBits + kDigitBits;

    static Polynomial product(Polynomial a, Polynomial b) {
        constexpr Polynomial kOne = 1;
        constexpr Polynomial kRest = kOne << 69 | kOne << 38 | kOne << 29 | kOne;
        Polynomial sum = 0;
        for (; b != 0; b >>= 1) {
            if (b & 1) sum ^= a;
            a = a << 1 ^ (a >> (kDegree - 1) & 1 ? kOne << kDegree | kRest : 0);
        }
        return sum;
    }
    static Polynomial power(Polynomial base, std::uint64_t exponent) {
        Polynomial result = 1;
        for (; exponent != 0; exponent >>= 1, base = product(base, base)) {
            if (exponent & 1) result = product(result, base);
        }
        return result;
    }

    // The XOR of the words i + j, for the bits j of a value.
    std::uint32_t sums_[kWords][1 << kDigitBits] = {};
};

}  // namespace montecarlo
