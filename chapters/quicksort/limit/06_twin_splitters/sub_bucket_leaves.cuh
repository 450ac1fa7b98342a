// SPDX-License-Identifier: MIT
// Leaves that are a sample sort of their own, as in stage limit/05, for any search tree and any
// exchange of lanes. A thread reads four neighbours at once, and looks up in shared memory where a
// sub-bucket begins.
#pragma once

#include <cuda_runtime.h>

#include "blocks/networks/wide_access.cuh"
#include "blocks/rounds/rounds.cuh"
#include "limit/01_multiway_partition/multiway.cuh"
#include "limit/03_register_network/register_network.cuh"
#include "limit/05_sub_buckets/search_tree.cuh"
#include "limit/05_sub_buckets/sub_buckets.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

// What the threads of a leaf share, besides its keys.
struct LeafMemory {
    Key samples[kLeafSamples];
    Key tree[kSubBuckets];
    unsigned counts[kSubBuckets + kCellsLeftOut];
    int begins[kLeafThreads / 32][kSubBuckets];  // each warp has its own, and waits for no other
};

// Builds the tree from a sample, and clears the counts.
template <typename Tree, typename AnyExchange>
__device__ __forceinline__ void grow_leaf_tree(const Key* from, int count, LeafMemory& s_memory) {
    const int thread = threadIdx.x;
    if (thread < kSubBuckets + kCellsLeftOut) s_memory.counts[thread] = 0;
    const int samples = sample_leaf<AnyExchange>(from, count, s_memory.samples);
    if (0 < thread && thread < kSubBuckets) {
        const int splitter = Tree::template splitter_at<kSubLevels>(thread);
        s_memory.tree[thread] = s_memory.samples[splitter * samples / kSubBuckets];
    }
    __syncthreads();
}

// Where the sub-buckets go. Each warp adds up the counts for itself: a lane knows that of its
// number. It owns so many keys; their room begins at s_keys + room, and `place` keys are in the
// sub-buckets before.
struct SubBucket {
    int own, room, place;
};

template <typename Tree>
__device__ __forceinline__ SubBucket place_sub_buckets(LeafMemory& s_memory) {
    const int lane = threadIdx.x % 32;
    const unsigned cell = Tree::template cell_of<kSubLevels>(lane);
    const int own = s_memory.counts[cell] / 4;
    // Both sums at once: a leaf and its rooms have fewer than 65536 keys.
    const int sums = sum_of_lanes_before((own + 3) / 4 * 4 * 65536 + own);
    const int room = sums / 65536;
    s_memory.begins[threadIdx.x / 32][cell] = 4 * room;
    __syncwarp();
    return {own, room, sums % 65536};
}

// Reads the keys of a leaf that fits into the registers of a block: four neighbours at once, which
// lie at 16 bytes if kAligned. Keys behind the end are the largest.
template <bool kAligned>
__device__ __forceinline__ void load_leaf(const Key* from, int count, Key (&keys)[kKeysPerThread]) {
#pragma unroll
    for (int j = 0; j < kKeysPerThread; j += 4) {
        const int i = j * kLeafThreads + 4 * static_cast<int>(threadIdx.x);
        if (kAligned && i + 4 <= count) {
            load_four(from + i, keys + j);
        } else {
#pragma unroll
            for (int k = 0; k < 4; ++k) keys[j + k] = i + k < count ? from[i + k] : kLargestKey;
        }
    }
}

// Splits the leaf: s_keys gets its sub-buckets.
template <typename Tree, typename AnyExchange, bool kAligned>
__device__ __forceinline__ SubBucket split_leaf(const Key* from, int count, Key* s_keys,
                                                LeafMemory& s_memory) {
    const int first = 4 * static_cast<int>(threadIdx.x), of_warp = first - first % 128;
    Key keys[kKeysPerThread];
    unsigned places[kKeysPerThread];
    load_leaf<kAligned>(from, count, keys);
    grow_leaf_tree<Tree, AnyExchange>(from, count, s_memory);
#pragma unroll
    for (int j = 0; j < kKeysPerThread; j += 4) {
        if (j * kLeafThreads + of_warp >= count) break;  // for the whole warp
        Tree::template descend<kSubLevels, 4>(s_memory.tree, keys + j, places + j);
        leave_out<1>(j * kLeafThreads + first, count, kSubBuckets, places + j);
        Tree::count(s_memory.counts, places + j);
    }
    __syncthreads();
    const SubBucket bucket = place_sub_buckets<Tree>(s_memory);
    int* s_begins = s_memory.begins[threadIdx.x / 32];
#pragma unroll
    for (int j = 0; j < kKeysPerThread; j += 4) {
        const int i = j * kLeafThreads + first;
        if (i >= count) break;
        unsigned bytes[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const unsigned cell = places[j + k] % 65536;
            bytes[k] = word_at(s_begins, cell % (4 * kSubBuckets)) + places[j + k] / 65536;
        }
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            if (i + k < count) key_at(s_keys, bytes[k]) = keys[j + k];
        }
    }
    __syncthreads();
    return bucket;
}

// Sorts up to kSplitLeafKeys keys; s_keys has kRoomBytes.
template <typename Tree, typename AnyExchange, bool kAligned>
__device__ __forceinline__ void sort_leaf(const Key* from, int count, Key* s_keys, Key* sorted) {
    __shared__ __align__(16) LeafMemory s_memory;
    const auto [own, room, place] =
        split_leaf<Tree, AnyExchange, kAligned>(from, count, s_keys, s_memory);
    sort_sub_buckets<AnyExchange>(own, room, place, s_keys, sorted);
}

static __global__ void __launch_bounds__(kLeafThreads, 3)
    sort_leaves_kernel(const Key* from, Key* sorted, const Leaf* leaves) {
    extern __shared__ __align__(16) Key s_keys[];
    const Leaf leaf = leaves[blockIdx.x];
    if (leaf.constant) return fill_leaf(leaf, sorted);
    sort_leaf<NodeTree, Exchange, false>(from + leaf.begin, static_cast<int>(leaf.count), s_keys,
                                         sorted + leaf.begin);
}

}  // namespace quicksort
