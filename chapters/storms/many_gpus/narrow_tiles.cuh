// SPDX-License-Identifier: MIT
// How particles are added to a tile with any number of cells per thread. In narrow tiles, all
// threads compute the energies for a short queue.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "limit/08_shared_root/neighbours.cuh"
#include "limit/11_shared_steps/rounds.cuh"

namespace storms {

constexpr int kTurn = 24;  // queued cells whose energies are in shared memory together
constexpr int kShortQueue = 128;  // cells; with more, the barriers of the turns take longer

// As CellPerThread, for a short queue. Energies do not depend on sums, so all threads compute them,
// each for its particle. Only the additions are left for the thread of a cell.
template <int kCells>
__device__ __forceinline__ void add_short_queue(float first, Round<kCells>& s_round,
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

// With wide tiles, a multiprocessor has warps enough to hide the chains of additions.
struct TurnsOfShortQueues {
    template <int kCells>
    static __device__ __forceinline__ void add_queue(float first, Round<kCells>& s_round,
                                                     float2 particle, int count) {
        if (kCells < kMostCells && s_round.queued_count <= kShortQueue) {
            add_short_queue(first, s_round, particle);
        } else {
            CellPerThread::add_queue(first, s_round, particle, count);
        }
    }
};

// Adds the particles of a wave to the cells own[j] of a tile, at k[j], in the way that its places
// allow. kCells: cells per thread, kUpdateBlock apart.
template <int kCells, typename Place>
__device__ __forceinline__ void add_wave(float (&own)[kCells], const Place (&k)[kCells],
                                         std::int64_t first, float size,
                                         const std::int64_t* __restrict__ positions,
                                         const int* __restrict__ values, std::int64_t count) {
    if constexpr (!std::is_same_v<Place, float>) {
        add_particles(own, k, size, positions, values, count);
    } else if constexpr (kCells < kMostCells) {
        add_bounds(own, k, size, positions, values, static_cast<unsigned>(count));
    } else {
        add_to_neighbours(own, first, size, positions, values, static_cast<unsigned>(count));
    }
}

}  // namespace storms
