// SPDX-License-Identifier: MIT
// Leaves that one block sorts in shared memory.
#pragma once

#include <cuda_runtime.h>

#include "blocks/networks/bitonic_sort.cuh"
#include "blocks/rounds/rounds.cuh"
#include "limit/01_multiway_partition/multiway.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

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
