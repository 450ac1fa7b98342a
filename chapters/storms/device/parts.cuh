// SPDX-License-Identifier: MIT
// A part of a wave: what 32 particles add to a tile of cells, by the sums of two bounds and, where
// these differ, by exact energies. For the stages from 22_split_particles on.
#pragma once

#include <cuda_runtime.h>

#include "device/bounds.cuh"

namespace storms {

constexpr int kWarps = 28;  // per block; a multiple of four
constexpr int kPart = 32;  // particles, one per lane
constexpr int kNeighbours = 8;  // cells per lane
constexpr int kTile = 32 * kNeighbours;  // cells
constexpr float kCentre = (kNeighbours - 1) / 2.0f;
constexpr int kTogether = 4;  // far particles whose approximations are computed together
constexpr int kBinade = 1 << 23;  // floats between two powers of two

// As kError, for approximations with slope and bend, from the distance kBentFar on.
// tests/chapters/storms/parts_test.cu tries all distances.
// From kStraightFar on, the slope alone is good enough.
constexpr float kBentError = 8.25f * 0x1p-24f, kBentFar = 512, kStraightFar = 8192;

// The particles of a part if so many are left. Also a chunk that is not full is for all warps.
__device__ __forceinline__ int each_in(unsigned left) {
    return static_cast<int>(min((left + kWarps - 1) / kWarps, unsigned{kPart}));
}

// A third power with the sign of `side`: minus half of it is the slope of 1 / sqrt(d) at the cells
// on this side of a particle.
__device__ __forceinline__ float signed_cube(float approximation, float side) {
    return approximation * approximation * copysignf(approximation, side);
}

// The approximation of 1 / sqrt() for the cell that lies so far away from the middle: two or three
// terms of a Taylor series. cube: signed_cube() of the middle; fifth: its fifth power.
template <bool kIsBent>
__device__ __forceinline__ float approximate_beside(float middle, float cube, float fifth,
                                                    float away) {
    return fmaf(-away / 2, cube, kIsBent ? fmaf(0.375f * away * away, fifth, middle) : middle);
}

// A warp's part of the particles, in shared memory: first their bounds, then a word for each cell:
// what the part adds. Four more words: so those of all parts for one cell lie in eight banks.
union Part {
    float4 bounds[kPart];  // of the share, lower and upper, and the particle's position
    int words[kTile + 4];
};

// Adds the bounds of a particle to the sums of the cells first, first + 1, ... bounds: of the
// share, lower and upper, and the particle's position. It is at least kBentFar away from all cells,
// or kStraightFar.
template <bool kIsBent>
__device__ __forceinline__ void add_far(float (&low)[kNeighbours], float (&high)[kNeighbours],
                                        float first, float4 bounds) {
    const float side = first + kCentre - bounds.z, d = fabsf(side) + 1;
    const float middle = approximate_inverse_root(d);
    const float cube = signed_cube(middle, side);
    const float fifth = fabsf(cube) * (middle * middle);
    for (int j = 0; j < kNeighbours; ++j) {
        const float beside = approximate_beside<kIsBent>(middle, cube, fifth, j - kCentre);
        low[j] = fmaf(bounds.x, beside, low[j]);
        high[j] = fmaf(bounds.y, beside, high[j]);
    }
}

// The same at any distance.
template <int kCells>
__device__ __forceinline__ void add_near(float (&low)[kCells], float (&high)[kCells], float first,
                                         float4 bounds) {
    for (int j = 0; j < kCells; ++j) {
        const float d = fabsf(bounds.z - (first + j)) + 1;
        const float approximation = approximate_inverse_root(d);
        low[j] = fmaf(bounds.x, approximation, low[j]);
        high[j] = fmaf(bounds.y, approximation, high[j]);
    }
}

// Takes whole groups of the lanes that are candidates, `taken` lanes. Returns the place of this
// lane behind `before` others, or -1.
__device__ __forceinline__ int take_groups(bool is_candidate, int before, int& taken) {
    const unsigned all = __ballot_sync(~0u, is_candidate);
    const int rank = __popc(all & ((1u << threadIdx.x % 32) - 1));
    taken = __popc(all) / kTogether * kTogether;
    return is_candidate && rank < taken ? before + rank : -1;
}

// How many particles of a part are far away: those for the slope alone come first.
struct Far {
    int straight, bent;
};

// Writes the bounds of a warp's particles, of which the lane has x: the position, and y: the share.
// First come those that are far away from the tile around `middle`, in groups. Any order is right,
// because the parts of a sum within a binade have any order.
__device__ __forceinline__ Far stage_bounds(float4* bounds, float2 particle, bool exists,
                                            float middle) {
    const float away = exists ? fabsf(particle.x - middle) - kTile / 2 : 0;
    Far far;
    int place = take_groups(away >= kStraightFar, 0, far.straight);
    const int bent = take_groups(place < 0 && away >= kBentFar, far.straight, far.bent);
    if (place < 0) place = bent;
    const float error = place < 0 ? kError : kBentError;
    const unsigned near = __ballot_sync(~0u, place < 0);
    if (place < 0) {
        place = far.straight + far.bent + __popc(near & ((1u << threadIdx.x % 32) - 1));
    }
    bounds[place] = make_float4(fmaf(particle.y, -error, particle.y),
                                fmaf(particle.y, error, particle.y), particle.x, 0);
    return far;
}

// Cells lie in shared memory so that the neighbours of a lane are 32 slots apart.
__device__ __forceinline__ int cell_of(int slot) { return kNeighbours * (slot % 32) + slot / 32; }

// The bits of the power of two below a sum; 0 for 0.
__device__ __forceinline__ int binade_of(float sum) { return __float_as_int(sum) & -kBinade; }

__device__ __forceinline__ float exact_energy(float2 particle, float k) {
    const float d = fabsf(particle.x - k) + 1;
    return divide_by_short_root(particle.y, d, approximate_inverse_root(d));
}

// What a part adds to the bits of a cell: units from an even sum on; how many more (-1, 0 or 1)
// from an odd one on. Its word is negative if they differ.
struct Units {
    int even, more;
};

__device__ __forceinline__ int word_of(Units units) {
    return units.more == 0 ? units.even : ~(2 * units.even + (units.more > 0 ? 1 : 0));
}

__device__ __forceinline__ Units units_of(int word) {
    if (word >= 0) return {min(word, kBinade), 0};  // so that no sum of words overflows
    return {~word / 2, ~word % 2 != 0 ? 1 : -1};
}

// Of the cell at k, by exact energies. Each lane has a particle.
__device__ __forceinline__ Units exact_units(int binade, float k, float2 particle) {
    const float energy = exact_energy(particle, k);
    float even = __int_as_float(binade), odd = __int_as_float(binade + 1);
    const int units = __float_as_int(even + energy) - binade;
    const bool tie = __float_as_int(odd + energy) - (binade + 1) != units;
    if (!__any_sync(~0u, tie)) return {__reduce_add_sync(~0u, units), 0};
    // In the middle of two floats, the even one is taken. So one after another, from both on:
    for (int i = 0; i < kPart; ++i) {
        const float next = __shfl_sync(~0u, energy, i);
        even += next;
        odd += next;
    }
    return {__float_as_int(even) - binade, __float_as_int(odd) - __float_as_int(even) - 1};
}

// Writes the words of the cells that are open: each lane has a bit for each of its neighbours.
__device__ __forceinline__ void correct_words(Part& part, const int (&bases)[kTile], float first,
                                              float2 particle, unsigned open) {
    const int lane = threadIdx.x % 32;
    __syncwarp();  // all words have been written, before lane 0 corrects some
    // The whole warp has the same loop variables, so no lane has to tell the others what is open.
    for (unsigned some = __reduce_or_sync(~0u, open); some != 0; some &= some - 1) {
        const int j = __ffs(some) - 1;
        unsigned lanes = __ballot_sync(~0u, (open >> j & 1) != 0);
        for (; lanes != 0; lanes &= lanes - 1) {
            const int slot = 32 * j + __ffs(lanes) - 1;
            const Units units = exact_units(bases[slot], first + cell_of(slot), particle);
            if (lane == 0) part.words[slot] = word_of(units);
        }
    }
}

// The words of a warp's part and all cells of the tile. Equal sums of bounds are those of the exact
// energies, and no energy is a tie: the bounds are strict, so one lies below the middle and one
// above it, and sums that differ once differ until the end. bases: the power of two of each cell.
__device__ __forceinline__ void sum_part(Part& part, const int (&bases)[kTile], float first,
                                         Far far, int existing, float2 particle) {
    const int lane = threadIdx.x % 32;
    const float lane_first = first + kNeighbours * lane;
    float low[kNeighbours], high[kNeighbours];
    for (int j = 0; j < kNeighbours; ++j) {
        low[j] = high[j] = __int_as_float(bases[32 * j + lane]);
    }
    int i = 0;
#pragma unroll 1
    for (; i < far.straight; i += kTogether) {
        for (int g = 0; g < kTogether; ++g) {
            add_far<false>(low, high, lane_first, part.bounds[i + g]);
        }
    }
#pragma unroll 1
    for (; i < far.straight + far.bent; i += kTogether) {
        for (int g = 0; g < kTogether; ++g) {
            add_far<true>(low, high, lane_first, part.bounds[i + g]);
        }
    }
#pragma unroll 1
    for (; i < existing; ++i) add_near(low, high, lane_first, part.bounds[i]);
    __syncwarp();  // all lanes have read the bounds, in whose place the words are written
    unsigned open = 0;  // cells of this lane whose sums differ
    for (int j = 0; j < kNeighbours; ++j) {
        const int units = __float_as_int(low[j]) - bases[32 * j + lane];
        part.words[32 * j + lane] = units;
        if (low[j] < high[j] && units < kBinade) open |= 1u << j;
    }
    correct_words(part, bases, first, particle, open);
}

}  // namespace storms
