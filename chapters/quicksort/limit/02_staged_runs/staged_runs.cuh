// SPDX-License-Identifier: MIT
// Two passes that classify a tile by a search tree; the second one stores it run by run.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/rounds/rounds.cuh"
#include "limit/01_multiway_partition/multiway.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

// Node i of the tree has the children 2 i and 2 i + 1; the root is node 1. Returns the node of the
// splitter with this index.
template <int kLevels>
__device__ __forceinline__ int node_of(int index) {
    const int below = __ffs(index + 1) - 1;  // levels below the node
    return (1 << (kLevels - 1 - below)) + ((index + 1) >> (below + 1));
}

// Reads the keys of the block's tile, kKeys per thread, waits until the block has written the tree,
// and takes each key down to a leaf. buckets: the numbers of splitters that are less than the keys.
template <int kLevels, int kKeys>
__device__ __forceinline__ void descend_tile(const Key* from, const Tile& tile, const Key* s_tree,
                                             Key (&keys)[kKeys], int (&buckets)[kKeys]) {
#pragma unroll
    for (int j = 0; j < kKeys; ++j) {
        const int i = j * kThreads + static_cast<int>(threadIdx.x);
        keys[j] = i < tile.count ? from[tile.begin + i] : kLargestKey;
        buckets[j] = 1;  // the root
    }
    __syncthreads();
#pragma unroll
    for (int level = 0; level < kLevels; ++level) {
#pragma unroll
        for (int j = 0; j < kKeys; ++j) {
            buckets[j] = 2 * buckets[j] + (s_tree[buckets[j]] < keys[j]);
        }
    }
#pragma unroll
    for (int j = 0; j < kKeys; ++j) buckets[j] -= 1 << kLevels;
}

// Reads and ranks the keys of the block's tile. part_of(key, less, s_splitters) is the part of a
// key that is larger than `less` splitters. A key's rank is the number of keys that the block
// counted in its part before.
template <int kLevels, int kKeys, typename PartOf>
__device__ __forceinline__ void rank_tile(const Key* from, const Tile& tile, const Key* splitters,
                                          Key (&keys)[kKeys], int (&parts)[kKeys],
                                          unsigned (&ranks)[kKeys], unsigned* s_counts, int counts,
                                          PartOf part_of) {
    constexpr int kNodes = 1 << kLevels;
    __shared__ Key s_splitters[kNodes], s_tree[kNodes];
    const int thread = threadIdx.x;
    if (thread < kNodes) {
        s_splitters[thread] = splitters[tile.slot * kNodes + thread];
        if (thread < kNodes - 1) s_tree[node_of<kLevels>(thread)] = s_splitters[thread];
    }
    if (thread < counts) s_counts[thread] = 0;
    descend_tile<kLevels>(from, tile, s_tree, keys, parts);
#pragma unroll
    for (int j = 0; j < kKeys; ++j) {
        parts[j] = part_of(keys[j], parts[j], s_splitters);
        if (j * kThreads + thread < tile.count) ranks[j] = atomicAdd(&s_counts[parts[j]], 1u);
    }
    __syncthreads();
}

// Parts of stage limit/01: twice the number of splitters that are less; one more if the next
// splitter equals the key.
__device__ inline void classify_tile(const Pass& pass, const Tile& tile,
                                     Key (&keys)[kKeysPerThread], int (&buckets)[kKeysPerThread],
                                     unsigned (&ranks)[kKeysPerThread], unsigned* s_counts) {
    rank_tile<7>(pass.from, tile, pass.splitters, keys, buckets, ranks, s_counts, kBuckets,
                 [](Key key, int less, const Key* s_splitters) {
                     return 2 * less + (key == s_splitters[less]);
                 });
}

// For any pass with a function classify_tile().
template <typename AnyPass>
static __global__ void __launch_bounds__(kThreads, 2) count_buckets_kernel(AnyPass pass) {
    __shared__ unsigned s_counts[kBuckets];
    const Tile tile = tile_of_block(pass.lists, pass.list_of_tile, kTileKeys);
    Key keys[kKeysPerThread];
    int buckets[kKeysPerThread];
    unsigned ranks[kKeysPerThread];
    classify_tile(pass, tile, keys, buckets, ranks, s_counts);
    const int bucket = threadIdx.x;
    if (bucket < kBuckets && s_counts[bucket] > 0) {
        atomicAdd(&pass.counts[tile.slot * kBuckets + bucket], Count{s_counts[bucket]});
    }
}

// For any pass with a function classify_tile(). Each block reserves room in every part for its
// tile's keys.
template <typename AnyPass>
static __global__ void __launch_bounds__(kThreads, 2) move_keys_kernel(AnyPass pass) {
    __shared__ Key s_keys[kTileKeys];  // in the order of their buckets
    __shared__ unsigned char s_buckets[kTileKeys];  // of these keys
    __shared__ unsigned s_counts[kBuckets], s_runs[kBuckets], s_sums[kThreads / 32];
    __shared__ std::int64_t s_shifts[kBuckets];  // from a key's place in s_keys to that in `to`
    const Tile tile = tile_of_block(pass.lists, pass.list_of_tile, kTileKeys);
    Key keys[kKeysPerThread];
    int buckets[kKeysPerThread];
    unsigned ranks[kKeysPerThread];
    classify_tile(pass, tile, keys, buckets, ranks, s_counts);
    const int thread = threadIdx.x;
    const unsigned count = thread < kBuckets ? s_counts[thread] : 0;
    const unsigned run = sum_before(count, s_sums);
    if (count > 0) {
        const Count place = atomicAdd(&pass.counts[tile.slot * kBuckets + thread], Count{count});
        s_runs[thread] = run;
        s_shifts[thread] = static_cast<std::int64_t>(place) - run;
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < kKeysPerThread; ++j) {
        if (j * kThreads + thread < tile.count) {
            const unsigned place = s_runs[buckets[j]] + ranks[j];
            s_keys[place] = keys[j];
            s_buckets[place] = static_cast<unsigned char>(buckets[j]);
        }
    }
    __syncthreads();
    Key* to = pass.to + pass.lists[tile.slot].begin;
    for (int i = thread; i < tile.count; i += kThreads) to[s_shifts[s_buckets[i]] + i] = s_keys[i];
}

}  // namespace quicksort
