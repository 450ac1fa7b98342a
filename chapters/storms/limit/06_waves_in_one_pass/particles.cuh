// SPDX-License-Identifier: MIT
// The particles of a wave, added to several cells in the registers of a thread.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "limit/05_proven_waves/energies.cuh"

namespace storms {

constexpr int kUpdateBlock = 128;  // threads

// Adds the particles to the thread's cells: own[j] at k[j]. Place: the type of a position.
template <int kCells, typename Place>
__device__ __forceinline__ void add_particles(float (&own)[kCells], const Place (&k)[kCells],
                                              float cells,
                                              const std::int64_t* __restrict__ positions,
                                              const int* __restrict__ values, std::int64_t count) {
    __shared__ Place s_positions[kUpdateBlock];
    __shared__ float s_shares[kUpdateBlock];
    const float threshold = 0.001f / cells;
    for (std::int64_t begin = 0; begin < count; begin += kUpdateBlock) {
        __syncthreads();  // all threads have used the particles before these
        if (begin + threadIdx.x < count) {
            s_positions[threadIdx.x] = static_cast<Place>(positions[begin + threadIdx.x]);
            s_shares[threadIdx.x] = static_cast<float>(values[begin + threadIdx.x]) * 1000 / cells;
        }
        __syncthreads();  // all of these particles have been written
        const int staged = static_cast<int>(min(count - begin, std::int64_t{kUpdateBlock}));
#pragma unroll 4
        for (int i = 0; i < staged; ++i) {
#pragma unroll
            for (int j = 0; j < kCells; ++j) {
                add_energy(own[j], k[j], s_positions[i], s_shares[i], threshold);
            }
        }
    }
}

}  // namespace storms
