// SPDX-License-Identifier: MIT
// The launches of a sort by levels, as in stage 23, for the stages that build on it.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "device/level_memory.cuh"
#include "device/levels.cuh"
#include "device/region_leaves.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

// Sorts keys[0, count) into `first`, which has plan.first_keys; `last` has plan.last_keys.
// run_level(bits, level, keys_per_part, seed, tiles) samples the lists of a level of 2^bits parts
// and partitions them; a tile has tile_keys.
template <typename RunLevel>
void queue_levels(const LevelPlan& plan, LevelMemory& memory, const Key* keys, std::int64_t count,
                  Key* first, Key* last, std::uint64_t seed, int tile_keys, RunLevel run_level) {
    const bool two = plan.last_bits > 0;
    memory.clear();
    const Level upper = memory.first(keys, two ? first : last), none = {};
    prepare_level_kernel<<<1, kMostParts>>>(upper, none, count, plan.first_area, tile_keys);
    course::cuda_check(cudaGetLastError());
    run_level(plan.first_bits, upper, two ? 1 : kKeysPerPart, seed, (count - 1) / tile_keys + 1);
    const Level lower = two ? memory.last(first, last) : upper;
    if (two) {
        prepare_level_kernel<<<1, kMostParts>>>(lower, upper, count, 0, tile_keys);
        course::cuda_check(cudaGetLastError());
        run_level(plan.last_bits, lower, kKeysPerPart, ~seed, count / tile_keys + lower.list_count);
    }
    queue_leaves(lower, two ? upper : none, memory.leaves(), memory.leaf_count(), first);
}

}  // namespace quicksort
