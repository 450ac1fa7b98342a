// SPDX-License-Identifier: MIT
// Parts of which every second one has equal keys.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/rounds/rounds.cuh"
#include "limit/01_multiway_partition/multiway.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

static __global__ void place_children_kernel(Pass pass, NextRound next) {
    const std::int64_t slot = blockIdx.x;
    const int bucket = threadIdx.x;
    const Key value = pass.splitters[slot * kSplitters + bucket / 2];
    place_child(pass.lists[slot], pass.counts + slot * kBuckets, bucket % 2 == 1, value, next);
}

}  // namespace quicksort
