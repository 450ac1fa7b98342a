// SPDX-License-Identifier: MIT
// The sample of stage 19, for the stages that build on it.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/multiway.cuh"
#include "device/register_network.cuh"
#include "device/rounds.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

inline constexpr int kSamples = kThreads * kKeysPerThread;
inline constexpr int kKeysPerPart = 4096;  // on average; a part half as long again is still a leaf

// Unchanged from stage 19_stratified_sample.
// Mixes the bits of `z`: splitmix64's last step (Steele, Lea and Flood 2014).
__device__ inline std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

// Unchanged from stage 19_stratified_sample.
// The place of sample i: at random within the i-th of `samples` equal ranges of `count` places.
__device__ inline std::int64_t sample_place(int i, int samples, std::int64_t count,
                                            std::uint64_t seed) {
    const std::uint64_t hash = mix(seed ^ (std::uint64_t{blockIdx.x} << 20 | i));
    const std::uint64_t within = __umul64hi(hash, count);  // less than count
    return static_cast<std::int64_t>((i * static_cast<std::uint64_t>(count) + within) / samples);
}

// As in stage 19_stratified_sample, for any block and any number of keys per thread. Sorts the
// sample of a list: sample i is at s_samples[padded(i)]. Returns how many there are: no more than
// every fourth key, so that a key which is sampled often is frequent.
template <int kBlock, int kKeys>
__device__ __forceinline__ int sort_samples(const Key* from, const List& list, Key* s_samples,
                                            std::uint64_t seed) {
    const int thread = threadIdx.x;
    const int samples =
        static_cast<int>(min(max(list.count / 4, std::int64_t{1}), std::int64_t{kBlock * kKeys}));
    int used = 32;
    while (used * kKeys < samples) used *= 2;
    Key keys[kKeys];
#pragma unroll
    for (int j = 0; j < kKeys; ++j) {
        const int i = j * used + thread;
        keys[j] = thread < used && i < samples
                      ? from[list.begin + sample_place(i, samples, list.count, seed)]
                      : kLargestKey;
    }
    sort_block<kBlock>(keys, s_samples, used);
#pragma unroll
    for (int j = 0; j < kKeys; ++j) s_samples[padded(thread * kKeys + j)] = keys[j];
    __syncthreads();
    return samples;
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
