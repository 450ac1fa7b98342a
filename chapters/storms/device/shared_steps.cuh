// SPDX-License-Identifier: MIT
// What a round of stage 24_shared_steps consists of: a block adds a particle per thread to a tile
// of many cells. All energies are positive, so no sum falls. A thread has kCells cells: as many as
// possible in stage 24, and fewer in 25.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/neighbours.cuh"
#include "device/steps.cuh"

namespace storms {

constexpr int kRound = kUpdateBlock;  // particles that are added together: one per thread
template <int kCells>
constexpr int kTileOf = (kCells * kUpdateBlock);  // cells
constexpr int kWideTile = kTileOf<kMostCells>;
constexpr int kMostWideSteps = 128;  // of a particle on a wide tile; one with more is near
constexpr int kMostNear = 64;  // particles of a round
template <int kCells>
constexpr int kMostQueuedOf = kTileOf<kCells> / 2;  // cells
constexpr int kMostQueued = kMostQueuedOf<kMostCells>;

// In shared memory. Cell j of a thread has slot kUpdateBlock * j + thread, so that the threads of a
// warp use different banks; but `cells` and `queue` are in the order of the tile.
template <int kCells>
struct RoundOf {
    int steps[2][kTileOf<kCells>];  // for the cells of the lowest binade, and of the next one
    unsigned ties[kUpdateBlock];  // a bit for each cell of a thread: an energy is a tie
    float4 far[kRound];  // of each warp, the particles with steps
    float2 particles[kRound], bounds[kRound];  // position and share; bounds of the share
    float2 near[kRound];
    float cells[kTileOf<kCells>];
    short queue[kTileOf<kCells>];  // cells to which the particles are added in order
    int lowest[kUpdateBlock / 32], highest[kUpdateBlock / 32];  // of each warp's binades
    int totals[2][kUpdateBlock / 32];  // of each warp's steps
    int near_count, queued_count;
};
using Round = RoundOf<kMostCells>;

// Where the lowest binade of the tile begins, and how many binades have steps: two if a cell is
// beyond the lowest.
struct Binades {
    int lowest, count;
};

// Stages the particle of each thread, and clears the sums of the round. Returns the binades.
template <int kCells>
__device__ __forceinline__ Binades stage_round(const float (&own)[kCells], float first,
                                               RoundOf<kCells>& s_round, float2 particle,
                                               int count) {
    const int thread = threadIdx.x, warp = thread / 32;
    int lowest = kInfinity, highest = 0;
    for (int j = 0; j < kCells; ++j) {
        lowest = min(lowest, binade_of(own[j]));
        highest = max(highest, binade_of(own[j]));
        s_round.steps[0][kUpdateBlock * j + thread] = 0;
        s_round.steps[1][kUpdateBlock * j + thread] = 0;
    }
    lowest = __reduce_min_sync(~0u, lowest);
    highest = __reduce_max_sync(~0u, highest);
    if (thread % 32 == 0) {
        s_round.lowest[warp] = lowest;
        s_round.highest[warp] = highest;
    }
    s_round.ties[thread] = 0;
    if (thread == 0) s_round.near_count = s_round.queued_count = 0;
    s_round.particles[thread] = particle;
    s_round.bounds[thread] = make_float2(fmaf(particle.y, -kSharedError, particle.y), particle.y);
    widen_bounds<kCells>(s_round.bounds, s_round.particles, count, first);
    __syncthreads();  // the particles and binades have been written, and the sums are 0
    for (int w = 0; w < kUpdateBlock / 32; ++w) {
        lowest = min(lowest, s_round.lowest[w]);
        highest = max(highest, s_round.highest[w]);
    }
    return {lowest, highest > lowest ? 2 : 1};
}

// Adds the steps of the far particles, and lists the near ones, in any order. Particles are near,
// too, if the cells are very small.
template <int kCells>
__device__ __forceinline__ void split_round(Binades binades, float first, RoundOf<kCells>& s_round,
                                            float2 particle, bool exists) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    // Cells of a third binade are queued, so a particle is far whether there are some or not.
    const int lowest = binades.lowest;
    const Seen seen = see<kTileOf<kCells>, kMostWideSteps * kCells / kMostCells>(
        particle, exists, first, lowest, lowest);
    const bool is_near = exists && !seen.is_far;
    const unsigned near = __ballot_sync(~0u, is_near);
    if (near != 0) {
        int before = 0;
        if (lane == 0) before = atomicAdd(&s_round.near_count, __popc(near));
        before = __shfl_sync(~0u, before, 0);
        if (is_near) s_round.near[before + __popc(near & ((1u << lane) - 1))] = particle;
    }
    if (lowest < kLeastBase) return;
    float4* const s_far = &s_round.far[kPart * warp];
    // The units of two binades are not the same, so each has its own steps.
#pragma unroll 1
    for (int b = 0; b < binades.count; ++b) {
        int* const steps = s_round.steps[b];
        const int at_first =
            add_steps<kUpdateBlock, kCells>(steps, s_round.ties, s_far, lowest + b * kBinade, seen);
        if (lane == 0) atomicAdd(&steps[0], at_first);
        __syncwarp();  // all lanes have read the particles with steps
    }
}

// Adds the round to the cells of a thread as stage 21 does.
template <int kCells>
__device__ __forceinline__ void add_by_groups(float (&own)[kCells], float first,
                                              const RoundOf<kCells>& s_round, int count) {
#pragma unroll 1
    for (int i = 0; i < count; i += 2 * kGroup) {
        add_shared_group(own, first, &s_round.bounds[i], &s_round.particles[i]);
        add_shared_group(own, first, &s_round.bounds[i + kGroup], &s_round.particles[i + kGroup]);
    }
}

// The steps before the cells of a thread, as far as they belong to its warp's cells. Writes those
// of all cells of the warp to `total`.
template <int kSlots>
__device__ __forceinline__ int sum_steps(const int (&s_steps)[kSlots], int& total) {
    int sum = 0;
    for (int j = 0; j < kSlots / kUpdateBlock; ++j) sum += s_steps[kUpdateBlock * j + threadIdx.x];
    const int before = sum_below(sum);
    if (threadIdx.x % 32 == 31) total = before + sum;
    return before;
}

// Counts the near particles' units exactly for the open cells, which have a bit each. Returns those
// with a tie: there the units depend on whether the sum is odd. A loop over registers would be ten
// loops, so meanwhile the open cells lie in shared memory.
template <int kCells>
__device__ __forceinline__ unsigned count_exactly(int (&units)[kCells], const float (&own)[kCells],
                                                  float first, RoundOf<kCells>& s_round,
                                                  unsigned open) {
    float* const bases = &s_round.cells[kCells * threadIdx.x];  // then the units
    for (int j = 0; j < kCells; ++j) {
        if (open >> j & 1) bases[j] = __int_as_float(binade_of(own[j]));
    }
    unsigned ties = 0;
#pragma unroll 1
    for (unsigned some = open; some != 0; some &= some - 1) {
        const int j = __ffs(some) - 1, base = __float_as_int(bases[j]);
        const float even = __int_as_float(base), odd = __int_as_float(base + 1);
        int sum = 0;
        bool tie = false;
#pragma unroll 1
        for (int i = 0; i < s_round.near_count; ++i) {
            const float energy = exact_energy(s_round.near[i], first + j);
            const int more = __float_as_int(even + energy) - base;
            tie = tie || __float_as_int(odd + energy) - (base + 1) != more;
            sum += min(more, kBinade);  // so that no sum overflows
        }
        bases[j] = __int_as_float(sum);
        if (tie) ties |= 1u << j;
    }
    for (int j = 0; j < kCells; ++j) {
        if (open >> j & 1) units[j] = __float_as_int(bases[j]);
    }
    return ties;
}

// What the near particles add to the bits of a thread's cells. As in sum_part(), equal sums of
// bounds are those of the exact energies, without a tie. Returns the cells with ties, also of far
// particles.
template <int kCells>
__device__ __forceinline__ unsigned add_near_units(int (&units)[kCells], const float (&own)[kCells],
                                                   float first, RoundOf<kCells>& s_round) {
    float low[kCells], high[kCells];
    for (int j = 0; j < kCells; ++j) low[j] = high[j] = __int_as_float(binade_of(own[j]));
#pragma unroll 1
    for (int i = 0; i < s_round.near_count; ++i) {
        const float2 near = s_round.near[i];
        const float4 bounds =
            make_float4(fmaf(near.y, -kError, near.y), fmaf(near.y, kError, near.y), near.x, 0);
        add_near(low, high, first, bounds);
    }
    unsigned open = 0, left = s_round.ties[threadIdx.x];
    for (int j = 0; j < kCells; ++j) {
        units[j] = min(__float_as_int(low[j]) - binade_of(own[j]), kBinade);
        if (low[j] != high[j] && units[j] < kBinade) open |= 1u << j;
    }
    open &= ~left;
    if (open != 0) left |= count_exactly(units, own, first, s_round, open);
    return left;
}

// Adds the bits of the cells, and the units of the steps, to those of the near particles. Returns
// the cells that this is not right for: they leave their binade or are in a third one.
template <int kCells>
__device__ __forceinline__ unsigned add_units(int (&units)[kCells], const float (&own)[kCells],
                                              Binades binades, int before, int before_next,
                                              const RoundOf<kCells>& s_round) {
    const int warp = threadIdx.x / 32;
    unsigned left = 0;
    for (int w = 0; w < warp; ++w) {
        before += s_round.totals[0][w];
        if (binades.count > 1) before_next += s_round.totals[1][w];
    }
    for (int j = 0; j < kCells; ++j) {
        const int slot = kUpdateBlock * j + threadIdx.x;
        const int base = binade_of(own[j]), bits = __float_as_int(own[j]);
        before += s_round.steps[0][slot];
        if (binades.count > 1) before_next += s_round.steps[1][slot];
        units[j] += bits + (base == binades.lowest ? before : before_next);
        const bool stays = static_cast<unsigned>(units[j] ^ bits) < unsigned{kBinade};
        if (!stays || base - binades.lowest > kBinade) left |= 1u << j;
    }
    return left;
}

// Queues the cells of a thread that are left, in any order.
template <int kCells>
__device__ __forceinline__ void queue_cells(const float (&own)[kCells], unsigned left,
                                            RoundOf<kCells>& s_round) {
    if (left == 0) return;
    int place = atomicAdd(&s_round.queued_count, __popc(left));
    for (int j = 0; j < kCells; ++j) {
        if ((left >> j & 1) == 0) continue;
        const int cell = kCells * threadIdx.x + j;
        s_round.queue[place++] = static_cast<short>(cell);
        s_round.cells[cell] = own[j];
    }
}

// Adds the round to the queued cells in order, one cell per thread. A round that is not full ends
// with particles without energy.
template <int kCells>
__device__ __forceinline__ void add_in_turn(float first, RoundOf<kCells>& s_round, int count) {
    constexpr int kTogether = 8;
    for (int i = threadIdx.x; i < s_round.queued_count; i += kUpdateBlock) {
        const int cell = s_round.queue[i];
        float sum = s_round.cells[cell];
        const float k = first + cell;
#pragma unroll 1
        for (int p = 0; p < count; p += kTogether) {
            sum = add_group<kTogether>(sum, k, &s_round.particles[p]);
        }
        s_round.cells[cell] = sum;
    }
}

}  // namespace storms
