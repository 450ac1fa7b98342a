// SPDX-License-Identifier: MIT
// The lists of a level: their tiles, their splitters, and the regions of their parts.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/rounds/rounds.cuh"
#include "limit/04_stratified_sample/sample.cuh"
#include "limit/06_twin_splitters/twin_splitters.cuh"
#include "limit/07_one_pass/levels.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

// What a level is made from: the parts of the only list of the level before, or, without such a
// level, one list of `count` keys, whose parts have `area_keys`.
struct LevelSource {
    Level before;
    std::int64_t count, area_keys;
    int tile_keys;
};

// The list of this block, in shared memory, and its tiles. All threads call; there are as many as
// lists, or more.
__device__ inline LevelList& prepare_list(const Level& level, const LevelSource& source) {
    __shared__ std::int64_t s_counts[32], s_areas[32], s_tiles[32];
    __shared__ LevelList s_list;
    __shared__ std::int64_t s_first_tile;
    const int slot = threadIdx.x;
    const Level& before = source.before;
    LevelList list = {};
    std::int64_t tiles = 0;
    if (before.lists == nullptr) {  // one list, whose tiles need no table
        list.count = static_cast<unsigned>(source.count);
        list.area_keys = static_cast<unsigned>(source.area_keys);
        if (slot == 0) s_list = list;
        __syncthreads();
        return s_list;
    }
    if (slot < level.list_count) {
        const unsigned region = before.regions[slot];
        list.count = before.cursors[slot];
        list.constant = region == kNoRegion;
        list.overflowed = !list.constant && list.count > before.lists[0].capacity;
        if (!list.constant &&
            !list.overflowed) {  // twice the room of its keys, however many there are
            list.area_keys = static_cast<unsigned>((2 * std::int64_t{list.count} + 3) / 4 * 4);
            list.from = region_begin(before, before.lists[0], region) - before.to;
        }
    }
    const bool used = !list.constant && !list.overflowed && list.count > 0;
    if (used) tiles = (std::int64_t{list.count} - 1) / source.tile_keys + 1;
    list.begin = sum_before(std::int64_t{list.count}, s_counts);
    list.area = sum_before(std::int64_t{list.area_keys}, s_areas);
    const std::int64_t first_tile = sum_before(tiles, s_tiles);
    if (slot == static_cast<int>(blockIdx.x)) s_list = list, s_first_tile = first_tile;
    __syncthreads();
    const int step = source.tile_keys;
    const bool divided = !s_list.constant && !s_list.overflowed;
    const std::int64_t from = s_list.from, keys = divided ? s_list.count : 0;
    for (std::int64_t i = slot; level.tiles != nullptr && i * step < keys; i += blockDim.x) {
        level.tiles[s_first_tile + i] = {
            blockIdx.x, from + i * step,
            static_cast<int>(min(keys - i * step, std::int64_t{step}))};
    }
    return s_list;
}

// Of the list of this block: its splitters, from its sorted sample, and regions for the parts that
// are not constant. All threads call. kSlots: the parts at most.
template <int kSlots>
__device__ __forceinline__ void choose_regions(const Level& level, LevelList& list,
                                               const Key* s_samples, int samples,
                                               int keys_per_part) {
    __shared__ Key s_splitters[kSlots];
    __shared__ unsigned s_sums[32];
    const int part = threadIdx.x;
    const int wanted =
        static_cast<int>(min((list.count - 1) / keys_per_part + 1, static_cast<unsigned>(kSlots)));
    bool twins = false;
    const int parts = choose_from_sample<kSlots>(s_samples, samples, wanted, s_splitters, twins);
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
        level.lists[blockIdx.x] = list;
    }
}

// One block per list: its tiles, splitters and regions. The sample needs room for kBlock kKeys keys
// and a sixteenth more.
template <int kSlots, int kBlock, int kKeys>
static __global__ void __launch_bounds__(kBlock)
    choose_regions_kernel(Level level, LevelSource source, int keys_per_part, std::uint64_t seed) {
    extern __shared__ Key s_samples[];
    LevelList& list = prepare_list(level, source);
    if (list.constant || list.overflowed || list.count == 0) {
        if (threadIdx.x == 0) level.lists[blockIdx.x] = list;
        return;
    }
    const int samples = sort_samples<kBlock, kKeys>(
        level.from, List{list.from, std::int64_t{list.count}, 0}, s_samples, seed);
    choose_regions<kSlots>(level, list, s_samples, samples, keys_per_part);
}

}  // namespace quicksort
