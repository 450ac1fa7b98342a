// SPDX-License-Identifier: MIT
// The parts of stage limit/01, for the stages that build on it: every second one has equal keys.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/multiway.cuh"
#include "device/rounds.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

// Unchanged from stage limit/01_multiway_partition.
static __global__ void place_children_kernel(Pass pass, NextRound next) {
    const std::int64_t slot = blockIdx.x;
    const int bucket = threadIdx.x;
    const Key value = pass.splitters[slot * kSplitters + bucket / 2];
    place_child(pass.lists[slot], pass.counts + slot * kBuckets, bucket % 2 == 1, value, next);
}

}  // namespace quicksort
