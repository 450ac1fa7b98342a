// SPDX-License-Identifier: MIT
// All warps of a block add the steps of 128 particles to one tile, as in stage 24_shared_steps. But
// a thread may have fewer cells. If it has, all threads compute the energies for a short queue.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/shared_steps.cuh"

namespace storms {

constexpr int kTurn = 24;  // queued cells whose energies are in shared memory together
constexpr int kShortQueue = 128;  // cells; with more, the barriers of the turns take longer

// As add_in_turn(), for a short queue. Energies do not depend on sums, so all threads compute them,
// each for its particle. Only the additions are left for the thread of a cell.
template <int kCells>
__device__ __forceinline__ void add_short_queue(float first, RoundOf<kCells>& s_round,
                                                float2 particle) {
    // The rows are padded, so that they begin in other banks.
    alignas(16) __shared__ float s_energies[kTurn][kRound + 4];
    const int thread = threadIdx.x;
    for (int begin = 0; begin < s_round.queued_count; begin += kTurn) {
        const short* const queue = &s_round.queue[begin];
        const int count = min(s_round.queued_count - begin, kTurn);
        if (begin > 0) __syncthreads();  // the energies of the turn before have been added
#pragma unroll 4
        for (int i = 0; i < count; ++i) {
            s_energies[i][thread] = exact_energy(particle, first + queue[i]);
        }
        __syncthreads();  // the energies have been written
        if (thread >= count) continue;
        const auto* const energies = reinterpret_cast<const float4*>(s_energies[thread]);
        float sum = s_round.cells[queue[thread]];
#pragma unroll 8
        for (int i = 0; i < kRound / 4; ++i) {
            const float4 four = energies[i];
            sum = sum + four.x + four.y + four.z + four.w;
        }
        s_round.cells[queue[thread]] = sum;
    }
}

// Adds the particle of each thread, of which `count` exist, to all cells of the tile that begins at
// `first`. own: the neighbouring cells of a thread.
template <int kCells>
__device__ __forceinline__ void add_round(float (&own)[kCells], float first,
                                          RoundOf<kCells>& s_round, float2 particle, int count) {
    const int thread = threadIdx.x;
    const float own_first = first + kCells * thread;
    const Binades binades = stage_round(own, first, s_round, particle, count);
    split_round(binades, first, s_round, particle, thread < count);
    __syncthreads();  // all steps have been added, and the near particles have been listed
    bool few_left = s_round.near_count <= kMostNear && binades.lowest >= kLeastBase;
    if (few_left) {
        const int warp = thread / 32;
        const int before = sum_steps(s_round.steps[0], s_round.totals[0][warp]);
        const int before_next =
            binades.count > 1 ? sum_steps(s_round.steps[1], s_round.totals[1][warp]) : 0;
        int units[kCells];
        unsigned left = add_near_units(units, own, own_first, s_round);
        __syncthreads();  // the steps of each warp's cells have been summed
        left |= add_units(units, own, binades, before, before_next, s_round);
        queue_cells(own, left, s_round);
        __syncthreads();  // all cells that are left have been queued
        few_left = s_round.queued_count <= kMostQueuedOf<kCells>;
        if (few_left) {
            // With wide tiles, a multiprocessor has warps enough to hide the chains of additions.
            if (kCells < kMostCells && s_round.queued_count <= kShortQueue) {
                add_short_queue(first, s_round, particle);
            } else {
                add_in_turn(first, s_round, count);
            }
            __syncthreads();  // the queued cells have been added to
            for (int j = 0; j < kCells; ++j) {
                own[j] =
                    left >> j & 1 ? s_round.cells[kCells * thread + j] : __int_as_float(units[j]);
            }
        }
    }
    if (!few_left) {
        add_by_groups(own, own_first, s_round, count);
        __syncthreads();  // all threads have read the particles
    }
}

// Adds the particles of a wave, from `begin` to `end` of the lists.
template <int kCells>
__device__ __forceinline__ void add_in_rounds(float (&own)[kCells], float first,
                                              RoundOf<kCells>& s_round, float size,
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
        add_round(own, first, s_round, particle, count);
    }
}

// Adds the particles of a wave, from `begin` to `end` of the lists, to the cells own[j] of a tile,
// kUpdateBlock apart.
template <int kCells>
__device__ __forceinline__ void add_by_steps(float (&own)[kCells], std::int64_t first, float size,
                                             const std::int64_t* __restrict__ positions,
                                             const int* __restrict__ values, std::int64_t begin,
                                             std::int64_t end) {
    __shared__ RoundOf<kCells> s_round;
    const int thread = threadIdx.x, neighbours = thread * kCells;
    for (int j = 0; j < kCells; ++j) s_round.cells[thread + j * kUpdateBlock] = own[j];
    __syncthreads();  // the tile has been written
    for (int j = 0; j < kCells; ++j) own[j] = s_round.cells[neighbours + j];
    add_in_rounds(own, static_cast<float>(first), s_round, size, positions, values, begin, end);
    for (int j = 0; j < kCells; ++j) s_round.cells[neighbours + j] = own[j];
    __syncthreads();  // the bombarded tile has been written
    for (int j = 0; j < kCells; ++j) own[j] = s_round.cells[thread + j * kUpdateBlock];
}

}  // namespace storms
