// SPDX-License-Identifier: MIT
// What a list of particles adds to the bits of a thread's neighbouring cells: whole numbers, by two
// bounds of each energy, and exactly where the bounds differ.
#pragma once

#include <cuda_runtime.h>

#include "blocks/rounded_units/rounded_units.cuh"
#include "blocks/taylor_bounds/taylor_bounds.cuh"

namespace storms {

// A list in shared memory: position and share of each particle.
struct NearParticles {
    const float2* particles;
    const int& count;
};

// Counts the units exactly for the open cells, which have a bit each. Returns those with a tie:
// there the units depend on whether the sum is odd. A loop over registers would be as many loops as
// there are cells, so meanwhile the open cells lie in shared memory. s_cells: of this thread.
template <int kCells>
__device__ __forceinline__ unsigned count_exactly(int (&units)[kCells], const float (&own)[kCells],
                                                  float first, NearParticles near, float* s_cells,
                                                  unsigned open) {
    for (int j = 0; j < kCells; ++j) {
        if (open >> j & 1) s_cells[j] = __int_as_float(binade_of(own[j]));
    }
    unsigned ties = 0;
#pragma unroll 1
    for (unsigned some = open; some != 0; some &= some - 1) {
        const int j = __ffs(some) - 1, base = __float_as_int(s_cells[j]);
        int sum = 0;
        bool tie = false;
#pragma unroll 1
        for (int i = 0; i < near.count; ++i) {
            bool is_tie;
            const float energy = exact_energy(near.particles[i], first + j);
            const int more = rounded_units(base, energy, is_tie);
            tie = tie || is_tie;
            sum += min(more, kBinade);  // so that no sum overflows
        }
        s_cells[j] = __int_as_float(sum);
        if (tie) ties |= 1u << j;
    }
    for (int j = 0; j < kCells; ++j) {
        if (open >> j & 1) units[j] = __float_as_int(s_cells[j]);
    }
    return ties;
}

// What the particles add to the bits of the cells first, first + 1, ... Equal sums of bounds are
// those of the exact energies, without a tie. Returns the cells with ties, and those of `ties`,
// which are not counted. s_cells: as many of this thread in shared memory.
template <int kCells>
__device__ __forceinline__ unsigned count_near_units(int (&units)[kCells],
                                                     const float (&own)[kCells], float first,
                                                     NearParticles near, float* s_cells,
                                                     unsigned ties) {
    float low[kCells], high[kCells];
    for (int j = 0; j < kCells; ++j) low[j] = high[j] = __int_as_float(binade_of(own[j]));
#pragma unroll 1
    for (int i = 0; i < near.count; ++i) {
        const float2 particle = near.particles[i];
        const float share = particle.y;
        add_near(
            low, high, first,
            make_float4(fmaf(share, -kError, share), fmaf(share, kError, share), particle.x, 0));
    }
    unsigned open = 0;
    for (int j = 0; j < kCells; ++j) {
        units[j] = min(__float_as_int(low[j]) - binade_of(own[j]), kBinade);
        if (low[j] != high[j] && units[j] < kBinade) open |= 1u << j;
    }
    open &= ~ties;
    if (open != 0) ties |= count_exactly(units, own, first, near, s_cells, open);
    return ties;
}

}  // namespace storms
