// SPDX-License-Identifier: MIT
// All warps of a block add the steps of a round of 128 particles to one tile. All energies are
// positive, so no sum falls. A thread has kCells neighbouring cells.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/near_units/near_units.cuh"
#include "limit/08_shared_root/neighbours.cuh"
#include "limit/10_step_functions/steps.cuh"

namespace storms {

constexpr int kRound = kUpdateBlock;  // particles that are added together: one per thread
template <int kCells>
constexpr int kTileCells = (kCells * kUpdateBlock);
constexpr int kMostWideSteps = 128;  // of a particle on a wide tile; one with more is near
constexpr int kMostNear = 64;  // particles of a round
template <int kCells>
constexpr int kMostQueued = kTileCells<kCells> / 2;  // cells

// In shared memory. Cell j of a thread has slot kUpdateBlock * j + thread, so that the threads of a
// warp use different banks; but `cells` and `queue` are in the order of the tile.
template <int kCells>
struct Round {
    int steps[2][kTileCells<kCells>];  // for the cells of the lowest binade, and of the next one
    unsigned ties[kUpdateBlock];  // a bit for each cell of a thread: an energy is a tie
    float4 far[kRound];  // of each warp, the particles with steps
    float2 particles[kRound], bounds[kRound];  // position and share; bounds of the share
    float2 near[kRound];
    float cells[kTileCells<kCells>];
    short queue[kTileCells<kCells>];  // cells to which the particles are added in order
    int lowest[kUpdateBlock / 32], highest[kUpdateBlock / 32];  // of each warp's binades
    int totals[2][kUpdateBlock / 32];  // of each warp's steps
    int near_count, queued_count;
};

// Where the lowest binade of the tile begins, and how many binades have steps: two if a cell is
// beyond the lowest.
struct Binades {
    int lowest, count;
};

// Stages the particle of each thread, and clears the sums of the round. Returns the binades.
template <int kCells>
__device__ __forceinline__ Binades stage_round(const float (&own)[kCells], float first,
                                               Round<kCells>& s_round, float2 particle, int count) {
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
__device__ __forceinline__ void split_round(Binades binades, float first, Round<kCells>& s_round,
                                            float2 particle, bool exists) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    // Cells of a third binade are queued, so a particle is far whether there are some or not.
    const int lowest = binades.lowest;
    const RelativeParticle own =
        relative_to_tile<kTileCells<kCells>, kMostWideSteps * kCells / kMostCells>(
            particle, exists, first, lowest, lowest);
    const bool is_near = exists && !own.is_far;
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
            add_steps<kUpdateBlock, kCells>(steps, s_round.ties, s_far, lowest + b * kBinade, own);
        if (lane == 0) atomicAdd(&steps[0], at_first);
        __syncwarp();  // all lanes have read the particles with steps
    }
}

// Adds the bits of the cells, and the units of the steps, to those of the near particles. Returns
// the cells that this is not right for: they leave their binade or are in a third one.
template <int kCells>
__device__ __forceinline__ unsigned add_units(int (&units)[kCells], const float (&own)[kCells],
                                              Binades binades, int before, int before_next,
                                              const Round<kCells>& s_round) {
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
                                            Round<kCells>& s_round) {
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
struct CellPerThread {
    template <int kCells>
    static __device__ __forceinline__ void add_queue(float first, Round<kCells>& s_round, float2,
                                                     int count) {
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
};

// Adds the particle of each thread, of which `count` exist, to all cells of the tile that begins at
// `first`. own: the neighbouring cells of a thread. Queue: how the queued cells are added to.
template <typename Queue, int kCells>
__device__ __forceinline__ void add_round(float (&own)[kCells], float first, Round<kCells>& s_round,
                                          float2 particle, int count) {
    const int thread = threadIdx.x;
    const float own_first = first + kCells * thread;
    const Binades binades = stage_round(own, first, s_round, particle, count);
    split_round(binades, first, s_round, particle, thread < count);
    __syncthreads();  // all steps have been added, and the near particles have been listed
    bool few_left = s_round.near_count <= kMostNear && binades.lowest >= kLeastBase;
    if (few_left) {
        const int warp = thread / 32;
        const int before = sum_slots_below<kUpdateBlock>(s_round.steps[0], s_round.totals[0][warp]);
        const int before_next = binades.count > 1 ? sum_slots_below<kUpdateBlock>(
                                                        s_round.steps[1], s_round.totals[1][warp])
                                                  : 0;
        int units[kCells];
        unsigned left = count_near_units(units, own, own_first, {s_round.near, s_round.near_count},
                                         &s_round.cells[kCells * thread], s_round.ties[thread]);
        __syncthreads();  // the steps of each warp's cells have been summed
        left |= add_units(units, own, binades, before, before_next, s_round);
        queue_cells(own, left, s_round);
        __syncthreads();  // all cells that are left have been queued
        few_left = s_round.queued_count <= kMostQueued<kCells>;
        if (few_left) {
            Queue::add_queue(first, s_round, particle, count);
            __syncthreads();  // the queued cells have been added to
            for (int j = 0; j < kCells; ++j) {
                own[j] =
                    left >> j & 1 ? s_round.cells[kCells * thread + j] : __int_as_float(units[j]);
            }
        }
    }
    if (!few_left) {
        add_shared_groups(own, own_first, s_round.bounds, s_round.particles, count);
        __syncthreads();  // all threads have read the particles
    }
}

// Adds the particles of a wave, from `begin` to `end` of the lists.
template <typename Queue, int kCells>
__device__ __forceinline__ void add_in_rounds(float (&own)[kCells], float first,
                                              Round<kCells>& s_round, float size,
                                              const std::int64_t* __restrict__ positions,
                                              const int* __restrict__ values, std::int64_t begin,
                                              std::int64_t end) {
    std::int64_t position = 0;
    int value = 0;
    const auto load_particle = [&](std::int64_t i) {
        position = i < end ? positions[i] : 0;
        value = i < end ? values[i] : 0;  // after the last particle: no energy
    };
    load_particle(begin + threadIdx.x);
#pragma unroll 1
    for (; begin < end; begin += kRound) {
        const float2 particle =
            make_float2(static_cast<float>(position), static_cast<float>(value) * 1000 / size);
        load_particle(begin + kRound + threadIdx.x);  // meanwhile, for the next round
        const int count = static_cast<int>(min(end - begin, std::int64_t{kRound}));
        add_round<Queue>(own, first, s_round, particle, count);
    }
}

// Adds the particles of a wave, from `begin` to `end` of the lists, to the cells own[j] of a tile,
// kUpdateBlock apart.
template <typename Queue, int kCells>
__device__ __forceinline__ void add_by_steps(float (&own)[kCells], std::int64_t first, float size,
                                             const std::int64_t* __restrict__ positions,
                                             const int* __restrict__ values, std::int64_t begin,
                                             std::int64_t end) {
    __shared__ Round<kCells> s_round;
    const int thread = threadIdx.x, neighbours = thread * kCells;
    for (int j = 0; j < kCells; ++j) s_round.cells[thread + j * kUpdateBlock] = own[j];
    __syncthreads();  // the tile has been written
    for (int j = 0; j < kCells; ++j) own[j] = s_round.cells[neighbours + j];
    add_in_rounds<Queue>(own, static_cast<float>(first), s_round, size, positions, values, begin,
                         end);
    for (int j = 0; j < kCells; ++j) s_round.cells[neighbours + j] = own[j];
    __syncthreads();  // the bombarded tile has been written
    for (int j = 0; j < kCells; ++j) own[j] = s_round.cells[thread + j * kUpdateBlock];
}

}  // namespace storms
