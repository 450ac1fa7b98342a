// SPDX-License-Identifier: MIT
// Where the streams of stage 09_four_tap begin, by polynomials over GF(2) modulo its own,
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

#include "common/input/splitmix64.hpp"
#include "device/block_sum.cuh"

namespace montecarlo {

inline constexpr int kDegree = 89;  // of p, and words of a state
inline constexpr int kBaseWords = 2 * kDegree - 1;  // of which all states are sums
// Not a power of 2. With 2^k, x^(2^k) would be another root of p, and the sequence's relation
// between words would hold between streams: those of threads t, t + 29, t + 38, t + 69 and t + 89
// would have the XOR 0 at every place.
inline constexpr std::uint64_t kStreamDistance = 100'000'000'000'000'000;
inline constexpr int kJumps = 29;  // a thread's number has at most 29 bits

// Bit j is the coefficient of x^j, for j below kDegree.
struct Polynomial {
    unsigned int words[3];
};

// 1 or 0. `j` is below 96.
__host__ __device__ inline unsigned int coefficient(const Polynomial& a, int j) {
    return a.words[j / 32] >> (j % 32) & 1;
}

// x * a mod p.
__host__ __device__ inline Polynomial times_x(const Polynomial& a) {
    const unsigned int carry = 0u - coefficient(a, kDegree - 1);  // x^89 = x^69 + x^38 + x^29 + 1
    return {{a.words[0] << 1 ^ (carry & 0x20000001),
             (a.words[1] << 1 | a.words[0] >> 31) ^ (carry & 0x40),
             ((a.words[2] << 1 | a.words[1] >> 31) & 0x1ffffff) ^ (carry & 0x20)}};
}

// a * b mod p.
__host__ __device__ inline Polynomial product(Polynomial a, Polynomial b) {
    Polynomial result = {};
    for (int j = kDegree - 1; j >= 0; --j) {
        const unsigned int factor = 0u - coefficient(b, j);
        result = times_x(result);
        for (int i = 0; i < 3; ++i) result.words[i] ^= factor & a.words[i];
    }
    return result;
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

// The words that all streams begin from: the upper halves of SplitMix64's numbers, continued by
// the recurrence.
inline std::vector<unsigned int> base_words_of(std::uint64_t seed) {
    std::vector<unsigned int> words;
    for (int i = 0; i < kDegree; ++i) words.push_back(course::next_splitmix64(seed) >> 32);
    for (int i = kDegree; i < kBaseWords; ++i) {
        words.push_back(words[i - 20] ^ words[i - 51] ^ words[i - 60] ^ words[i - kDegree]);
    }
    return words;
}

// Element e is x^(kStreamDistance * 2^e).
inline std::vector<Polynomial> stream_jumps() {
    std::vector<Polynomial> jumps = {power_of_x(kStreamDistance)};
    while (jumps.size() < kJumps) jumps.push_back(product(jumps.back(), jumps.back()));
    return jumps;
}

// Writes the state of each thread's stream, which begins kStreamDistance * thread words after the
// first base word. Word i of thread t is states[i * threads + t].
static __global__ void seed_streams_kernel(const unsigned int* __restrict__ base_words,
                                           const Polynomial* __restrict__ jumps,
                                           unsigned int* __restrict__ states) {
    __shared__ unsigned int s_base_words[kBaseWords];
    for (int i = threadIdx.x; i < kBaseWords; i += kBlockSize) s_base_words[i] = base_words[i];
    __syncthreads();  // every base word must be written before another thread reads it
    const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const std::size_t threads = gridDim.x * blockDim.x;
    Polynomial jump = {{1, 0, 0}};
    for (int e = 0; thread >> e != 0; ++e) {
        if (thread >> e & 1) jump = product(jump, jumps[e]);
    }
    for (int i = 0; i < kDegree; ++i) {
        unsigned int word = 0;
#pragma unroll
        for (int j = 0; j < kDegree; ++j) {
            word ^= s_base_words[i + j] & (0u - coefficient(jump, j));
        }
        states[i * threads + thread] = word;
    }
}

}  // namespace montecarlo
