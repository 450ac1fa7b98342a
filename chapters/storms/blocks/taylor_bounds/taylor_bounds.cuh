// SPDX-License-Identifier: MIT
// Bounds of 32 energies in eight neighbouring cells per lane, by a Taylor series of the inverse
// root.
#pragma once

#include <cuda_runtime.h>

#include "limit/07_two_bounds/bounds.cuh"

namespace storms {

constexpr int kNeighbours = 8;  // cells per lane
constexpr float kCentre = (kNeighbours - 1) / 2.0f;
constexpr int kTogether = 4;  // far particles whose approximations are computed together
// As kError, for approximations with slope and bend, from the distance kBentFar on.
// tests/chapters/storms/taylor_bounds_test.cu tries all distances.
// From kStraightFar on, the slope alone is good enough.
constexpr float kBentError = 8.25f * 0x1p-24f, kBentFar = 512, kStraightFar = 8192;

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

// How many of 32 particles are far away: those for the slope alone come first.
struct FarCounts {
    int straight, bent;
};

// Writes the bounds of a warp's particles, of which the lane has x: the position, and y: the share.
// First come those that are far away from the cells around `middle`, in groups: only where any
// order is right. half_width: of the cells.
__device__ __forceinline__ FarCounts stage_bounds(float4* bounds, float2 particle, bool exists,
                                                  float middle, int half_width) {
    const float away = exists ? fabsf(particle.x - middle) - half_width : 0;
    FarCounts far;
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

// Adds what stage_bounds() has written, of `existing` particles, to the sums of this lane's cells.
__device__ __forceinline__ void add_staged_bounds(float (&low)[kNeighbours],
                                                  float (&high)[kNeighbours], float first,
                                                  const float4* bounds, FarCounts far,
                                                  int existing) {
    int i = 0;
#pragma unroll 1
    for (; i < far.straight; i += kTogether) {
        for (int g = 0; g < kTogether; ++g) add_far<false>(low, high, first, bounds[i + g]);
    }
#pragma unroll 1
    for (; i < far.straight + far.bent; i += kTogether) {
        for (int g = 0; g < kTogether; ++g) add_far<true>(low, high, first, bounds[i + g]);
    }
#pragma unroll 1
    for (; i < existing; ++i) add_near(low, high, first, bounds[i]);
}

}  // namespace storms
