// SPDX-License-Identifier: MIT
// The steps of a far particle: the cells of a tile at which the number of units that its energy
// counts for changes. kThreads threads share a tile, and each has kCells neighbouring cells.
#pragma once

#include <cuda_runtime.h>

#include "blocks/ordered_sum/ordered_sum.cuh"
#include "limit/09_split_particles/split.cuh"

namespace storms {

constexpr int kInfinity = 255 * kBinade;  // the bits of a slot without a cell
constexpr int kLeastBase = 64 * kBinade;

// What an energy is multiplied by to count units. base: the bits of the power of two at which the
// binade begins; a unit is 2^-23 of it.
__device__ __forceinline__ float units_per_energy(int base) {
    return __uint_as_float((2u * 127 + 23) * kBinade - base);
}

// The distance and 1 at which a particle's energy is about v: one cell nearer it is above v, and
// one cell farther away below. Up to kShort; tests/chapters/storms/steps_test.cu tries them all.
__device__ __forceinline__ float distance_of(float share, float v) {
    const float inverse = __fdividef(1.0f, v), guess = share * inverse;
    const float root = fmaf(fmaf(-v, guess, share), inverse, guess);
    return fmaf(root, root, 0x1p23f) - 0x1p23f;  // rounded to a whole number
}

// In shared memory, of a warp.
struct Steps {
    float4 particles[kPart];  // with steps: x, share, and the number of units of a step
    unsigned ties[32];  // a bit for each cell: an energy lies in the middle between two numbers
};

// Adds a step of the particle at the place x of the tile: where its energy is `units` and a half.
template <int kThreads, int kCells>
__device__ __forceinline__ void add_step(int* words, unsigned* ties, float x, float share,
                                         int units, float unit) {
    const float v = (static_cast<float>(units) + 0.5f) * unit;
    const float d = distance_of(share, v);
    const float energy = divide_by_short_root(share, d, approximate_inverse_root(d));
    const bool falls = x <= 0;  // along the tile
    const int cell = static_cast<int>(falls ? x + (d - 1) : x - (d - 1));
    const unsigned place = cell + (falls ? energy > v : energy < v);
    atomicAdd(&words[kThreads * (place % kCells) + place / kCells], falls ? -1 : 1);
    if (energy == v) atomicOr(&ties[place / kCells], 1u << place % kCells);
}

// A lane's particle, relative to a tile: its place, and the least and the greatest of the energies.
struct RelativeParticle {
    float x, share, least, most;
    bool is_far;
};

// Adds the steps of a warp's far particles to the words, for the cells of one binade. The lanes
// share all steps. Returns what these particles add to the first cell. s_particles: of the warp.
template <int kThreads, int kCells>
__device__ __forceinline__ int add_steps(int* words, unsigned* ties, float4* s_particles, int base,
                                         RelativeParticle own) {
    const int lane = threadIdx.x % 32;
    const bool falls = own.x <= 0;
    const float per_energy = units_per_energy(base), unit = __int_as_float(base - 23 * kBinade);
    const float most = own.most * per_energy;
    const int lower = __float2int_ru(own.least * per_energy - 0.5f);  // a tie is rounded down
    int upper = __float2int_ru(most - 0.5f);
    if (most - static_cast<float>(upper) == 0.5f) ++upper;  // a tie is rounded up
    const int count = own.is_far ? upper - lower : 0;
    const int begin = sum_below(count), total = __shfl_sync(~0u, begin + count, 31);
    const unsigned some = __ballot_sync(~0u, count > 0);
    if (count > 0) {
        const int units = falls ? upper - 1 + begin : lower - begin;  // of step 0 of all
        s_particles[__popc(some & ((1u << lane) - 1))] =
            make_float4(own.x, own.share, __int_as_float(units), 0);
    }
    __syncwarp();  // all particles with steps have been written, and no cell has a step yet
    int last = -1;  // the last particle that begins before the round
#pragma unroll 1
    for (int round = 0; round < total; round += 32) {
        const unsigned start = begin - round;
        const unsigned starts = __reduce_or_sync(~0u, count > 0 && start < 32 ? 1u << start : 0);
        const int i = round + lane;
        if (i < total) {
            const float4 particle = s_particles[last + __popc(starts & ((2u << lane) - 1))];
            const int units = __float_as_int(particle.z) + (particle.x <= 0 ? -i : i);
            add_step<kThreads, kCells>(words, ties, particle.x, particle.y, units, unit);
        }
        last += __popc(starts);
    }
    return __reduce_add_sync(~0u, own.is_far ? (falls ? upper : lower) : 0);
}

// What a thread's particle is for a tile whose binades begin at `lowest` to `highest`. It is far if
// it has few steps on the tile, which also means that its energies have less than 2^18 units: at
// such distances, an energy falls by more than a 2^14th on 256 cells, and a 2^11th on 1280.
template <int kTileCells, int kMostSteps>
__device__ __forceinline__ RelativeParticle relative_to_tile(float2 particle, bool exists,
                                                             float first, int lowest, int highest) {
    const float x = particle.x - first;
    const float begin = exact_energy(make_float2(x, particle.y), 0);
    const float end = exact_energy(make_float2(x, particle.y), kTileCells - 1);
    const float least = fminf(begin, end), most = fmaxf(begin, end);
    const bool beside = x <= 0 ? kTileCells - 1 - x < kShort : x >= kTileCells - 1 && x < kShort;
    const bool is_far = exists && beside && lowest >= kLeastBase && highest - lowest <= kBinade &&
                        (most - least) * units_per_energy(lowest) <= kMostSteps;
    return {x, particle.y, least, most, is_far};
}

// Adds the particles of some lanes cell by cell, to the sums of two bounds for the cells first,
// first + 1, ... of this lane. particle: of this lane, added if is_near.
__device__ __forceinline__ void add_each_near(float (&low)[kNeighbours], float (&high)[kNeighbours],
                                              float first, float2 particle, bool is_near) {
    unsigned near = __ballot_sync(~0u, is_near);
#pragma unroll 1
    for (; near != 0; near &= near - 1) {
        const float position = __shfl_sync(~0u, particle.x, __ffs(near) - 1);
        const float share = __shfl_sync(~0u, particle.y, __ffs(near) - 1);
        const float4 bounds =
            make_float4(fmaf(share, -kError, share), fmaf(share, kError, share), position, 0);
        add_near(low, high, first, bounds);
    }
}

}  // namespace storms
