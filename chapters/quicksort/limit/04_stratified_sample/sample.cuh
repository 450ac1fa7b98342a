// SPDX-License-Identifier: MIT
// The sorted sample of a list: one key at random from each of many equal ranges.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/rounds/rounds.cuh"
#include "limit/01_multiway_partition/multiway.cuh"
#include "limit/03_register_network/register_network.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

inline constexpr int kSamples = kThreads * kKeysPerThread;
// On average; a part half as long again is still a leaf.
inline constexpr int kKeysPerPart = 16384 / sizeof(Key);

// Mixes the bits of `z`: splitmix64's last step (Steele, Lea and Flood 2014).
__device__ inline std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

// The length of each of `samples` equal ranges of `count` places, in 2^-20 of a place.
__device__ inline std::uint64_t sample_range(int samples, std::int64_t count) {
    return (static_cast<std::uint64_t>(count) << 20) / samples;
}

// The place of sample i: at random within the i-th range. No division: 64 bits take 100
// instructions.
__device__ inline std::int64_t sample_place(int i, std::uint64_t range, std::uint64_t seed) {
    const std::uint64_t begin = i * range >> 20, end = (i + 1) * range >> 20;
    const std::uint64_t hash = mix(seed ^ (std::uint64_t{blockIdx.x} << 20 | i));
    return static_cast<std::int64_t>(begin + __umul64hi(hash, end - begin));
}

// Sorts the sample of `count` keys, of which key_at() reads one: sample i is at
// s_samples[padded(i)]. Returns how many there are: no more than every fourth key, so that a key
// which is sampled often is frequent.
template <int kBlock, int kKeys, typename KeyAt>
__device__ __forceinline__ int sort_samples(std::int64_t count, Key* s_samples, std::uint64_t seed,
                                            const KeyAt& key_at) {
    const int thread = threadIdx.x;
    const int samples =
        static_cast<int>(min(max(count / 4, std::int64_t{1}), std::int64_t{kBlock * kKeys}));
    const std::uint64_t range = sample_range(samples, count);
    int used = 32;
    while (used * kKeys < samples) used *= 2;
    Key keys[kKeys];
#pragma unroll
    for (int j = 0; j < kKeys; ++j) {
        const int i = j * used + thread;
        keys[j] = thread < used && i < samples ? key_at(sample_place(i, range, seed)) : kLargestKey;
    }
    sort_block<kBlock>(keys, s_samples, used);
#pragma unroll
    for (int j = 0; j < kKeys; ++j) s_samples[padded(thread * kKeys + j)] = keys[j];
    __syncthreads();
    return samples;
}

// The same for the keys of a list.
template <int kBlock, int kKeys>
__device__ __forceinline__ int sort_samples(const Key* from, const List& list, Key* s_samples,
                                            std::uint64_t seed) {
    return sort_samples<kBlock, kKeys>(
        list.count, s_samples, seed, [&](std::int64_t place) { return from[list.begin + place]; });
}

}  // namespace quicksort
