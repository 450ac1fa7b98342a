// SPDX-License-Identifier: MIT
// The kernel of stage 20's leaves, for the stage that builds on it.
// Unchanged from stage 20_sub_buckets.
#pragma once

#include <cuda_runtime.h>

#include "device/rounds.cuh"
#include "device/sub_bucket_leaves.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

static __global__ void __launch_bounds__(kLeafThreads, 3)
    sort_leaves_kernel(const Key* from, Key* sorted, const Leaf* leaves) {
    extern __shared__ __align__(16) Key s_keys[];
    const Leaf leaf = leaves[blockIdx.x];
    if (leaf.constant) return fill_leaf(leaf, sorted);
    sort_leaf(from + leaf.begin, leaf.count, s_keys, sorted + leaf.begin);
}

}  // namespace quicksort
