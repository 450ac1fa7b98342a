// SPDX-License-Identifier: MIT
// Where the streams of stage limit/04_four_tap begin, by polynomials over GF(2) modulo its own,
// p = x^89 + x^69 + x^38 + x^29 + 1.
//
// The recurrence is linear, so x stands for one step: if x^n is the sum of some x^j modulo p, then
// word i + n of the sequence is the XOR of its words i + j with these j (Haramoto and others,
// "Efficient Jump Ahead for F2-Linear Random Number Generators", 2008).
//
// All streams are stretches of one sequence with the period 2^89 - 1, kStreamDistance words apart:
// disjoint if none is longer (1e13 points are drawn at most), and if there are at most 6e9.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "03_64bit_counts/block_sum.cuh"
#include "common/input/splitmix64.hpp"

namespace montecarlo {

inline constexpr int kDegree = 89;  // of p, and words of a state
inline constexpr int kBaseWords = 2 * kDegree - 1;  // of which all states are sums
// Not a power of 2. With 2^k, x^(2^k) would be another root of p, and the sequence's relation
// between words would hold between streams: those of threads t, t + 29, t + 38, t + 69 and t + 89
// would have the XOR 0 at every place.
inline constexpr std::uint64_t kStreamDistance = 100'000'000'000'000'000;
// Numbers and polynomials are read in digits of 4 bits: 16 values in a table replace 4 steps.
inline constexpr int kDigitBits = 4;
inline constexpr int kDigitValues = 1 << kDigitBits;
inline constexpr int kDigits = (kDegree + kDigitBits - 1) / kDigitBits;  // of a polynomial

// Bit j is the coefficient of x^j, for j below kDegree.
struct Polynomial {
    unsigned int words[3];
};

// x * a mod p.
__host__ __device__ inline Polynomial times_x(const Polynomial& a) {
    const unsigned int carry = 0u - (a.words[2] >> 24 & 1);  // x^89 = x^69 + x^38 + x^29 + 1
    return {{a.words[0] << 1 ^ (carry & 0x20000001),
             (a.words[1] << 1 | a.words[0] >> 31) ^ (carry & 0x40),
             ((a.words[2] << 1 | a.words[1] >> 31) & 0x1ffffff) ^ (carry & 0x20)}};
}

// sum * x^32 + a * b mod p, where b has the coefficients of x^0 to x^31: the highest comes first.
__host__ __device__ inline Polynomial multiply_add(Polynomial sum, const Polynomial& a,
                                                   unsigned int b) {
    for (int j = 0; j < 32; ++j, b <<= 1) {
        const unsigned int factor = 0u - (b >> 31);
        sum = times_x(sum);
        for (int i = 0; i < 3; ++i) sum.words[i] ^= factor & a.words[i];
    }
    return sum;
}

// a * b mod p.
__host__ __device__ inline Polynomial product(const Polynomial& a, const Polynomial& b) {
    Polynomial sum = {};
    sum = multiply_add(sum, a, b.words[2]);
    sum = multiply_add(sum, a, b.words[1]);
    return multiply_add(sum, a, b.words[0]);
}

// x^exponent mod p, by square and multiply.
inline Polynomial power_of_x(std::uint64_t exponent) {
    Polynomial power = {{1, 0, 0}};
    for (int bit = 63; bit >= 0; --bit) {
        power = product(power, power);
        if (exponent >> bit & 1) power = times_x(power);
    }
    return power;
}

// Element 16 d + v is x^(kStreamDistance * v * 16^d), for each digit d of the streams' numbers.
inline std::vector<Polynomial> stream_jumps(std::int64_t streams) {
    std::vector<Polynomial> jumps;
    Polynomial distance = power_of_x(kStreamDistance);
    for (std::int64_t reached = 1; reached < streams; reached *= kDigitValues) {
        jumps.push_back({{1, 0, 0}});
        for (int v = 1; v < kDigitValues; ++v) jumps.push_back(product(jumps.back(), distance));
        distance = product(jumps.back(), distance);
    }
    return jumps;
}

// Continues the sequence to so many words.
inline void extend(std::vector<unsigned int>& words, std::size_t count) {
    for (std::size_t i = words.size(); i < count; ++i) {
        words.push_back(words[i - 20] ^ words[i - 51] ^ words[i - 60] ^ words[i - kDegree]);
    }
}

// The words that all streams begin from: the upper halves of SplitMix64's numbers, continued by
// the recurrence. `first` words are left out, and then every stream begins so much later.
inline std::vector<unsigned int> base_words_of(std::uint64_t seed, std::uint64_t first = 0) {
    std::vector<unsigned int> words;
    for (int i = 0; i < kDegree; ++i) words.push_back(course::next_splitmix64(seed) >> 32);
    if (first > 0) {
        const Polynomial jump = power_of_x(first);
        extend(words, 2 * kDegree);
        std::vector<unsigned int> later(kDegree);
        for (int i = 0; i < kDegree; ++i) {
            for (int j = 0; j < kDegree; ++j) {
                if (jump.words[j / 32] >> (j % 32) & 1) later[i] ^= words[i + j];
            }
        }
        words = later;
    }
    extend(words, kBaseWords);
    return words;
}

// Writes the state of each thread's stream, which begins kStreamDistance * thread words after the
// first base word. Word i of thread t is states[i * threads + t].
static __global__ void seed_streams_kernel(const unsigned int* __restrict__ base_words,
                                           const Polynomial* __restrict__ jumps,
                                           unsigned int* __restrict__ states) {
    // s_sums[i][v]: the XOR of the base words i + j, for the bits j of v. A row has 16 banks of
    // its own, so lanes that read a row together never wait for each other.
    __shared__ unsigned int s_sums[kBaseWords][kDigitValues];
    for (int entry = threadIdx.x; entry < kBaseWords * kDigitValues; entry += blockDim.x) {
        const int i = entry / kDigitValues, v = entry % kDigitValues;
        unsigned int sum = 0;
        for (int j = 0; j < kDigitBits; ++j) {
            if ((v >> j & 1) && i + j < kBaseWords) sum ^= base_words[i + j];
        }
        s_sums[i][v] = sum;
    }
    __syncthreads();  // every sum must be written before another thread reads it

    const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const std::size_t threads = gridDim.x * blockDim.x;
    Polynomial jump = jumps[thread % kDigitValues];
    for (int d = 1; thread >> (kDigitBits * d) != 0; ++d) {
        const unsigned int v = (thread >> (kDigitBits * d)) % kDigitValues;
        const Polynomial further = jumps[kDigitValues * d + v];
        jump = product(jump, further);
    }
    for (int i = 0; i < kDegree; ++i) {
        unsigned int word = 0;
#pragma unroll
        for (int d = 0; d < kDigits; ++d) {
            const unsigned int bits = jump.words[d / 8] >> (kDigitBits * (d % 8));
            word ^= s_sums[i + kDigitBits * d][bits % kDigitValues];
        }
        states[i * threads + thread] = word;
    }
}

}  // namespace montecarlo
