// SPDX-License-Identifier: MIT
// Levels of a sort that partitions without counting first: the lists of a level, and the regions
// that their parts are written to. From stage limit/07 on.
// The parts of a list get regions in its area of the destination, all of the same capacity. A
// cursor for each part hands out places. It is raised for keys that do not fit, too: when the level
// has ended, it is the number of keys in the part.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "device/exact_rounds.cuh"
#include "device/rounds.cuh"
#include "device/sub_bucket_leaves.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

inline constexpr int kMostParts = 512;
// A list with more parts than 2^kMostSampledBits has half as many samples for each.
inline constexpr int kMostSampledBits = sizeof(Key) == 4 ? 9 : 8;
inline constexpr unsigned kNoRegion = 0xffffffff;  // of a constant part, which is never written

struct LevelList {
    std::int64_t from;  // its first key in the source
    std::int64_t begin;  // the place of its first key in the sorted list
    std::int64_t area;  // its area in the destination
    unsigned count;  // keys
    unsigned area_keys;  // the size of the area
    bool constant, twins;  // all keys are equal; some splitters are twins
    unsigned capacity;  // of its regions
};

// One level, as the kernels see it. Arrays of parts have one entry for each list and part.
struct Level {
    const Key* from;
    Key* to;
    LevelList* lists;
    int list_count, parts;
    // Of all lists, one for each block; all zero before the level: count 0, no tile. nullptr: the
    // level has one list, of `count` keys, whose tiles a block knows by its number.
    Tile* tiles;
    std::int64_t count;
    Key* splitters;  // the upper ends of the parts
    unsigned* regions;  // the part's region, counted within its list, or kNoRegion
    unsigned* cursors;  // all zero before the level
    const unsigned* stop;  // not zero: the level before has failed
    unsigned* overflowed;  // set to 1 if a part does not fit its region
};

__device__ __forceinline__ Tile tile_of_block(const Level& level, int tile_keys) {
    if (level.tiles != nullptr) return level.tiles[blockIdx.x];
    const std::int64_t begin = std::int64_t{blockIdx.x} * tile_keys;
    return {0, begin, static_cast<int>(min(level.count - begin, std::int64_t{tile_keys}))};
}

// The address of a list's region.
__device__ __forceinline__ Key* region_begin(const Level& level, const LevelList& list,
                                             unsigned region) {
    return level.to + list.area + std::int64_t{region} * list.capacity;
}

// Where the parts of a block's list go, in shared memory. A block reads it together with its keys,
// so that it does not wait for it later.
template <int kParts>
struct Targets {
    std::int64_t places[kParts];  // of the regions in the destination; kNowhere: there is none
    unsigned capacity;
    static constexpr std::int64_t kNowhere = -1;

    // A barrier must follow.
    __device__ __forceinline__ void load(const Level& level, std::int64_t slot) {
        const int part = threadIdx.x;
        const LevelList& list = level.lists[slot];
        if (part == 0) capacity = list.capacity;
        if (part >= kParts) return;
        const unsigned region = level.regions[slot * kParts + part];
        places[part] =
            region == kNoRegion ? kNowhere : region_begin(level, list, region) - level.to;
    }

    // Reserves room for `count` keys of the thread's part: their place in the region.
    __device__ __forceinline__ unsigned reserve(const Level& level, std::int64_t slot,
                                                unsigned count) const {
        return count > 0 ? atomicAdd(&level.cursors[slot * kParts + threadIdx.x], count) : 0;
    }

    // The place of these keys in the destination, or kNowhere: there are none, they are all equal,
    // or they do not fit. reserve() has its answer only now, so that threads work until it comes.
    __device__ __forceinline__ std::int64_t settle(const Level& level, unsigned place,
                                                   unsigned count) const {
        if (count == 0 || places[threadIdx.x] == kNowhere) return kNowhere;
        if (std::uint64_t{place} + count <= capacity) return places[threadIdx.x] + place;
        atomicExch(level.overflowed, 1u);
        return kNowhere;
    }
};

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
