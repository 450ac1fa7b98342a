// SPDX-License-Identifier: MIT
// Levels of a sort that partitions without counting first: the lists of a level, and the regions
// that their parts are written to. The parts of a list get regions in its area of the destination,
// all of the same capacity. A cursor for each part hands out places. It is raised for keys that do
// not fit, too: when the level has ended, it is the number of keys in the part. So all other parts
// know their places in the sorted list, and only the part that did not fit is sorted again.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/rounds/rounds.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

inline constexpr unsigned kNoRegion = 0xffffffff;  // of a constant part, which is never written

struct LevelList {
    std::int64_t from;  // its first key in the source
    std::int64_t begin;  // the place of its first key in the sorted list
    std::int64_t area;  // its area in the destination
    unsigned count;  // keys
    unsigned area_keys;  // the size of the area
    bool constant, twins;  // all keys are equal; some splitters are twins
    bool overflowed;  // it did not fit its region: nothing is left of it but its number of keys
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
};

// A part or a leaf that must be sorted again: it did not fit. The sorted list has `count` keys from
// `low` to `high`, and the first of them belongs at `begin`.
struct Unfit {
    std::int64_t begin, count;
    Key low, high;
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
    __device__ __forceinline__ std::int64_t settle(unsigned place, unsigned count) const {
        if (count == 0 || places[threadIdx.x] == kNowhere) return kNowhere;
        const bool fits = std::uint64_t{place} + count <= capacity;
        return fits ? places[threadIdx.x] + place : kNowhere;
    }
};

}  // namespace quicksort
