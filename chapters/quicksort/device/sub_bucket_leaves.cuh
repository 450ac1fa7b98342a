// SPDX-License-Identifier: MIT
// The leaves of stage 20, for the stages that build on it: each is a sample sort of its own.
// Unchanged from stage 20_sub_buckets.
#pragma once

#include <cuda_runtime.h>

#include "device/bitonic.cuh"
#include "device/multiway.cuh"
#include "device/register_network.cuh"
#include "device/rounds.cuh"
#include "device/warp_sort.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

inline constexpr int kLeafThreads = 384;
inline constexpr int kSplitLeafKeys = kLeafThreads * kKeysPerThread;
inline constexpr int kSubLevels = 5, kSubBuckets = 1 << kSubLevels;  // one for each lane of a warp
inline constexpr int kRoomBytes = (kSplitLeafKeys + kSubBuckets) * static_cast<int>(sizeof(Key));
inline constexpr int kLongestSubBucket = 32 * 16;  // what a warp can sort in registers

// A warp sorts up to 32 kKeys keys of shared memory. Their room has an even size.
template <int kKeys>
__device__ __forceinline__ void sort_sub_bucket(Key* s_keys, int count, Key* sorted) {
    const int lane = threadIdx.x % 32;
    Key keys[kKeys];
#pragma unroll
    for (int j = 0; j < kKeys; ++j) {
        const int i = j * 32 + lane;
        keys[j] = i < count ? s_keys[i] : kLargestKey;
    }
    sort_warp(keys);
    __syncwarp();  // all lanes have read s_keys
#pragma unroll
    for (int j = 0; j < kKeys; j += 2) {
        const int i = lane * kKeys + j;
        if (i < count) *reinterpret_cast<int2*>(s_keys + i) = make_int2(keys[j], keys[j + 1]);
    }
    __syncwarp();  // the keys are in order
    for (int i = lane; i < count; i += 32) sorted[i] = s_keys[i];
}

// Splits the leaf: s_keys gets its sub-buckets. Returns how many keys are in that of the thread's
// lane; its room begins at s_keys + room, and `place` keys are in the sub-buckets before.
__device__ inline int split_leaf(const Key* from, int count, Key* s_keys, int& room, int& place) {
    __shared__ __align__(8) Key s_samples[kLeafThreads];
    __shared__ Key s_tree[kSubBuckets];
    __shared__ int s_counts[kSubBuckets];
    const int thread = threadIdx.x, lane = thread % 32;
    Key keys[kKeysPerThread];
    int places[kKeysPerThread];
#pragma unroll
    for (int j = 0; j < kKeysPerThread; ++j) {
        const int i = j * kLeafThreads + thread;
        keys[j] = i < count ? from[i] : kLargestKey;
    }
    const int samples = min(count, kLeafThreads);
    if (thread < samples) s_samples[thread] = from[thread * count / samples];
    if (thread < kSubBuckets) s_counts[thread] = 0;
    __syncthreads();
    if (thread < 32) {
        sort_sub_bucket<kLeafThreads / 32>(s_samples, samples, s_samples);
        __syncwarp();  // the samples are in order
        // Node 2^l + j of the tree is splitter (2 j + 1) 2^(4 - l), counted from 1; node 0 is none.
        const int level = 31 - __clz(max(lane, 1)), j = lane - (1 << level);
        const int rank = (2 * j + 1) << (kSubLevels - 1 - level);
        if (lane > 0) s_tree[lane] = s_samples[rank * samples / kSubBuckets];
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < kKeysPerThread; ++j) {
        if (j * kLeafThreads + thread - lane >= count) break;  // for the whole warp
        int node = 1;
#pragma unroll
        for (int level = 0; level < kSubLevels; ++level) node = 2 * node + (s_tree[node] < keys[j]);
        node -= kSubBuckets;
        const bool valid = j * kLeafThreads + thread < count;
        places[j] = valid ? atomicAdd(&s_counts[node], 1) * kSubBuckets + node : -1;
    }
    __syncthreads();
    const int own = s_counts[lane];  // each warp adds up the counts for itself
    room = sum_of_lanes_before((own + 1) / 2 * 2);
    place = sum_of_lanes_before(own);
#pragma unroll
    for (int j = 0; j < kKeysPerThread; ++j) {
        if (j * kLeafThreads + thread - lane >= count) break;
        const int begin = __shfl_sync(0xffffffff, room, places[j] % kSubBuckets);
        if (places[j] >= 0) s_keys[begin + places[j] / kSubBuckets] = keys[j];
    }
    __syncthreads();
    return own;
}

// Sorts up to kSplitLeafKeys keys; s_keys has kRoomBytes.
__device__ inline void sort_leaf(const Key* from, int count, Key* s_keys, Key* sorted) {
    int room, place;
    const int own = split_leaf(from, count, s_keys, room, place);
#pragma unroll 1
    for (int b = threadIdx.x / 32; b < kSubBuckets; b += kLeafThreads / 32) {
        const int count = __shfl_sync(0xffffffff, own, b);
        Key* s_bucket = s_keys + __shfl_sync(0xffffffff, room, b);
        Key* to = sorted + __shfl_sync(0xffffffff, place, b);
        if (count <= 32 * 4) {
            sort_sub_bucket<4>(s_bucket, count, to);
        } else if (count <= 32 * 6) {
            sort_sub_bucket<6>(s_bucket, count, to);
        } else if (count <= 32 * 8) {
            sort_sub_bucket<8>(s_bucket, count, to);
        } else if (count <= 32 * 12) {
            sort_sub_bucket<12>(s_bucket, count, to);
        } else if (count <= kLongestSubBucket) {
            sort_sub_bucket<16>(s_bucket, count, to);
        }
    }
    for (int b = 0; b < kSubBuckets; ++b) {
        const int count = __shfl_sync(0xffffffff, own, b);
        if (count <= kLongestSubBucket) continue;  // what is left is sorted by all warps together
        Key* s_bucket = s_keys + __shfl_sync(0xffffffff, room, b);
        Key* to = sorted + __shfl_sync(0xffffffff, place, b);
        sort_by_block(s_bucket, count);
        for (int i = threadIdx.x; i < count; i += kLeafThreads) to[i] = s_bucket[i];
    }
}

}  // namespace quicksort
