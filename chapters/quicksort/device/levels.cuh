// SPDX-License-Identifier: MIT
// Levels of a sort that partitions without counting first: the lists of a level, and the regions
// that their parts are written to. From stage 22 on.
// The parts of a list get regions in its area of the destination, all of the same capacity. A
// cursor for each part hands out places. It is raised for keys that do not fit, too: when the level
// has ended, it is the number of keys in the part.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/exact_rounds.cuh"
#include "device/rounds.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

inline constexpr int kMostParts = 512;
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
    unsigned* first_tiles;  // of each list: a block that looks for its own reads whole sectors
    unsigned* tiles;  // of all lists
    Key* splitters;  // the upper ends of the parts
    unsigned* regions;  // the part's region, counted within its list, or kNoRegion
    unsigned* cursors;  // all zero before the level
    const unsigned* stop;  // not zero: the level before has failed
    unsigned* overflowed;  // set to 1 if a part does not fit its region
};

// The address of a list's region.
__device__ __forceinline__ Key* region_begin(const Level& level, const LevelList& list,
                                             unsigned region) {
    return level.to + list.area + std::int64_t{region} * list.capacity;
}

// Reserves room for `count` keys of a part. Returns its address, or nullptr if the keys must not be
// written: they are all equal, or they do not fit.
__device__ __forceinline__ Key* reserve(const Level& level, int slot, int part, unsigned count) {
    const std::int64_t i = std::int64_t{slot} * level.parts + part;
    const LevelList& list = level.lists[slot];
    const unsigned place = atomicAdd(&level.cursors[i], count);
    const unsigned region = level.regions[i];
    if (region == kNoRegion) return nullptr;
    if (std::uint64_t{place} + count > list.capacity) {
        atomicExch(level.overflowed, 1u);
        return nullptr;
    }
    return region_begin(level, list, region) + place;
}

// The tile of a block; count 0: there is none. All threads of the block call.
__device__ __forceinline__ Tile tile_of_level(const Level& level, int tile_keys) {
    const int thread = threadIdx.x;
    if (blockIdx.x >= *level.tiles) return {0, 0, 0};
    const int lists =
        __syncthreads_count(thread < level.list_count && level.first_tiles[thread] <= blockIdx.x);
    const LevelList& list = level.lists[lists - 1];
    const std::int64_t skipped =
        std::int64_t{blockIdx.x - level.first_tiles[lists - 1]} * tile_keys;
    return {lists - 1, list.from + skipped,
            static_cast<int>(min(list.count - skipped, std::int64_t{tile_keys}))};
}

// One block of kMostParts threads. The lists of a level are the parts of the only list of the level
// before. Without such a level, there is one list of `count` keys.
static __global__ void __launch_bounds__(kMostParts)
    prepare_level_kernel(Level level, Level before, std::int64_t count, std::int64_t area_keys,
                         int tile_keys) {
    __shared__ std::int64_t s_counts[32], s_tiles[32], s_areas[32];
    const int slot = threadIdx.x;
    LevelList list = {};
    std::int64_t area = 0, tiles = 0;
    if (slot < level.list_count) {
        if (before.lists == nullptr) {
            list.count = static_cast<unsigned>(count);
            area = area_keys;
        } else {
            const unsigned region = before.regions[slot];
            list.count = before.cursors[slot];
            list.constant = region == kNoRegion;
            // Twice the room of its keys, however many there are.
            area = list.constant ? 0 : (2 * std::int64_t{list.count} + 3) / 4 * 4;
            if (!list.constant) {
                list.from = region_begin(before, before.lists[0], region) - before.to;
            }
        }
        tiles = list.constant ? 0 : (std::int64_t{list.count} + tile_keys - 1) / tile_keys;
    }
    list.begin = sum_before(std::int64_t{list.count}, s_counts);
    list.area = sum_before(area, s_areas);
    list.area_keys = static_cast<unsigned>(area);
    const auto first_tile = static_cast<unsigned>(sum_before(tiles, s_tiles));
    if (slot < level.list_count) {
        level.lists[slot] = list;
        level.first_tiles[slot] = first_tile;
    }
    if (slot == level.list_count - 1) *level.tiles = first_tile + static_cast<unsigned>(tiles);
}

// One block per list: splitters, and regions for the parts that are not constant. kSlots: the parts
// of a list at most. The sample needs room for kBlock kKeys keys and a sixteenth more.
template <int kSlots, int kBlock, int kKeys>
static __global__ void __launch_bounds__(kBlock)
    choose_regions_kernel(Level level, int keys_per_part, std::uint64_t seed) {
    extern __shared__ Key s_samples[];
    __shared__ Key s_splitters[kSlots];
    __shared__ unsigned s_sums[32];
    LevelList& list = level.lists[blockIdx.x];
    if (*level.stop != 0 || list.constant || list.count == 0) return;
    const int samples = sort_samples<kBlock, kKeys>(
        level.from, List{list.from, std::int64_t{list.count}, 0}, s_samples, seed);
    const int wanted =
        static_cast<int>(min((list.count - 1) / keys_per_part + 1, static_cast<unsigned>(kSlots)));
    bool twins = false;
    const int parts = choose_from_sample<kSlots>(s_samples, samples, wanted, s_splitters, twins);
    const int part = threadIdx.x;
    const bool constant =
        part >= kSlots || (part > 0 && s_splitters[part - 1] == s_splitters[part]);
    const unsigned region = sum_before(constant ? 0u : 1u, s_sums);
    if (part < kSlots) {
        const std::int64_t i = std::int64_t{blockIdx.x} * kSlots + part;
        level.splitters[i] = s_splitters[part];
        level.regions[i] = constant ? kNoRegion : region;
    }
    if (part == 0) {
        list.capacity = list.area_keys / parts / 4 * 4;
        list.twins = twins;
    }
}

// The most shared memory that a block of the current device can ask for.
inline int shared_bytes_of_block() {
    int device = 0, bytes = 0;
    course::cuda_check(cudaGetDevice(&device));
    course::cuda_check(
        cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    return bytes;
}

// A part needs 64 samples: then a region of 1.74 times the mean overflows once in 10^4 sorts of
// random keys. With less shared memory there are fewer, and the sort falls back more often.
template <int kBits>
void launch_choose_regions(const Level& level, int keys_per_part, std::uint64_t seed) {
    constexpr int kParts = 1 << kBits, kBlock = 1024;
    constexpr int kKeys = kParts <= 64 ? 4 : kParts / 16;
    constexpr int kBytes = kBlock * kKeys / 16 * 17 * static_cast<int>(sizeof(Key));
    constexpr int kFewerBytes = kThreads * kKeysPerThread / 16 * 17 * static_cast<int>(sizeof(Key));
    if (shared_bytes_of_block() >= kBytes + 4096) {
        const auto kernel = choose_regions_kernel<kParts, kBlock, kKeys>;
        course::cuda_check(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
        kernel<<<level.list_count, kBlock, kBytes>>>(level, keys_per_part, seed);
    } else {
        choose_regions_kernel<kParts, kThreads, kKeysPerThread>
            <<<level.list_count, kThreads, kFewerBytes>>>(level, keys_per_part, seed);
    }
    course::cuda_check(cudaGetLastError());
}

// Leaves whose keys lie in a region, and go elsewhere.
struct RegionLeaf {
    std::int64_t from, to;
    unsigned count;
};

struct RegionLeaves {
    RegionLeaf* leaves;  // one for each part of the last level
    Leaf* constants;  // parts of equal keys
    unsigned* constant_count;
    const unsigned* stop;  // two words; not zero: a level has failed
    unsigned* long_count;
    unsigned* long_leaves;  // the numbers of leaves that need a larger block
    unsigned* too_long;  // set to 1 if a leaf is longer than that
};

__device__ __forceinline__ bool has_failed(const RegionLeaves& leaves) {
    return leaves.stop[0] != 0 || leaves.stop[1] != 0;
}

// One block per list of the last level, one thread per part.
static __global__ void __launch_bounds__(kMostParts)
    place_leaves_kernel(Level level, Level before, RegionLeaves leaves) {
    __shared__ unsigned s_sums[32];
    if (has_failed(leaves)) return;
    const LevelList list = level.lists[blockIdx.x];
    const int part = threadIdx.x;
    const bool used = part < level.parts && !list.constant && list.count > 0;
    const std::int64_t i = std::int64_t{blockIdx.x} * level.parts + part;
    const unsigned count = used ? level.cursors[i] : 0;
    const std::int64_t to = list.begin + sum_before(count, s_sums);
    const bool constant = used && level.regions[i] == kNoRegion;
    if (constant && count > 0) {
        leaves.constants[atomicAdd(leaves.constant_count, 1u)] = {to, count, true,
                                                                  level.splitters[i]};
    }
    if (list.constant && list.count > 0 && part == 0) {
        leaves.constants[atomicAdd(leaves.constant_count, 1u)] = {list.begin, list.count, true,
                                                                  before.splitters[blockIdx.x]};
    }
    if (part >= level.parts) return;
    RegionLeaf leaf = {0, to, 0};
    if (used && !constant) {
        leaf.from = region_begin(level, list, level.regions[i]) - level.to;
        leaf.count = count;
    }
    leaves.leaves[i] = leaf;
}

// All blocks fill each constant part together.
static __global__ void fill_constants_kernel(RegionLeaves leaves, Key* sorted) {
    if (has_failed(leaves)) return;
    const unsigned constants = *leaves.constant_count;
    for (unsigned c = 0; c < constants; ++c) {
        const Leaf leaf = leaves.constants[c];
        for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < leaf.count;
             i += std::int64_t{gridDim.x} * blockDim.x) {
            sorted[leaf.begin + i] = leaf.value;
        }
    }
}

}  // namespace quicksort
