// SPDX-License-Identifier: MIT
// Counting where neighbours go to the same part.
#pragma once

#include <cuda_runtime.h>

#include "limit/05_sub_buckets/search_tree.cuh"
#include "limit/09_two_pipes/path_tree.cuh"

namespace quicksort {

struct RunTree : PathTree {
    // Four neighbours in each of 32 threads: if all go to one cell, one thread counts them. 128
    // additions to one word would have to wait for each other.
    static __device__ __forceinline__ void count(unsigned* s_counts, unsigned* places) {
        const unsigned lane = threadIdx.x % 32, cell = __shfl_sync(0xffffffff, places[0], 0);
        bool same = true;
#pragma unroll
        for (int k = 0; k < 4; ++k) same = same && places[k] == cell;
        if (!__all_sync(0xffffffff, same)) return count_four(s_counts, places);
        unsigned before = 0;
        if (lane == 0) before = atomicAdd(&word_at(s_counts, cell), 4u * 128);
        before = __shfl_sync(0xffffffff, before, 0);
#pragma unroll
        for (unsigned k = 0; k < 4; ++k) places[k] += (before + 4 * (4 * lane + k)) * 65536;
    }
};

}  // namespace quicksort
