// SPDX-License-Identifier: MIT
// Relaxation and search in one kernel, whose blocks find their greatest peaks.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace storms {

constexpr int kBlockSize = 256;

// Cell k after the relaxation. Both ends keep their values.
__device__ __forceinline__ float relaxed_cell(const float* layer, std::int64_t size,
                                              std::int64_t k) {
    if (k == 0 || k == size - 1) return layer[k];
    return (layer[k - 1] + layer[k] + layer[k + 1]) / 3;
}

// The greater of two peaks goes to place i; of equal peaks, the one with the lower position.
__device__ __forceinline__ void keep_greater(float* values, std::int64_t* positions, std::int64_t i,
                                             std::int64_t other) {
    if (values[other] < values[i]) return;
    if (values[other] == values[i] && positions[other] >= positions[i]) return;
    values[i] = values[other];
    positions[i] = positions[other];
}

// A cell that is no peak counts as a peak of value 0 at position 0. Where the layer has no peak,
// this is the answer.
__global__ void relax_and_find_kernel(const float* __restrict__ layer,
                                      float* __restrict__ relaxed_layer, std::int64_t size,
                                      float* __restrict__ values,
                                      std::int64_t* __restrict__ positions) {
    __shared__ float s_values[kBlockSize];
    __shared__ std::int64_t s_positions[kBlockSize];
    const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const int thread = threadIdx.x;
    const float own = k < size ? relaxed_cell(layer, size, k) : 0.0f;
    if (k < size) relaxed_layer[k] = own;
    const bool peak = k > 0 && k < size - 1 && own > relaxed_cell(layer, size, k - 1) &&
                      own > relaxed_cell(layer, size, k + 1) && own > 0;
    s_values[thread] = peak ? own : 0.0f;
    s_positions[thread] = peak ? k : 0;
    for (int half = kBlockSize / 2; half > 0; half /= 2) {
        __syncthreads();  // the upper half has been written
        if (thread < half) keep_greater(s_values, s_positions, thread, thread + half);
    }
    if (thread > 0) return;
    values[blockIdx.x] = s_values[0];
    positions[blockIdx.x] = s_positions[0];
}

}  // namespace storms
