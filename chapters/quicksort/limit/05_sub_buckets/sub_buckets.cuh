// SPDX-License-Identifier: MIT
// What the leaves of stage limit/05 are made of, besides their split: a sample, and sub-buckets of
// which each warp sorts some.
#pragma once

#include <cuda_runtime.h>

#include "blocks/networks/long_buckets.cuh"
#include "blocks/networks/warp_sort.cuh"
#include "limit/01_multiway_partition/multiway.cuh"
#include "limit/03_register_network/register_network.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

inline constexpr int kLeafThreads = 384;
inline constexpr int kSplitLeafKeys = kLeafThreads * kKeysPerThread;
inline constexpr int kSubLevels = 5, kSubBuckets = 1 << kSubLevels;  // one for each lane of a warp
// The room of a sub-bucket begins at 16 bytes.
inline constexpr int kRoomKeys = kSplitLeafKeys + 3 * kSubBuckets;
inline constexpr int kRoomBytes = kRoomKeys * static_cast<int>(sizeof(Key));
inline constexpr int kLeafSamples = 256;
inline constexpr int kLongestSubBucket = 32 * 16;  // what a warp can sort in registers

// The sum of `value` over the lanes before this one.
__device__ __forceinline__ int sum_of_lanes_before(int value) {
    const int lane = threadIdx.x % 32;
    int sum = value;
    for (int distance = 1; distance < 32; distance *= 2) {
        const int other = __shfl_up_sync(0xffffffff, sum, distance);
        if (lane >= distance) sum += other;
    }
    return sum - value;
}

// Sorts the sub-buckets of a leaf, which lie in s_keys. Lane b knows that of number b: how many
// keys it `owns`, where its room begins, and how many keys are in those before.
template <typename AnyExchange = Exchange>
__device__ __forceinline__ void sort_sub_buckets(int own, int room, int place, Key* s_keys,
                                                 Key* sorted) {
#pragma unroll 1
    for (int b = same_in_warp(threadIdx.x / 32); b < kSubBuckets; b += kLeafThreads / 32) {
        const int count = same_in_warp(__shfl_sync(0xffffffff, own, b));
        Key* s_bucket = s_keys + __shfl_sync(0xffffffff, room, b);
        Key* to = sorted + __shfl_sync(0xffffffff, place, b);
        if (count <= 32 * 3) {
            sort_by_warp<3, AnyExchange>(s_bucket, count, to);
        } else if (count <= 32 * 4) {
            sort_by_warp<4, AnyExchange>(s_bucket, count, to);
        } else if (count <= 32 * 5) {
            sort_by_warp<5, AnyExchange>(s_bucket, count, to);
        } else if (count <= 32 * 6) {
            sort_by_warp<6, AnyExchange>(s_bucket, count, to);
        } else if (count <= 32 * 8) {
            sort_by_warp<8, AnyExchange>(s_bucket, count, to);
        } else if (count <= 32 * 12) {
            sort_by_warp<12, AnyExchange>(s_bucket, count, to);
        } else if (count <= kLongestSubBucket) {
            sort_by_warp<16, AnyExchange>(s_bucket, count, to);
        }
    }
    if (!__any_sync(0xffffffff, own > kLongestSubBucket)) return;
    sort_long_buckets<kLeafThreads, kLongestSubBucket, AnyExchange>(own, room, place, s_keys,
                                                                    sorted);
}

// Samples every few keys of a leaf. The first warp sorts the sample, and only this warp may read it
// before a barrier. Returns how many keys it has: no more than threads.
template <typename AnyExchange = Exchange>
__device__ __forceinline__ int sample_leaf(const Key* from, int count, Key* s_samples) {
    const int thread = threadIdx.x, samples = min(count, kLeafSamples);
    if (thread < samples) {
        s_samples[thread] = from[count < kLeafSamples ? thread : thread * count / kLeafSamples];
    }
    __syncthreads();
    if (same_in_warp(thread / 32) == 0) {
        sort_by_warp<kLeafSamples / 32, AnyExchange>(s_samples, samples, s_samples);
    }
    __syncwarp();  // the samples are in order
    return samples;
}

}  // namespace quicksort
