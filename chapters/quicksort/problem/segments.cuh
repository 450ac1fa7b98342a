// SPDX-License-Identifier: MIT
// Of the stages that launch kernels from kernels: how long a segment is, how deep the recursion
// goes, and how many launches can be pending.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/dynamic_parallelism.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

using course::allow_pending_launches, course::LaunchErrors, course::note_launch_error;

inline constexpr int kBlockSize = 1024;
inline constexpr int kLeafKeys = 2 * kBlockSize;  // one block sorts them by the bitonic network

// Shared memory left for the kernel's other arrays: the sums of its warps.
inline constexpr int kReservedSharedBytes = 512;

// The most keys of which one block can hold two lists in shared memory, on the current device. A
// launch may ask for more than 48 KB only after allow_shared_lists. 28992 keys on an H200; 6080
// keys on a GTX 980, as in the thesis.
inline std::int64_t largest_segment() {
    int device = 0, shared_bytes = 0;
    course::cuda_check(cudaGetDevice(&device));
    course::cuda_check(
        cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    return (shared_bytes - kReservedSharedBytes) / (2 * static_cast<int>(sizeof(Key)));
}

// Allows `kernel` shared memory for two lists of a segment each, launched from host or device.
template <class Kernel>
void allow_shared_lists(Kernel* kernel) {
    const std::int64_t bytes = 2 * largest_segment() * static_cast<std::int64_t>(sizeof(Key));
    course::cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            static_cast<int>(bytes)));
}

// How many kernels launch_step_sort launches.
__host__ __device__ inline int step_sort_launches(std::int64_t count) {
    int merges = 0;
    for (std::int64_t size = 2; size < 2 * count; size *= 2) ++merges;
    return merges * (merges + 1) / 2;
}

// After how many partitions in a row a list is sorted by the two kernels of stage 04 instead: twice
// the logarithm of its length. Random keys do not reach this limit, sorted or equal keys do. Even.
__host__ __device__ inline int depth_limit(std::int64_t count) {
    int depth = 0;
    while ((std::int64_t{1} << depth) < count) ++depth;
    return 2 * depth;
}

// How many launches can be pending (queued, not yet started) while segments are sorted recursively:
// `keys` keys in all, `longest` in the longest segment. The lists of one depth share no key, so at
// most keys / (kLeafKeys + 1) of them are longer than a leaf. Each of these may have reached the
// depth limit, with all steps of its network pending; the shortest list has the most steps per key.
// In addition, each depth's lists may leave one pending leaf sort each, those at the last depth
// two.
inline std::int64_t pending_launches(std::int64_t keys, std::int64_t longest) {
    const std::int64_t lists = keys / (kLeafKeys + 1) + 1;
    return lists * (step_sort_launches(kLeafKeys + 1) + depth_limit(longest) + 1);
}

}  // namespace quicksort
