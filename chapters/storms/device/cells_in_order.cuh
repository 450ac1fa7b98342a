// SPDX-License-Identifier: MIT
// A warp adds what the parts of a chunk add to a cell in order: where exact energies are needed,
// and where the cell leaves its binade. For stage 22_split_particles.
#pragma once

#include <cuda_runtime.h>

#include "device/parts.cuh"

namespace storms {

// The sum over the lanes below this one.
template <typename T>
__device__ __forceinline__ T sum_below(T own) {
    T sum = own;
    for (unsigned away = 1; away < 32; away *= 2) {
        const T other = __shfl_up_sync(~0u, sum, away);
        if (threadIdx.x % 32 >= away) sum += other;
    }
    return sum - own;
}

constexpr int kMostEach = kWarps + 1;  // particles of a lane that repairs a cell

// So many are at least a 32nd of the parts' particles. The number is odd, so that all lanes read
// from other banks, and of the form 4 n + 1.
__device__ __forceinline__ int each_of(int parts) { return (parts + 2) / 4 * 4 + 1; }

// The cell at k after 32 * `each` particles; each lane takes so many, in order. A lane
// guesses the bits that it starts with, adds, and sees how many floats further it comes. The sum of
// these numbers over the lanes below is the next guess: right for at least one more lane each time.
__device__ __forceinline__ float repair_cell(float own, float k, const float2* particles,
                                             int each) {
    float energies[kMostEach] = {}, sum = 0;
    for (int begin = 0; begin < kMostEach; begin += 4) {
        if (begin >= each) continue;
        for (int i = max(begin - 3, 0); i <= begin; ++i) {
            energies[i] = exact_energy(particles[threadIdx.x % 32 * each + i], k);
        }
    }
    for (const float energy : energies) sum += energy;
    unsigned guess = __float_as_uint(own + sum_below(sum));
    while (true) {
        float end = __uint_as_float(guess);
        for (const float energy : energies) end += energy;
        const unsigned start = __float_as_uint(own) + sum_below(__float_as_uint(end) - guess);
        if (__all_sync(~0u, start == guess)) return __shfl_sync(~0u, end, 31);
        guess = start;
    }
}

// The cell at k after all parts, of which each lane has one. A warp calls.
__device__ __forceinline__ float add_in_order(float own, int base, float k,
                                              const Part (&s_parts)[kWarps], int slot,
                                              const float2* particles) {
    if (binade_of(own) != base) return repair_cell(own, k, particles, each_of(kWarps));
    const int lane = threadIdx.x % 32;
    const unsigned bits = __float_as_uint(own);
    Units units = units_of(lane < kWarps ? s_parts[lane].words[slot] : 0);
    unsigned start = bits + sum_below(units.even);
    for (unsigned ties = __ballot_sync(~0u, units.more != 0); ties != 0; ties &= ties - 1) {
        const int part = __ffs(ties) - 1;
        const bool odd = __shfl_sync(~0u, start, part) % 2 != 0;
        const int more = __shfl_sync(~0u, units.more, part);
        if (odd && lane == part) units.even += more;
        if (odd && lane > part) start += more;
    }
    const unsigned left = __ballot_sync(~0u, ((start + units.even) ^ bits) >= kBinade);
    if (left == 0) return __uint_as_float(__shfl_sync(~0u, start, 31));
    const int added = __ffs(left) - 1;
    return repair_cell(__uint_as_float(__shfl_sync(~0u, start, added)), k,
                       &particles[kPart * added], each_of(kWarps - added));
}

}  // namespace storms
