// SPDX-License-Identifier: MIT
// The shape of a round from stage 15 on, and its kernel that places the parts.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/rounds.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

inline constexpr int kThreads = 512;
inline constexpr int kKeysPerThread = 16;
inline constexpr int kTileKeys = kThreads * kKeysPerThread;
inline constexpr int kLeafKeys = 8192;
inline constexpr int kSplitters = 128;  // the last one of each list is padding
inline constexpr int kBuckets = 2 * kSplitters;
inline constexpr Key kLargestKey = INT32_MAX;

// Unchanged from stage 15_multiway_partition.
// The two passes of a round. counts: one per list and bucket; see place_child().
struct Pass {
    const Key* from;
    Key* to;
    const List* lists;
    const unsigned* list_of_tile;
    const Key* splitters;
    Count* counts;
};

// Unchanged from stage 15_multiway_partition.
static __global__ void place_children_kernel(Pass pass, NextRound next) {
    const std::int64_t slot = blockIdx.x;
    const int bucket = threadIdx.x;
    const Key value = pass.splitters[slot * kSplitters + bucket / 2];
    place_child(pass.lists[slot], pass.counts + slot * kBuckets, bucket % 2 == 1, value, next);
}

}  // namespace quicksort
