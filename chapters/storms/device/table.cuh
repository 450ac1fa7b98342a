// SPDX-License-Identifier: MIT
// The particles of a layer of few cells, with a table of distances.
// Unchanged from stage 20_distance_table.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/tiles.cuh"

namespace storms {

// Up to so many cells, nearly all distances fit into the table.
constexpr std::int64_t kFewCells = std::int64_t{1} << 15;
constexpr int kTabledCells = 2;  // per thread
constexpr int kGroup = 8;  // particles that a thread has in flight
constexpr int kEntry = sizeof(float2);

// Adds the particles to the cells own[j] at k[j] / kEntry, which lie from `lowest` to `highest`.
// Entry d - 1 of the table, counted in bytes, holds the root of d, and 1 / root correctly rounded.
template <int kCells>
__device__ __forceinline__ void add_tabled_particles(float (&own)[kCells], const int (&k)[kCells],
                                                     int lowest, int highest, float cells,
                                                     const char* table, int length,
                                                     const std::int64_t* __restrict__ positions,
                                                     const int* __restrict__ values,
                                                     std::int64_t count) {
    __shared__ int s_offsets[kUpdateBlock];
    __shared__ float s_shares[kUpdateBlock];
    __shared__ unsigned s_tabled[kUpdateBlock / 32];  // a bit per particle
    const int thread = threadIdx.x;
    for (std::int64_t begin = 0; begin < count; begin += kUpdateBlock) {
        __syncthreads();  // all threads have used the particles before these
        bool tabled = false;
        if (begin + thread < count) {
            const int position = static_cast<int>(positions[begin + thread]);
            s_offsets[thread] = position * kEntry;
            s_shares[thread] = static_cast<float>(values[begin + thread]) * 1000 / cells;
            tabled = max(abs(position - lowest), abs(position - highest)) < length;
        }
        const unsigned mask = __ballot_sync(~0u, tabled);
        if (thread % 32 == 0) s_tabled[thread / 32] = mask;
        __syncthreads();  // all of these particles have been written
        const int staged = static_cast<int>(min(count - begin, std::int64_t{kUpdateBlock}));
        for (int i = 0; i < staged; i += kGroup) {
            const bool all = (~s_tabled[i / 32] >> i % 32 & ((1u << kGroup) - 1)) == 0;
#pragma unroll
            for (int g = i; all && g < i + kGroup; ++g) {
#pragma unroll
                for (int j = 0; j < kCells; ++j) {
                    const unsigned offset = __sad(s_offsets[g], k[j], 0u);
                    const float2 entry = *reinterpret_cast<const float2*>(table + offset);
                    const float quotient = s_shares[g] * entry.y;
                    own[j] += fmaf(fmaf(-entry.x, quotient, s_shares[g]), entry.y, quotient);
                }
            }
            for (int g = i; !all && g < min(i + kGroup, staged); ++g) {
#pragma unroll
                for (int j = 0; j < kCells; ++j) {
                    add_energy(own[j], static_cast<float>(k[j] / kEntry),
                               static_cast<float>(s_offsets[g] / kEntry), s_shares[g], 0.0f);
                }
            }
        }
    }
}

// As bombard_kernel(), for positions below kShort and few cells.
__global__ void __launch_bounds__(kUpdateBlock, 1)
    bombard_few_kernel(const float* __restrict__ layer, float* __restrict__ next_layer, int size,
                       const std::int64_t* __restrict__ positions, const int* __restrict__ values,
                       const std::int64_t* __restrict__ begins, std::int64_t waves, int halo,
                       Key* __restrict__ keys, int length) {
    extern __shared__ float2 s_table[];
    constexpr int kTile = kTabledCells * kUpdateBlock;
    const int first = (kTile - 2 * halo) * static_cast<int>(blockIdx.x) - halo;
    const int lowest = max(first, 0), highest = min(first + kTile, size) - 1;
    for (int i = threadIdx.x; i < length; i += kUpdateBlock) {
        const float root = sqrtf(static_cast<float>(i + 1));
        s_table[i] = make_float2(root, 1 / root);
    }
    int k[kTabledCells];
    float own[kTabledCells];
#pragma unroll
    for (int j = 0; j < kTabledCells; ++j) {
        const int cell = first + static_cast<int>(threadIdx.x) + j * kUpdateBlock;
        const int inside = min(max(cell, lowest), highest);
        k[j] = inside * kEntry;
        own[j] = layer != nullptr ? layer[inside] : 0.0f;
    }
    for (std::int64_t w = 0; w < waves; ++w) {
        add_tabled_particles(own, k, lowest, highest, static_cast<float>(size),
                             reinterpret_cast<const char*>(s_table), length, positions + begins[w],
                             values + begins[w], begins[w + 1] - begins[w]);
        relax_and_find(own, first, size, halo, keys + w);
    }
#pragma unroll
    for (int j = 0; j < kTabledCells; ++j) {
        const int i = threadIdx.x + j * kUpdateBlock;
        if (i >= halo && i < kTile - halo && first + i < size) next_layer[first + i] = own[j];
    }
}

}  // namespace storms
