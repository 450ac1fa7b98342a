// SPDX-License-Identifier: MIT
// The particles of a wave, added by two bounds of each energy.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "limit/06_waves_in_one_pass/tiles.cuh"

namespace storms {

// The greatest relative distance between an energy and share * approximation, up to a distance of
// 2^21. tests/chapters/storms/two_bounds_test.cu tries all of them.
constexpr float kError = 6.5f * 0x1p-24f;
constexpr unsigned kStaged = 512;  // particles in shared memory

// Stages the particles of a wave from `begin` on: bounds of the share; position and share.
__device__ __forceinline__ void stage_particles(float2 (&bounds)[kStaged],
                                                float2 (&particles)[kStaged], float error,
                                                float size,
                                                const std::int64_t* __restrict__ positions,
                                                const int* __restrict__ values, unsigned begin,
                                                unsigned count) {
    for (unsigned i = threadIdx.x; i < kStaged; i += kUpdateBlock) {
        float position = 0, share = 0;  // after the last particle: no energy
        if (begin + i < count) {
            position = static_cast<float>(positions[begin + i]);
            share = static_cast<float>(values[begin + i]) * 1000 / size;
        }
        bounds[i] =
            make_float2(fmaf(fabsf(share), -error, share), fmaf(fabsf(share), error, share));
        particles[i] = make_float2(position, share);
    }
}

// Of a particle, x: its position, and y: its share, in the cell at k.
__device__ __forceinline__ float exact_energy(float2 particle, float k) {
    const float d = fabsf(particle.x - k) + 1;
    return divide_by_short_root(particle.y, d, approximate_inverse_root(d));
}

// The cell at k after the exact energies of a group of particles.
template <int kGroup>
__device__ __forceinline__ float add_group(float own, float k, const float2* particles) {
    float energies[kGroup];
    for (int g = 0; g < kGroup; ++g) energies[g] = exact_energy(particles[g], k);
    for (int g = 0; g < kGroup; ++g) own += energies[g];
    return own;
}

// Adds the particles of a wave to the cells own[j] at k[j]. A rounded sum never falls when a
// summand grows, so a cell lies between the sums of its lower and of its upper bounds.
template <int kCells>
__device__ __forceinline__ void add_bounds(float (&own)[kCells], const float (&k)[kCells],
                                           float size, const std::int64_t* __restrict__ positions,
                                           const int* __restrict__ values, unsigned count) {
    constexpr int kGroup = 8 / kCells;  // particles between two comparisons
    __shared__ float2 s_bounds[kStaged], s_particles[kStaged];
    for (unsigned begin = 0; begin < count; begin += kStaged) {
        __syncthreads();  // all threads have used the particles before these
        stage_particles(s_bounds, s_particles, kError, size, positions, values, begin, count);
        __syncthreads();  // all of these particles have been written
        const unsigned staged = min(count - begin, kStaged);
        float approximations[kGroup][kCells];
        const auto approximate = [&](unsigned first) {
            for (int g = 0; g < kGroup; ++g) {
                for (int j = 0; j < kCells; ++j) {
                    const float d = fabsf(s_particles[first + g].x - k[j]) + 1;
                    approximations[g][j] = approximate_inverse_root(d);
                }
            }
        };
        approximate(0);
#pragma unroll 1
        for (unsigned i = 0; i < staged; i += kGroup) {
            float low[kCells], high[kCells];
            for (int j = 0; j < kCells; ++j) low[j] = high[j] = own[j];
            for (int g = 0; g < kGroup; ++g) {
                const float2 bounds = s_bounds[i + g];
                for (int j = 0; j < kCells; ++j) {
                    low[j] = fmaf(bounds.x, approximations[g][j], low[j]);
                    high[j] = fmaf(bounds.y, approximations[g][j], high[j]);
                }
            }
            approximate((i + kGroup) % kStaged);  // meanwhile, for the next group
            bool same = true;
            for (int j = 0; j < kCells; ++j) same = same && low[j] == high[j];
            for (int j = 0; !same && j < kCells; ++j) {
                if (low[j] != high[j]) low[j] = add_group<kGroup>(own[j], k[j], &s_particles[i]);
            }
            for (int j = 0; j < kCells; ++j) own[j] = low[j];
        }
    }
}

// As bombard_kernel(), for positions below kShort. A thread with one cell may use many registers,
// for the approximations of a whole group.
template <int kCells>
__global__ void __launch_bounds__(kUpdateBlock, kCells == 1 ? 2 : 8)
    bombard_short_kernel(const float* __restrict__ layer, float* __restrict__ next_layer,
                         std::int64_t size, const std::int64_t* __restrict__ positions,
                         const int* __restrict__ values, const std::int64_t* __restrict__ begins,
                         std::int64_t waves, int halo, Key* __restrict__ keys) {
    constexpr int kTile = kCells * kUpdateBlock;
    const std::int64_t first = std::int64_t{kTile - 2 * halo} * blockIdx.x - halo;
    float k[kCells], own[kCells];
    for (int j = 0; j < kCells; ++j) {
        const std::int64_t cell = first + threadIdx.x + j * kUpdateBlock;
        k[j] = static_cast<float>(cell);
        own[j] = layer != nullptr && cell >= 0 && cell < size ? layer[cell] : 0.0f;
    }
    for (std::int64_t w = 0; w < waves; ++w) {
        add_bounds(own, k, static_cast<float>(size), positions + begins[w], values + begins[w],
                   static_cast<unsigned>(begins[w + 1] - begins[w]));
        relax_and_find(own, first, size, halo, keys + w);
    }
    for (int j = 0; j < kCells; ++j) {
        const int i = threadIdx.x + j * kUpdateBlock;
        if (i >= halo && i < kTile - halo && first + i < size) next_layer[first + i] = own[j];
    }
}

}  // namespace storms
