// SPDX-License-Identifier: MIT
// The leaves of a sort by levels: their keys lie in regions, and go elsewhere. A leaf may be longer
// than a block's shared memory.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/rounds/rounds.cuh"
#include "common/cuda/cuda_check.hpp"
#include "limit/05_sub_buckets/search_tree.cuh"
#include "limit/05_sub_buckets/sub_buckets.cuh"
#include "limit/06_twin_splitters/sub_bucket_leaves.cuh"
#include "limit/07_one_pass/levels.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

inline constexpr int kMostParts = 512;
inline constexpr int kLongestLeaf = 65535;  // that a block sorts in several turns

// Sorts a leaf of up to 65535 keys in turns: in each, as many sub-buckets as s_keys has room for.
// The keys are read once more for each turn. Returns false if a sub-bucket alone is too long.
template <typename Tree, typename AnyExchange>
__device__ __noinline__ bool sort_long_leaf(const Key* from, int count, Key* s_keys, Key* sorted) {
    __shared__ __align__(16) LeafMemory s_memory;
    const int thread = threadIdx.x, lane = thread % 32;
    grow_leaf_tree<Tree, AnyExchange>(from, count, s_memory);
    const auto cell_of = [&](Key key) {
        unsigned bytes;
        Tree::template descend<kSubLevels, 1>(s_memory.tree, &key, &bytes);
        return bytes / 4;
    };
    for (int i = thread; i < count; i += kLeafThreads) {
        atomicAdd(&s_memory.counts[cell_of(from[i])], 4u);
    }
    __syncthreads();
    const int own = s_memory.counts[Tree::template cell_of<kSubLevels>(lane)] / 4;
    const int place = sum_of_lanes_before(own), room = sum_of_lanes_before((own + 3) / 4 * 4);
    const int end = room + (own + 3) / 4 * 4;
    for (int first = 0; first < kSubBuckets;) {
        const int begin = __shfl_sync(0xffffffff, room, first);
        const bool fits = lane >= first && end - begin <= kRoomKeys;
        const int last = first + __popc(__ballot_sync(0xffffffff, fits));
        if (last == first) return false;
        __syncthreads();  // the turn before has read the counts, and sorted its keys
        const bool turn = lane >= first && lane < last;
        if (thread < 32) {
            const unsigned cell = Tree::template cell_of<kSubLevels>(lane);
            s_memory.begins[0][cell] = room - begin;
            s_memory.begins[1][cell] = turn;
        }
        __syncthreads();
        for (int i = thread; i < count; i += kLeafThreads) {
            const Key key = from[i];
            const unsigned cell = cell_of(key);
            if (s_memory.begins[1][cell]) s_keys[atomicAdd(&s_memory.begins[0][cell], 1)] = key;
        }
        __syncthreads();
        sort_sub_buckets<AnyExchange>(turn ? own : 0, room - begin, place, s_keys, sorted);
        first = last;
    }
    return true;
}

// Leaves whose keys lie in a region, and go elsewhere.
struct RegionLeaf {
    std::int64_t from, to;
    unsigned count;
};

struct RegionLeaves {
    RegionLeaf* leaves;  // one for each part of the last level
    Leaf* constants;  // pieces of parts of equal keys
    unsigned* constant_count;
    const unsigned* stop;  // two words; not zero: a level has failed
    unsigned* long_count;  // leaves longer than most
    unsigned* too_long;  // set to 1 if a leaf is longer than a block can sort
};

// One block fills so many keys of a constant part.
inline constexpr std::int64_t kConstantPiece = 131072;

__device__ inline void add_constant(const RegionLeaves& leaves, std::int64_t begin, unsigned count,
                                    Key value) {
    const std::int64_t pieces = (count - 1) / kConstantPiece + 1;
    Leaf* to = leaves.constants + atomicAdd(leaves.constant_count, static_cast<unsigned>(pieces));
    for (std::int64_t i = 0; i < pieces; ++i) {
        const std::int64_t done = i * kConstantPiece;
        to[i] = {begin + done, min(count - done, kConstantPiece), true, value};
    }
}

// One block per list of the last level, one thread per part.
static __global__ void __launch_bounds__(kMostParts)
    place_leaves_kernel(Level level, Level before, RegionLeaves leaves) {
    __shared__ unsigned s_sums[32];
    const int part = threadIdx.x;
    const std::int64_t i = std::int64_t{blockIdx.x} * level.parts + part;
    if (leaves.stop[0] != 0 || leaves.stop[1] != 0) {  // a level has failed: there are no leaves
        if (part < level.parts) leaves.leaves[i] = {0, 0, 0};
        return;
    }
    const LevelList list = level.lists[blockIdx.x];
    const bool used = part < level.parts && !list.constant && list.count > 0;
    const unsigned count = used ? level.cursors[i] : 0;
    const std::int64_t to = list.begin + sum_before(count, s_sums);
    const bool constant = used && level.regions[i] == kNoRegion;
    if (constant && count > 0) add_constant(leaves, to, count, level.splitters[i]);
    if (list.constant && list.count > 0 && part == 0) {
        add_constant(leaves, list.begin, list.count, before.splitters[blockIdx.x]);
    }
    if (part >= level.parts) return;
    RegionLeaf leaf = {0, to, 0};
    if (used && !constant) {
        leaf.from = region_begin(level, list, level.regions[i]) - level.to;
        leaf.count = count;
    }
    leaves.leaves[i] = leaf;
}

// The block that sorts a leaf also fills a piece of a constant part, if there are so many.
template <typename Tree, typename AnyExchange>
static __global__ void __launch_bounds__(kLeafThreads, 3)
    sort_leaves_kernel(const Key* from, Key* sorted, RegionLeaves leaves) {
    extern __shared__ __align__(16) Key s_keys[];
    const RegionLeaf leaf = leaves.leaves[blockIdx.x];
    const unsigned pieces = *leaves.constant_count;
    for (unsigned i = blockIdx.x; i < pieces; i += gridDim.x) {
        fill_leaf(leaves.constants[i], sorted);
    }
    const int count = static_cast<int>(min(leaf.count, kLongestLeaf + 1u));
    if (count == 0) return;
    const Key* keys = from + leaf.from;
    Key* to = sorted + leaf.to;
    if (count <= kSplitLeafKeys) return sort_leaf<Tree, AnyExchange, true>(keys, count, s_keys, to);
    const bool done =
        count <= kLongestLeaf && sort_long_leaf<Tree, AnyExchange>(keys, count, s_keys, to);
    if (threadIdx.x > 0) return;
    atomicAdd(leaves.long_count, 1u);
    if (!done) atomicExch(leaves.too_long, 1u);
}

// Queues what follows the last level: the leaves of `level` go to `sorted`, and so do its constant
// parts and those of the level before.
template <typename Tree, typename AnyExchange>
void queue_leaves(const Level& level, const Level& before, const RegionLeaves& leaves,
                  unsigned leaf_count, Key* sorted) {
    place_leaves_kernel<<<level.list_count, kMostParts>>>(level, before, leaves);
    course::cuda_check(cudaGetLastError());
    sort_leaves_kernel<Tree, AnyExchange>
        <<<leaf_count, kLeafThreads, kRoomBytes>>>(level.to, sorted, leaves);
    course::cuda_check(cudaGetLastError());
}

}  // namespace quicksort
