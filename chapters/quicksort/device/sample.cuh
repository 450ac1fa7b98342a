// SPDX-License-Identifier: MIT
// The network of stage limit/03 and the sample of stage limit/04, for the stages that build on
// them.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/multiway.cuh"
#include "device/network_steps.cuh"
#include "device/rounds.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

// As in stage limit/03_register_network.
// How lanes exchange keys. Another stage may have another way.
struct Exchange {
    static __device__ __forceinline__ Key keep(Key key, Key other, bool upper) {
        return quicksort::keep(key, other, upper);
    }
};

// A step of a merge, within a warp: compares each key with one of the lane whose number differs in
// the bits of `mask`. It is in the same register, or, if mirrored, in the same one from the end.
template <bool kMirrored, typename AnyExchange = Exchange, int kKeys>
__device__ __forceinline__ void compare_lanes(Key (&keys)[kKeys], int mask, bool upper) {
#pragma unroll
    for (int j = 0; j < (kKeys + 1) / 2; ++j) {
        const int k = kKeys - 1 - j;  // in the middle of an odd number, j itself
        const Key first = __shfl_xor_sync(0xffffffff, keys[kMirrored ? k : j], mask);
        const Key second = j < k ? __shfl_xor_sync(0xffffffff, keys[kMirrored ? j : k], mask) : 0;
        keys[j] = AnyExchange::keep(keys[j], first, upper);
        if (j < k) keys[k] = AnyExchange::keep(keys[k], second, upper);
    }
}

// Sorts the keys of the first `used` threads: 32, 64, 128 … Thread t then has those from 16 t on.
template <int kBlock, int kKeys>
__device__ __forceinline__ void sort_block(Key (&keys)[kKeys], Key* s_keys, int used) {
    const int thread = threadIdx.x;
    const bool sorts = thread < used;
    if (sorts) sort_registers(keys);
#pragma unroll 1
    for (int half = 1; half < used; half *= 2) {  // merges the keys of `half` threads with the next
        if (half >= 32) {
            compare_warps<kBlock, true>(keys, s_keys, used, 2 * half - 1, thread & half);
        } else if (sorts) {
            compare_lanes<true>(keys, 2 * half - 1, thread & half);
        }
#pragma unroll 1
        for (int stride = half / 2; stride > 0; stride /= 2) {
            if (stride >= 32) {
                compare_warps<kBlock, false>(keys, s_keys, used, stride, thread & stride);
            } else if (sorts) {
                compare_lanes<false>(keys, stride, thread & stride);
            }
        }
        if (sorts) merge_registers(keys);
    }
}

inline constexpr int kSamples = kThreads * kKeysPerThread;
// On average; a part half as long again is still a leaf.
inline constexpr int kKeysPerPart = 16384 / sizeof(Key);

// Unchanged from stage limit/04_stratified_sample.
// Mixes the bits of `z`: splitmix64's last step (Steele, Lea and Flood 2014).
__device__ inline std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

// Unchanged from stage limit/04_stratified_sample.
// The length of each of `samples` equal ranges of `count` places, in 2^-20 of a place.
__device__ inline std::uint64_t sample_range(int samples, std::int64_t count) {
    return (static_cast<std::uint64_t>(count) << 20) / samples;
}

// Unchanged from stage limit/04_stratified_sample.
// The place of sample i: at random within the i-th range. No division: 64 bits take 100
// instructions.
__device__ inline std::int64_t sample_place(int i, std::uint64_t range, std::uint64_t seed) {
    const std::uint64_t begin = i * range >> 20, end = (i + 1) * range >> 20;
    const std::uint64_t hash = mix(seed ^ (std::uint64_t{blockIdx.x} << 20 | i));
    return static_cast<std::int64_t>(begin + __umul64hi(hash, end - begin));
}

// As in stage limit/04_stratified_sample, for any block and any number of keys per thread. Sorts
// the sample of `count` keys, of which key_at() reads one: sample i is at s_samples[padded(i)].
// Returns how many there are: no more than every fourth key, so that a key which is sampled often
// is frequent.
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

// Whether a sorted sample has the key at least `often` times.
__device__ inline bool is_frequent(Key key, const Key* s_samples, int samples, int often) {
    int first = 0;
    for (int end = samples; first < end;) {  // bisection
        const int middle = (first + end) / 2;
        if (s_samples[padded(middle)] < key) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first + often <= samples && s_samples[padded(first + often - 1)] == key;
}

}  // namespace quicksort
