// SPDX-License-Identifier: MIT
// What the stages that launch kernels from kernels share: how long a segment is, how deep the
// recursion goes, and how many launches may wait for their turn.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/dynamic_parallelism.cuh"
#include "device/bitonic.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

using course::allow_pending_launches, course::LaunchErrors, course::note_launch_error;

inline constexpr int kBlockSize = 1024;
inline constexpr int kLeafKeys = 2 * kBlockSize;  // what one block sorts by the bitonic network

// Shared memory left to what a kernel declares beside the keys: the sums of its warps.
inline constexpr int kReservedSharedBytes = 512;

// The most keys of which a block can hold two lists in shared memory, on the current device: the
// largest that a launch may ask for, above 48 KB only after allow_shared_lists. 28992 on an H200;
// on the GTX 980 of the thesis 6080, its number too.
inline std::int64_t largest_segment() {
    int device = 0, shared_bytes = 0;
    course::cuda_check(cudaGetDevice(&device));
    course::cuda_check(
        cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    return (shared_bytes - kReservedSharedBytes) / (2 * static_cast<int>(sizeof(Key)));
}

// Lets `kernel` have two lists of a segment each in shared memory, wherever it is launched from.
template <class Kernel>
void allow_shared_lists(Kernel* kernel) {
    const std::int64_t bytes = 2 * largest_segment() * static_cast<std::int64_t>(sizeof(Key));
    course::cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            static_cast<int>(bytes)));
}

// Partitions in a row after which a list is sorted by the bitonic network, launch by launch: twice
// the logarithm of its length, which random keys do not reach, and sorted or equal ones do. Even.
__host__ __device__ inline int depth_limit(std::int64_t count) {
    int depth = 0;
    while ((std::int64_t{1} << depth) < count) ++depth;
    return 2 * depth;
}

// How many launches can be pending (made, not yet begun) while segments of `keys` keys in all,
// `longest` the longest, are sorted recursively. The lists of one depth share no key, so at most
// keys / (kLeafKeys + 1) of them are longer than a leaf. Each of those may have come to the depth
// limit and wait with all steps of its network; the shortest has the most for each key. And each
// depth's lists may have left a leaf apiece that still waits, the last ones two.
inline std::int64_t pending_launches(std::int64_t keys, std::int64_t longest) {
    const std::int64_t lists = keys / (kLeafKeys + 1) + 1;
    return lists * (step_sort_launches(kLeafKeys + 1) + depth_limit(longest) + 1);
}

}  // namespace quicksort
