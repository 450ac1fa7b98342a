// SPDX-License-Identifier: MIT
// Splitters from a few evenly spaced keys of each list.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/networks/bitonic_sort.cuh"
#include "blocks/rounds/rounds.cuh"
#include "limit/01_multiway_partition/multiway.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

inline constexpr int kKeysPerSplitter =
    4096;  // on average; but no more than kSplitters - 1 splitters

// One block per list. splitters: kSplitters per list, in order, padded with the largest key.
static __global__ void choose_splitters_kernel(const Key* __restrict__ from,
                                               const List* __restrict__ lists,
                                               Key* __restrict__ splitters) {
    __shared__ Key s_keys[kSplitters];
    const List list = lists[blockIdx.x];
    const std::int64_t most = kSplitters - 1;
    const auto chosen = min(max(list.count / kKeysPerSplitter, std::int64_t{1}), most);
    const int thread = threadIdx.x;
    s_keys[thread] =
        thread < chosen ? from[list.begin + (thread + 1) * list.count / (chosen + 1)] : kLargestKey;
    sort_by_block(s_keys, kSplitters);
    splitters[static_cast<std::int64_t>(blockIdx.x) * kSplitters + thread] = s_keys[thread];
}

}  // namespace quicksort
