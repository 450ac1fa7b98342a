// SPDX-License-Identifier: MIT
// Sums over all bars in two steps and in a fixed order.
#pragma once

#include <cuda_runtime.h>

#include "01_global_atomics/iteration.cuh"

namespace distmesh {

__device__ __forceinline__ Sums add(Sums a, Sums b) {
    return {a.lengths + b.lengths, a.wanted + b.wanted};
}

// The sums of a block's threads, always added up in the same order. Every thread gets them.
__device__ __forceinline__ Sums sum_block(Sums own, Sums* s_sums) {
    s_sums[threadIdx.x] = own;
    __syncthreads();
    for (unsigned half = kBlockSize / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            s_sums[threadIdx.x] = add(s_sums[threadIdx.x], s_sums[threadIdx.x + half]);
        }
        __syncthreads();
    }
    return s_sums[0];
}

// The sums over all bars from those of each block.
__device__ __forceinline__ Sums sum_blocks(const Sums* sums, unsigned blocks, Sums* s_sums) {
    Sums own = {0, 0};
    for (unsigned block = threadIdx.x; block < blocks; block += kBlockSize) {
        own = add(own, sums[block]);
    }
    return sum_block(own, s_sums);
}

}  // namespace distmesh
