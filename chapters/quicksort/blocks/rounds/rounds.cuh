// SPDX-License-Identifier: MIT
// Rounds of a sort that partitions every list of a round into many parts: the lists, their tiles
// and the leaves.
// A round reads one of two buffers and writes the other. The parts of list [begin, end) fill the
// same places [begin, end) there, in the order of their keys. Parts that are short enough are
// leaves: their keys belong in the same places of the sorted list. The others are the next round's
// lists.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "problem/quicksort.hpp"

namespace quicksort {

using Count = unsigned long long;  // of keys: what atomicAdd takes

struct List {
    std::int64_t begin, count;
    unsigned first_tile;  // a block of a round's kernels works on one tile of its list
};

struct Leaf {
    std::int64_t begin, count;
    bool constant;  // all keys are `value`: nothing is to be sorted
    Key value;
};

struct RoundSizes {
    unsigned lists, tiles, leaves;
};

// The tile of a block: keys [begin, begin + count) of the list in this slot.
struct Tile {
    std::int64_t slot, begin;
    int count;
};

__device__ inline Tile tile_of_block(const List* lists, const unsigned* list_of_tile, int tile) {
    const std::int64_t slot = list_of_tile[blockIdx.x];
    const List list = lists[slot];
    const std::int64_t skipped = std::int64_t{blockIdx.x - list.first_tile} * tile;
    return {slot, list.begin + skipped,
            static_cast<int>(min(list.count - skipped, std::int64_t{tile}))};
}

// What a round's kernels write for the next one. `sizes` is all zero before.
struct NextRound {
    List* lists;
    unsigned* list_of_tile;
    Leaf* leaves;  // of this round
    RoundSizes* sizes;
    int tile, leaf;  // keys
};

// A long constant part becomes several leaves, because one block fills each.
inline constexpr std::int64_t kConstantLeaf = 65536;

// The sum of `value` over the threads before this one. The block has at most 1024 threads, a
// multiple of 32. s_sums: one entry per warp. A barrier is needed before s_sums is used again.
template <typename Sum>
__device__ __forceinline__ Sum sum_before(Sum value, Sum* s_sums) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    Sum sum = value;
    for (int distance = 1; distance < 32; distance *= 2) {
        const Sum other = __shfl_up_sync(0xffffffff, sum, distance);
        if (lane >= distance) sum += other;
    }
    if (lane == 31) s_sums[warp] = sum;
    __syncthreads();  // the loop below reads the sums of all warps before
    for (int w = 0; w < warp; ++w) sum += s_sums[w];
    return sum - value;
}

// Called by all threads of a list's block, one per bucket. On entry, counts[bucket] is the number
// of the bucket's keys. On return, it is the number of keys in the buckets before: the place within
// the list where the bucket's keys go.
__device__ inline void place_child(const List& list, Count* counts, bool constant, Key value,
                                   const NextRound& next) {
    __shared__ Count s_sums[32];
    const std::int64_t count = static_cast<std::int64_t>(counts[threadIdx.x]);
    const Count before = sum_before(static_cast<Count>(count), s_sums);
    counts[threadIdx.x] = before;
    const std::int64_t begin = list.begin + static_cast<std::int64_t>(before);
    if (count == 0) return;
    if (constant) {
        const std::int64_t pieces = (count - 1) / kConstantLeaf + 1;
        const unsigned first = atomicAdd(&next.sizes->leaves, static_cast<unsigned>(pieces));
        for (std::int64_t i = 0; i < pieces; ++i) {
            const std::int64_t done = i * kConstantLeaf;
            next.leaves[first + i] = {begin + done, min(count - done, kConstantLeaf), true, value};
        }
    } else if (count <= next.leaf) {
        next.leaves[atomicAdd(&next.sizes->leaves, 1u)] = {begin, count, false, 0};
    } else {
        const unsigned tiles = static_cast<unsigned>((count - 1) / next.tile + 1);
        const unsigned slot = atomicAdd(&next.sizes->lists, 1u);
        const unsigned first_tile = atomicAdd(&next.sizes->tiles, tiles);
        next.lists[slot] = {begin, count, first_tile};
        for (unsigned i = 0; i < tiles; ++i) next.list_of_tile[first_tile + i] = slot;
    }
}

// The block fills the places of a constant leaf.
__device__ inline void fill_leaf(const Leaf& leaf, Key* keys) {
    for (int i = threadIdx.x; i < leaf.count; i += blockDim.x) keys[leaf.begin + i] = leaf.value;
}

}  // namespace quicksort
