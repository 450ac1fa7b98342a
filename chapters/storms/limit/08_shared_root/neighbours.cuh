// SPDX-License-Identifier: MIT
// The particles of a wave, added to neighbouring cells that share an approximation. A thread has
// kMostCells of them; the functions with a parameter kCells allow fewer.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "limit/07_two_bounds/bounds.cuh"

namespace storms {

constexpr int kMostCells = 10, kGroup = 2;  // per thread; particles between two comparisons
constexpr float kMiddle = (kMostCells - 1) / 2.0f;  // of a thread's cells
// As kError, without the straight line's own error, which is at most kBend / d^2.
// tests/chapters/storms/shared_root_test.cu tries all distances from kFar on.
constexpr float kSharedError = 4.92f * 0x1p-24f, kBend = 0.375f * kMiddle * kMiddle, kFar = 1024;

// The error for a thread whose cells are all at the distance and 1 of d, or farther.
__device__ __forceinline__ float shared_error(float d) {
    return d < kFar ? INFINITY : kSharedError + kBend / (d * d);
}

// The inverse roots of the cells of a thread, from that of their middle, which is at the distance
// and 1 of d, on this side of the particle. A step of Newton's method pays for all cells.
template <int kCells>
__device__ __forceinline__ void share_inverse_root(float (&approximations)[kCells],
                                                   float approximation, float d, float side) {
    constexpr float kCentre = (kCells - 1) / 2.0f;
    const float square = approximation * approximation;
    const float middle = fmaf(fmaf(-d, square, 1.0f) / 2, approximation, approximation);
    const float cube = square * copysignf(approximation, side);  // -2 * slope
    for (int j = 0; j < kCells; ++j) approximations[j] = fmaf((kCentre - j) / 2, cube, middle);
}

// Widens the bounds by the line's error in the tile that begins at `first`. The line lies below the
// inverse root, so only the bounds that are farther from 0 change. kCells: of a thread.
template <int kCells = kMostCells>
__device__ __forceinline__ void widen_bounds(float2* bounds, const float2* particles,
                                             unsigned count, float first) {
    constexpr float kHalf = (kCells * kUpdateBlock - 1) / 2.0f;
    for (unsigned i = threadIdx.x; i < count; i += kUpdateBlock) {
        const float share = particles[i].y;
        const float d = fmaxf(fabsf(first + kHalf - particles[i].x) - kHalf, 0.0f) + 1;
        (share < 0 ? bounds[i].x : bounds[i].y) = fmaf(share, shared_error(d), share);
    }
}

// As add_bounds(), for one group of particles and the neighbouring cells first, first + 1, ...
template <int kCells>
__device__ __forceinline__ void add_shared_group(float (&own)[kCells], float first,
                                                 const float2* bounds, const float2* particles) {
    constexpr float kCentre = (kCells - 1) / 2.0f;
    float low[kCells], high[kCells], approximations[kCells];
    for (int j = 0; j < kCells; ++j) low[j] = high[j] = own[j];
    for (int g = 0; g < kGroup; ++g) {
        const float2 share = bounds[g];
        const float side = first + kCentre - particles[g].x, d = fabsf(side) + 1;
        share_inverse_root(approximations, approximate_inverse_root(d), d, side);
        for (int j = 0; j < kCells; ++j) {
            low[j] = fmaf(share.x, approximations[j], low[j]);
            high[j] = fmaf(share.y, approximations[j], high[j]);
        }
    }
    int differ = 0;
    for (int j = 0; j < kCells; ++j) differ |= __float_as_int(low[j]) ^ __float_as_int(high[j]);
    for (int j = 0; differ != 0 && j < kCells; ++j) {
        if (low[j] != high[j]) low[j] = add_group<kGroup>(own[j], first + j, particles);
    }
    for (int j = 0; j < kCells; ++j) own[j] = low[j];
}

// The same for `count` particles. Two groups per round save moves between registers.
template <int kCells, typename Count>
__device__ __forceinline__ void add_shared_groups(float (&own)[kCells], float first,
                                                  const float2* bounds, const float2* particles,
                                                  Count count) {
#pragma unroll 1
    for (Count i = 0; i < count; i += 2 * kGroup) {
        add_shared_group(own, first, &bounds[i], &particles[i]);
        add_shared_group(own, first, &bounds[i + kGroup], &particles[i + kGroup]);
    }
}

// The same for all particles of a wave.
__device__ __forceinline__ void add_shared_bounds(float (&own)[kMostCells], float first, float size,
                                                  const std::int64_t* __restrict__ positions,
                                                  const int* __restrict__ values, unsigned count) {
    __shared__ float2 s_bounds[kStaged], s_particles[kStaged];
    for (unsigned begin = 0; begin < count; begin += kStaged) {
        __syncthreads();  // all threads have used the particles before these
        stage_particles(s_bounds, s_particles, kSharedError, size, positions, values, begin, count);
        const unsigned staged = min(count - begin, kStaged);
        widen_bounds(s_bounds, s_particles, staged, first - threadIdx.x * kMostCells);
        __syncthreads();  // all of these particles have been written
        add_shared_groups(own, first, s_bounds, s_particles, staged);
    }
}

// The same for the cells own[j] of the tile that begins at `first`, kUpdateBlock apart: meanwhile,
// a thread has neighbouring cells.
__device__ __forceinline__ void add_to_neighbours(float (&own)[kMostCells], std::int64_t first,
                                                  float size,
                                                  const std::int64_t* __restrict__ positions,
                                                  const int* __restrict__ values, unsigned count) {
    __shared__ float s_cells[kMostCells * kUpdateBlock];
    const int neighbours = threadIdx.x * kMostCells;
    for (int j = 0; j < kMostCells; ++j) s_cells[threadIdx.x + j * kUpdateBlock] = own[j];
    __syncthreads();  // the tile has been written
    for (int j = 0; j < kMostCells; ++j) own[j] = s_cells[neighbours + j];
    add_shared_bounds(own, static_cast<float>(first + neighbours), size, positions, values, count);
    for (int j = 0; j < kMostCells; ++j) s_cells[neighbours + j] = own[j];
    __syncthreads();  // the bombarded tile has been written
    for (int j = 0; j < kMostCells; ++j) own[j] = s_cells[threadIdx.x + j * kUpdateBlock];
}

// As bombard_short_kernel(), with neighbouring cells.
__global__ void __launch_bounds__(kUpdateBlock, 64 / kMostCells)
    bombard_neighbours_kernel(const float* __restrict__ layer, float* __restrict__ next_layer,
                              std::int64_t size, const std::int64_t* __restrict__ positions,
                              const int* __restrict__ values,
                              const std::int64_t* __restrict__ begins, std::int64_t waves, int halo,
                              Key* __restrict__ keys) {
    constexpr int kTile = kMostCells * kUpdateBlock;
    const std::int64_t first = std::int64_t{kTile - 2 * halo} * blockIdx.x - halo;
    float own[kMostCells];
    for (int j = 0; j < kMostCells; ++j) {
        const std::int64_t cell = first + threadIdx.x + j * kUpdateBlock;
        own[j] = layer != nullptr && cell >= 0 && cell < size ? layer[cell] : 0.0f;
    }
    for (std::int64_t w = 0; w < waves; ++w) {
        add_to_neighbours(own, first, static_cast<float>(size), positions + begins[w],
                          values + begins[w], static_cast<unsigned>(begins[w + 1] - begins[w]));
        relax_and_find(own, first, size, halo, keys + w);
    }
    for (int j = 0; j < kMostCells; ++j) {
        const int i = threadIdx.x + j * kUpdateBlock;
        if (i >= halo && i < kTile - halo && first + i < size) next_layer[first + i] = own[j];
    }
}

}  // namespace storms
