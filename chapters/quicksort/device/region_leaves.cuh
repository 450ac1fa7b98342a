// SPDX-License-Identifier: MIT
// The leaves of a sort by levels: they lie in regions. Most are sorted as in stage 20, longer ones
// by the network of stage 18 in a larger block. From stage 22 on.
#pragma once

#include <cuda_runtime.h>

#include "device/levels.cuh"
#include "device/multiway.cuh"
#include "device/register_network.cuh"
#include "device/search_trees.cuh"
#include "device/sub_bucket_leaves.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

template <typename Tree>
static __global__ void __launch_bounds__(kLeafThreads, 3)
    sort_leaves_kernel(const Key* from, Key* sorted, RegionLeaves leaves) {
    extern __shared__ __align__(16) Key s_keys[];
    if (has_failed(leaves)) return;
    const RegionLeaf leaf = leaves.leaves[blockIdx.x];
    if (leaf.count > kSplitLeafKeys) {
        if (threadIdx.x == 0) {
            leaves.long_leaves[atomicAdd(leaves.long_count, 1u)] = blockIdx.x;
        }
    } else if (leaf.count > 0) {
        sort_leaf<Tree>(from + leaf.from, static_cast<int>(leaf.count), s_keys, sorted + leaf.to);
    }
}

// Sorts up to 16 kBlock keys in registers. s_keys: room for a sixteenth more.
template <int kBlock>
__device__ __forceinline__ void sort_long_leaf(const Key* from, int count, Key* s_keys,
                                               Key* sorted) {
    const int thread = threadIdx.x;
    int used = 32;
    while (used * kKeysPerThread < count) used *= 2;
    Key keys[kKeysPerThread];
#pragma unroll
    for (int j = 0; j < kKeysPerThread; ++j) {
        const int i = j * used + thread;
        keys[j] = thread < used && i < count ? from[i] : kLargestKey;
    }
    sort_block<kBlock>(keys, s_keys, used);
#pragma unroll
    for (int j = 0; j < kKeysPerThread; ++j) s_keys[padded(thread * kKeysPerThread + j)] = keys[j];
    __syncthreads();
    for (int i = thread; i < count; i += kBlock) sorted[i] = s_keys[padded(i)];
    __syncthreads();  // the next leaf overwrites s_keys
}

// Few leaves are that long: the blocks take them in turn.
template <int kBlock>
static __global__ void __launch_bounds__(kBlock)
    sort_long_leaves_kernel(const Key* from, Key* sorted, RegionLeaves leaves) {
    extern __shared__ __align__(16) Key s_keys[];
    if (has_failed(leaves)) return;
    const unsigned count = *leaves.long_count;
    for (unsigned i = blockIdx.x; i < count; i += gridDim.x) {
        const RegionLeaf leaf = leaves.leaves[leaves.long_leaves[i]];
        if (leaf.count <= kBlock * kKeysPerThread) {
            sort_long_leaf<kBlock>(from + leaf.from, static_cast<int>(leaf.count), s_keys,
                                   sorted + leaf.to);
        } else if (threadIdx.x == 0) {
            atomicExch(leaves.too_long, 1u);
        }
    }
}

// Queues what follows the last level: the leaves of `level` go to `sorted`, and so do its constant
// parts and those of the level before.
template <typename Tree>
void queue_leaves(const Level& level, const Level& before, const RegionLeaves& leaves,
                  unsigned leaf_count, Key* sorted) {
    constexpr int kBlocks = 264;  // two on each multiprocessor of an H200
    place_leaves_kernel<<<level.list_count, kMostParts>>>(level, before, leaves);
    course::cuda_check(cudaGetLastError());
    fill_constants_kernel<<<kBlocks, 256>>>(leaves, sorted);
    course::cuda_check(cudaGetLastError());
    sort_leaves_kernel<Tree><<<leaf_count, kLeafThreads, kRoomBytes>>>(level.to, sorted, leaves);
    course::cuda_check(cudaGetLastError());
    constexpr int kLongBytes = (1024 * kKeysPerThread / 16 * 17) * static_cast<int>(sizeof(Key));
    constexpr int kShortBytes =
        (kThreads * kKeysPerThread / 16 * 17) * static_cast<int>(sizeof(Key));
    if (shared_bytes_of_block() >= kLongBytes) {
        const auto kernel = sort_long_leaves_kernel<1024>;
        course::cuda_check(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kLongBytes));
        kernel<<<kBlocks, 1024, kLongBytes>>>(level.to, sorted, leaves);
    } else {
        sort_long_leaves_kernel<kThreads>
            <<<kBlocks, kThreads, kShortBytes>>>(level.to, sorted, leaves);
    }
    course::cuda_check(cudaGetLastError());
}

}  // namespace quicksort
