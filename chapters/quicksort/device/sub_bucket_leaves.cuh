// SPDX-License-Identifier: MIT
// The leaves of stage 20, for the stages that build on it: each is a sample sort of its own. As in
// stage 20_sub_buckets, for either search tree.
#pragma once

#include <cuda_runtime.h>

#include "device/multiway.cuh"
#include "device/rounds.cuh"
#include "device/search_trees.cuh"
#include "device/warp_sort.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

// Splits the leaf: s_keys gets its sub-buckets. Returns how many keys are in that of the thread's
// lane; its room begins at s_keys + room, and `place` keys are in the sub-buckets before.
template <typename Tree>
__device__ __forceinline__ int split_leaf(const Key* from, int count, Key* s_keys, int& room,
                                          int& place) {
    __shared__ __align__(16) Key s_samples[kLeafThreads], s_tree[kSubBuckets];
    __shared__ unsigned s_counts[kSubBuckets + kCellsLeftOut];
    const int thread = threadIdx.x, lane = thread % 32;
    Key keys[kKeysPerThread];
    unsigned places[kKeysPerThread];
#pragma unroll
    for (int j = 0; j < kKeysPerThread; ++j) {
        const int i = j * kLeafThreads + thread;
        keys[j] = i < count ? from[i] : kLargestKey;
    }
    if (thread < kSubBuckets + kCellsLeftOut) s_counts[thread] = 0;
    const int samples = sample_leaf(from, count, s_samples);
    if (0 < thread && thread < kSubBuckets) {
        const int splitter = Tree::template splitter_at<kSubLevels>(thread);
        s_tree[thread] = s_samples[splitter * samples / kSubBuckets];
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < kKeysPerThread; j += 4) {
        if (j * kLeafThreads + thread - lane >= count) break;  // for the whole warp
        Tree::template descend<kSubLevels, 4>(s_tree, keys + j, places + j);
        leave_out<kLeafThreads>(j * kLeafThreads + thread, count, kSubBuckets, places + j);
        count_four(s_counts, places + j);
    }
    __syncthreads();
    const unsigned cell = Tree::template cell_of<kSubLevels>(lane);
    const int own = s_counts[cell] / 4;  // each warp adds up the counts for itself
    room = sum_of_lanes_before((own + 3) / 4 * 4);
    place = sum_of_lanes_before(own);
    const int begin = 4 * __shfl_sync(0xffffffff, room, cell);  // of the lane's cell, in bytes
#pragma unroll
    for (int j = 0; j < kKeysPerThread; j += 4) {
        if (j * kLeafThreads + thread - lane >= count) break;
        unsigned bytes[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const unsigned of_key = places[j + k];
            bytes[k] = __shfl_sync(0xffffffff, begin, of_key / 4) + of_key / 65536;
        }
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            if ((j + k) * kLeafThreads + thread < count) word_at(s_keys, bytes[k]) = keys[j + k];
        }
    }
    __syncthreads();
    return own;
}

// Sorts up to kSplitLeafKeys keys; s_keys has kRoomBytes.
template <typename Tree>
__device__ __forceinline__ void sort_leaf(const Key* from, int count, Key* s_keys, Key* sorted) {
    int room, place;
    const int own = split_leaf<Tree>(from, count, s_keys, room, place);
    sort_sub_buckets(own, room, place, s_keys, sorted);
}

static __global__ void __launch_bounds__(kLeafThreads, 3)
    sort_leaves_kernel(const Key* from, Key* sorted, const Leaf* leaves) {
    extern __shared__ __align__(16) Key s_keys[];
    const Leaf leaf = leaves[blockIdx.x];
    if (leaf.constant) return fill_leaf(leaf, sorted);
    sort_leaf<NodeTree>(from + leaf.begin, leaf.count, s_keys, sorted + leaf.begin);
}

}  // namespace quicksort
