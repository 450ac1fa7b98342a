// SPDX-License-Identifier: MIT
// What a warp does alone in the leaves of stage limit/05: it sorts sub-buckets by the network of
// stage 18, and adds up.
#pragma once

#include <cuda_runtime.h>

#include "device/bitonic.cuh"
#include "device/network_steps.cuh"
#include "device/sample.cuh"
#include "device/wide_access.cuh"
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

// A number that all lanes know already. The compiler sees that they agree, and need not expect that
// the lanes go different ways.
__device__ __forceinline__ int same_in_warp(int number) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    return __reduce_max_sync(0xffffffff, number);
#else
    return number;
#endif
}

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

// The steps of a bitonic merge within a thread, for keys [kBegin, kBegin + kCount).
template <int kBegin, int kCount, int kKeys>
__device__ __forceinline__ void merge_in_thread(Key (&keys)[kKeys]) {
    if constexpr (kCount == 3) {
        order(keys[kBegin], keys[kBegin + 2]);
        order(keys[kBegin], keys[kBegin + 1]);
        order(keys[kBegin + 1], keys[kBegin + 2]);
    } else if constexpr (kCount == 5) {
        constexpr int kPairs[9][2] = {{0, 3}, {1, 4}, {0, 2}, {1, 3}, {0, 1},
                                      {2, 4}, {1, 2}, {3, 4}, {2, 3}};
#pragma unroll
        for (int i = 0; i < 9; ++i) order(keys[kBegin + kPairs[i][0]], keys[kBegin + kPairs[i][1]]);
    } else if constexpr (kCount > 1) {
        constexpr int kHalf = kCount / 2;
#pragma unroll
        for (int i = 0; i < kHalf; ++i) order(keys[kBegin + i], keys[kBegin + kHalf + i]);
        merge_in_thread<kBegin, kHalf>(keys);
        merge_in_thread<kBegin + kHalf, kHalf>(keys);
    }
}

// Merges the sorted keys of `half` lanes with those of as many others.
template <typename AnyExchange, int kKeys>
__device__ __forceinline__ void merge_lanes(Key (&keys)[kKeys], int half) {
    const int lane = threadIdx.x % 32;
    compare_lanes<true, AnyExchange>(keys, 2 * half - 1, lane & half);
#pragma unroll 1
    for (int stride = half / 2; stride > 0; stride /= 2) {
        compare_lanes<false, AnyExchange>(keys, stride, lane & stride);
    }
    merge_in_thread<0, kKeys>(keys);
}

// Sorts the 32 kKeys keys of a warp; kKeys is 5, 2^k or 3 2^k. Lane l then has those from place
// kKeys l on.
template <typename AnyExchange, int kKeys>
__device__ __forceinline__ void sort_warp(Key (&keys)[kKeys]) {
    sort_registers(keys);
#pragma unroll 1
    for (int half = 1; half < 32; half *= 2) merge_lanes<AnyExchange>(keys, half);
}

// A warp sorts up to 32 kKeys keys of shared memory. Their room begins at 16 bytes and is a whole
// number of 16 bytes.
template <int kKeys, typename AnyExchange>
__device__ __forceinline__ void sort_sub_bucket(Key* s_keys, int count, Key* sorted) {
    const int lane = threadIdx.x % 32;
    Key keys[kKeys];
#pragma unroll
    for (int j = 0; j < kKeys; ++j) {
        keys[j] = j * 32 < count - lane ? s_keys[j * 32 + lane] : kLargestKey;
    }
    sort_warp<AnyExchange>(keys);
    __syncwarp();  // all lanes have read s_keys
    Key* s_own = s_keys + lane * kKeys;
    const int own = count - lane * kKeys;
#pragma unroll
    for (int j = 0; j < kKeys; ++j) {
        if constexpr (kKeys % kWide == 0) {
            if (j % kWide == 0 && j < own) store_wide(s_own + j, keys + j);
        } else if constexpr (kKeys % 2 == 0) {
            if (j % 2 > 0 || j >= own) continue;
            *reinterpret_cast<int2*>(s_own + j) = make_int2(keys[j], keys[j + 1]);
        } else {
            if (j < own) s_own[j] = keys[j];
        }
    }
    __syncwarp();  // the keys are in order
    // Read again: otherwise, the compiler would keep the first loop's conditions all the time.
    const int left = __shfl_sync(0xffffffff, count, 0) - lane;
#pragma unroll
    for (int j = 0; j < kKeys; ++j) {
        if (j * 32 < left) sorted[j * 32 + lane] = s_keys[j * 32 + lane];
    }
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
            sort_sub_bucket<3, AnyExchange>(s_bucket, count, to);
        } else if (count <= 32 * 4) {
            sort_sub_bucket<4, AnyExchange>(s_bucket, count, to);
        } else if (count <= 32 * 5) {
            sort_sub_bucket<5, AnyExchange>(s_bucket, count, to);
        } else if (count <= 32 * 6) {
            sort_sub_bucket<6, AnyExchange>(s_bucket, count, to);
        } else if (count <= 32 * 8) {
            sort_sub_bucket<8, AnyExchange>(s_bucket, count, to);
        } else if (count <= 32 * 12) {
            sort_sub_bucket<12, AnyExchange>(s_bucket, count, to);
        } else if (count <= kLongestSubBucket) {
            sort_sub_bucket<16, AnyExchange>(s_bucket, count, to);
        }
    }
    if (!__any_sync(0xffffffff, own > kLongestSubBucket)) return;
    for (int b = 0; b < kSubBuckets; ++b) {
        const int count = __shfl_sync(0xffffffff, own, b);
        if (count <= kLongestSubBucket) continue;  // what is left is sorted by all warps together
        Key* s_bucket = s_keys + __shfl_sync(0xffffffff, room, b);
        Key* to = sorted + __shfl_sync(0xffffffff, place, b);
        sort_by_block(s_bucket, count);
        for (int i = threadIdx.x; i < count; i += kLeafThreads) to[i] = s_bucket[i];
    }
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
        sort_sub_bucket<kLeafSamples / 32, AnyExchange>(s_samples, samples, s_samples);
    }
    __syncwarp();  // the samples are in order
    return samples;
}

}  // namespace quicksort
