// SPDX-License-Identifier: MIT
// The leaves of stage limit/01, for the stages that build on it: one block sorts each in shared
// memory.
#pragma once

#include <cuda_runtime.h>

#include "device/bitonic.cuh"
#include "device/multiway.cuh"
#include "device/rounds.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

// Unchanged from stage limit/01_multiway_partition.
static __global__ void sort_leaves_kernel(const Key* from, Key* keys, const Leaf* leaves) {
    __shared__ Key s_keys[kLeafKeys];
    const Leaf leaf = leaves[blockIdx.x];
    const int thread = threadIdx.x;
    if (leaf.constant) return fill_leaf(leaf, keys);
    for (int i = thread; i < leaf.count; i += kThreads) s_keys[i] = from[leaf.begin + i];
    sort_by_block(s_keys, static_cast<int>(leaf.count));
    for (int i = thread; i < leaf.count; i += kThreads) keys[leaf.begin + i] = s_keys[i];
}

}  // namespace quicksort
