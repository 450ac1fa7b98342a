// SPDX-License-Identifier: MIT
// Leaves that one block sorts in registers.
#pragma once

#include <cuda_runtime.h>

#include "blocks/rounds/rounds.cuh"
#include "limit/01_multiway_partition/multiway.cuh"
#include "limit/03_register_network/register_network.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

static __global__ void __launch_bounds__(kThreads, 2)
    sort_leaves_kernel(const Key* from, Key* sorted, const Leaf* leaves) {
    __shared__ Key s_keys[kLeafKeys + kThreads];
    const Leaf leaf = leaves[blockIdx.x];
    const int thread = threadIdx.x;
    if (leaf.constant) return fill_leaf(leaf, sorted);
    int used = 32;
    while (used * kKeysPerThread < leaf.count) used *= 2;
    Key keys[kKeysPerThread];
#pragma unroll
    for (int j = 0; j < kKeysPerThread; ++j) {
        const int i = j * used + thread;
        keys[j] = thread < used && i < leaf.count ? from[leaf.begin + i] : kLargestKey;
    }
    sort_block<kThreads>(keys, s_keys, used);
#pragma unroll
    for (int j = 0; j < kKeysPerThread; ++j) s_keys[padded(thread * kKeysPerThread + j)] = keys[j];
    __syncthreads();
    for (int i = thread; i < leaf.count; i += kThreads) sorted[leaf.begin + i] = s_keys[padded(i)];
}

}  // namespace quicksort
