// SPDX-License-Identifier: MIT
// The greatest peak of a block, as stage 09_block_maximum finds it, for stages with other blocks.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/relaxation.cuh"

namespace storms {

// Writes the greatest of a peak per thread to `values` and `positions` at the block's number; of
// equal peaks, the one with the lowest position. kThreads: threads per block, a power of two.
template <int kThreads>
__device__ __forceinline__ void write_block_peak(float value, std::int64_t position,
                                                 float* __restrict__ values,
                                                 std::int64_t* __restrict__ positions) {
    __shared__ float s_values[kThreads];
    __shared__ std::int64_t s_positions[kThreads];
    const int thread = threadIdx.x;
    s_values[thread] = value;
    s_positions[thread] = position;
    for (int half = kThreads / 2; half > 0; half /= 2) {
        __syncthreads();  // the upper half has been written
        if (thread < half) keep_greater(s_values, s_positions, thread, thread + half);
    }
    if (thread > 0) return;
    values[blockIdx.x] = s_values[0];
    positions[blockIdx.x] = s_positions[0];
}

}  // namespace storms
