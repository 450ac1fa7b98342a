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
// The keys are read once more for each turn. Those that equal the upper end of their sub-bucket
// need no room: there are as many as were counted. Returns false if a sub-bucket alone is too long.
template <typename Tree, typename AnyExchange>
__device__ __noinline__ bool sort_long_leaf(const Key* from, int count, Key* s_keys, Key* sorted) {
    __shared__ __align__(16) LeafMemory s_memory;
    __shared__ Key s_ends[kSubBuckets];  // of the sub-buckets, by cells
    __shared__ int s_equal[kSubBuckets];
    const int thread = threadIdx.x, lane = thread % 32;
    if (thread < kSubBuckets) s_equal[thread] = 0;
    grow_leaf_tree<Tree, AnyExchange>(from, count, s_memory);
    const unsigned own_cell = Tree::template cell_of<kSubLevels>(lane);
    if (thread < kSubBuckets) {
        const int samples = min(count, kLeafSamples);
        s_ends[own_cell] = thread + 1 < kSubBuckets
                               ? s_memory.samples[(thread + 1) * samples / kSubBuckets]
                               : kLargestKey;
    }
    __syncthreads();
    const auto cell_of = [&](Key key) {
        unsigned bytes;
        Tree::template descend<kSubLevels, 1>(s_memory.tree, &key, &bytes);
        return bytes / 4;
    };
    for (int i = thread; i < count; i += kLeafThreads) {
        const Key key = from[i];
        const unsigned cell = cell_of(key);
        if (key == s_ends[cell]) {
            atomicAdd(&s_equal[cell], 1);
        } else {
            atomicAdd(&s_memory.counts[cell], 4u);
        }
    }
    __syncthreads();
    const int own = s_memory.counts[own_cell] / 4, equal = s_equal[own_cell];
    const int place = sum_of_lanes_before(own + equal);
    const int room = sum_of_lanes_before((own + 3) / 4 * 4), end = room + (own + 3) / 4 * 4;
    for (int b = thread / 32; b < kSubBuckets; b += kLeafThreads / 32) {  // the equal ones
        const int first = __shfl_sync(0xffffffff, place + own, b);
        const int last = first + __shfl_sync(0xffffffff, equal, b);
        const Key key = s_ends[Tree::template cell_of<kSubLevels>(b)];
        for (int i = first + lane; i < last; i += 32) sorted[i] = key;
    }
    for (int first = 0; first < kSubBuckets;) {
        const int begin = __shfl_sync(0xffffffff, room, first);
        const bool fits = lane >= first && end - begin <= kRoomKeys;
        const int last = first + __popc(__ballot_sync(0xffffffff, fits));
        if (last == first) return false;
        __syncthreads();  // the turn before has read the counts, and sorted its keys
        const bool turn = lane >= first && lane < last;
        if (thread < 32) {
            s_memory.begins[0][own_cell] = room - begin;
            s_memory.begins[1][own_cell] = turn;
        }
        __syncthreads();
        for (int i = thread; i < count; i += kLeafThreads) {
            const Key key = from[i];
            const unsigned cell = cell_of(key);
            if (s_memory.begins[1][cell] && key != s_ends[cell]) {
                s_keys[atomicAdd(&s_memory.begins[0][cell], 1)] = key;
            }
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
    unsigned* long_count;  // leaves longer than most
    Unfit* unfit;  // what must be sorted again
    unsigned* unfit_count;
    unsigned* h_any_unfit;  // in host memory, 0 before; 1: there is something
};

__device__ inline void add_unfit(const RegionLeaves& leaves, const Unfit& unfit) {
    const unsigned before = atomicAdd(leaves.unfit_count, 1u);
    leaves.unfit[before] = unfit;
    if (before == 0) *leaves.h_any_unfit = 1;
}

// Narrows the range of an unfit part to that of a part of a list. A key that equals a splitter
// belongs to the part before it; if there are twins, to the part after it.
__device__ inline void narrow(Unfit& unfit, const Level& level, std::int64_t slot, int part) {
    const Key* splitters = level.splitters + slot * level.parts;
    const bool twins = level.lists[slot].twins;
    if (part > 0) {
        const Key before = splitters[part - 1];
        const bool excluded = !twins || (part > 1 && splitters[part - 2] == before);
        unfit.low = max(unfit.low, excluded ? before + 1 : before);
    }
    const bool excluded = twins && part + 1 < level.parts;
    unfit.high = min(unfit.high, excluded ? splitters[part] - 1 : splitters[part]);
}

// The block adds a leaf that it cannot sort.
static __device__ __noinline__ void add_unfit_leaf(RegionLeaves leaves, const Key* keys,
                                                   std::int64_t to, std::int64_t count) {
    __shared__ Key s_low[kLeafThreads / 32], s_high[kLeafThreads / 32];
    const int thread = threadIdx.x;
    Key low = kLargestKey, high = kLeastKey;
    for (std::int64_t i = thread; i < count; i += kLeafThreads) {
        low = min(low, keys[i]);
        high = max(high, keys[i]);
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        low = min(low, __shfl_xor_sync(0xffffffff, low, distance));
        high = max(high, __shfl_xor_sync(0xffffffff, high, distance));
    }
    if (thread % 32 == 0) s_low[thread / 32] = low, s_high[thread / 32] = high;
    __syncthreads();
    if (thread > 0) return;
    for (int warp = 1; warp < kLeafThreads / 32; ++warp) {
        low = min(low, s_low[warp]);
        high = max(high, s_high[warp]);
    }
    add_unfit(leaves, {to, count, low, high});
}

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
    const LevelList list = level.lists[blockIdx.x];
    const bool divided = !list.constant && !list.overflowed && list.count > 0;
    const bool used = part < level.parts && divided;
    const unsigned count = used ? level.cursors[i] : 0;
    const std::int64_t to = list.begin + sum_before(count, s_sums);
    const bool constant = used && level.regions[i] == kNoRegion;
    if (constant && count > 0) add_constant(leaves, to, count, level.splitters[i]);
    if (list.constant && list.count > 0 && part == 0) {
        add_constant(leaves, list.begin, list.count, before.splitters[blockIdx.x]);
    }
    if (list.overflowed && part == 0) {
        Unfit unfit = {list.begin, list.count, kLeastKey, kLargestKey};
        narrow(unfit, before, 0, static_cast<int>(blockIdx.x));
        add_unfit(leaves, unfit);
    }
    if (part >= level.parts) return;
    RegionLeaf leaf = {0, to, 0};
    if (used && !constant && count > list.capacity) {
        Unfit unfit = {to, count, kLeastKey, kLargestKey};
        narrow(unfit, level, blockIdx.x, part);
        if (before.lists != nullptr) narrow(unfit, before, 0, static_cast<int>(blockIdx.x));
        add_unfit(leaves, unfit);
    } else if (used && !constant) {
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
    if (!done) add_unfit_leaf(leaves, keys, leaf.to, leaf.count);
    if (threadIdx.x == 0) atomicAdd(leaves.long_count, 1u);
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
