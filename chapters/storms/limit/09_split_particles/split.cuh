// SPDX-License-Identifier: MIT
// Many warps add parts of the particles to the same cells: a whole number of units for each cell.
// A cell that leaves its binade is repaired by a warp. Sums: how a warp sums its part.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "blocks/ordered_sum/ordered_sum.cuh"
#include "blocks/rounded_units/rounded_units.cuh"
#include "blocks/taylor_bounds/taylor_bounds.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/shared_memory.hpp"
#include "limit/06_waves_in_one_pass/copies.cuh"
#include "limit/08_shared_root/passes.cuh"
#include "problem/storms.hpp"

namespace storms {

constexpr int kWarps = 28;  // per block; a multiple of four
constexpr int kPart = 32;  // particles, one per lane
constexpr int kTile = 32 * kNeighbours;  // cells
constexpr int kChunk = kWarps * kPart;  // particles of a block
constexpr int kMostEach = kWarps + 1;  // particles of a lane that repairs a cell
constexpr std::int64_t kManyParticles = 4 * kChunk;  // per wave

// A warp's part of the particles, in shared memory: first their bounds, then a word for each cell:
// what the part adds. Four more words: so those of all parts for one cell lie in eight banks.
union Part {
    float4 bounds[kPart];  // of the share, lower and upper, and the particle's position
    int words[kTile + 4];
};

// Cells lie in shared memory so that the neighbours of a lane are 32 slots apart.
__device__ __forceinline__ int cell_of(int slot) { return kNeighbours * (slot % 32) + slot / 32; }

// Writes the words of the cells that are open, by exact energies. Each lane has a particle, and a
// bit for each of its neighbours.
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
            const float energy = exact_energy(particle, first + cell_of(slot));
            const Units units = units_of_warp(bases[slot], energy);
            if (lane == 0) part.words[slot] = word_of(units);
        }
    }
}

// How a warp sums its part of the particles, for split_particles_kernel(): by two bounds, from the
// power of two of each cell on, which is in `bases`. Meanwhile it loads the next particle.
struct BoundSums {
    struct Scratch {};  // needs no more shared memory

    // Equal sums of bounds are those of the exact energies, and no energy is a tie: the bounds are
    // strict, so one lies below the middle and one above it, and sums that differ once differ until
    // the end.
    template <typename Load>
    static __device__ __forceinline__ void sum(Part& part, const int (&bases)[kTile], float first,
                                               int existing, float2 particle, Scratch&,
                                               const Load& load_next) {
        const int lane = threadIdx.x % 32;
        const FarCounts far =
            stage_bounds(part.bounds, particle, lane < existing, first + kTile / 2, kTile / 2);
        load_next();
        __syncwarp();  // the bounds of this part have been written
        float low[kNeighbours], high[kNeighbours];
        for (int j = 0; j < kNeighbours; ++j) {
            low[j] = high[j] = __int_as_float(bases[32 * j + lane]);
        }
        add_staged_bounds(low, high, first + kNeighbours * lane, part.bounds, far, existing);
        __syncwarp();  // all lanes have read the bounds, in whose place the words are written
        unsigned open = 0;  // cells of this lane whose sums differ
        for (int j = 0; j < kNeighbours; ++j) {
            const int units = __float_as_int(low[j]) - bases[32 * j + lane];
            part.words[32 * j + lane] = units;
            if (low[j] < high[j] && units < kBinade) open |= 1u << j;
        }
        correct_words(part, bases, first, particle, open);
    }
};

// In shared memory. What a chunk of particles adds is still read while the next chunk is summed.
template <typename Sums>
struct SplitTile {
    Part parts[2][kWarps];
    float2 particles[2][32 * kMostEach + 2 * kPart];
    int bases[2][kTile];  // the power of two from which the words of a cell count
    typename Sums::Scratch scratch[kWarps];
    float cells[kTile];
    bool is_added[kTile];  // else a warp adds the words to the cell in order
};

// Adds the words of all parts to the bits of a cell, if they may be added in any order. Returns
// whether. If not, the cell is not known before the next chunk is summed, and its base is guessed.
__device__ __forceinline__ bool add_words(float& own, int base, int& next_base,
                                          const Part (&s_parts)[kWarps], int slot) {
    int sum = 0, any = 0;
    float guess = own;
    for (int part = 0; part < kWarps; ++part) {
        const int word = s_parts[part].words[slot];
        any |= word;
        sum += min(word, kBinade);
        if (word > 0) guess += __int_as_float(base + word) - __int_as_float(base);
    }
    const unsigned bits = __float_as_uint(own);
    const bool stays = any >= 0 && binade_of(own) == base && ((bits + sum) ^ bits) < kBinade;
    if (stays) own = __uint_as_float(bits + sum);
    next_base = stays ? base : binade_of(guess);
    return stays;
}

// So many are at least a 32nd of the parts' particles. The number is odd, so that all lanes read
// from other banks, and of the form 4 n + 1.
__device__ __forceinline__ int each_of(int parts) { return (parts + 2) / 4 * 4 + 1; }

// The cell at k after 32 * `each` particles, of which each lane takes so many, in order.
__device__ __forceinline__ float repair_cell(float own, float k, const float2* particles,
                                             int each) {
    float energies[kMostEach] = {};
    for (int begin = 0; begin < kMostEach; begin += 4) {
        if (begin >= each) continue;
        for (int i = max(begin - 3, 0); i <= begin; ++i) {
            energies[i] = exact_energy(particles[threadIdx.x % 32 * each + i], k);
        }
    }
    return sum_in_order(own, energies);
}

// The cell at k after all parts, of which each lane has one. A warp calls.
__device__ __forceinline__ float add_in_order(float own, int base, float k,
                                              const Part (&s_parts)[kWarps], int slot,
                                              const float2* particles) {
    if (binade_of(own) != base) return repair_cell(own, k, particles, each_of(kWarps));
    const int lane = threadIdx.x % 32;
    const unsigned bits = __float_as_uint(own);
    Units units = units_of(lane < kWarps ? s_parts[lane].words[slot] : 0);
    const unsigned start = add_lanes_below(bits, units);
    const unsigned left = __ballot_sync(~0u, ((start + units.even) ^ bits) >= kBinade);
    if (left == 0) return __uint_as_float(__shfl_sync(~0u, start, 31));
    const int added = __ffs(left) - 1;
    return repair_cell(__uint_as_float(__shfl_sync(~0u, start, added)), k,
                       &particles[kPart * added], each_of(kWarps - added));
}

// A warp adds the words in order to those of every kWarps-th slot that are left.
template <typename Tile>
__device__ __forceinline__ void add_left_cells(Tile& s_tile, int buffer, float first) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, own_slot = warp + kWarps * lane;
    const bool is_left = own_slot < kTile && !s_tile.is_added[own_slot];
    for (unsigned lanes = __ballot_sync(~0u, is_left); lanes != 0; lanes &= lanes - 1) {
        const int slot = warp + kWarps * (__ffs(lanes) - 1);
        const float cell =
            add_in_order(s_tile.cells[slot], s_tile.bases[buffer][slot], first + cell_of(slot),
                         s_tile.parts[buffer], slot, s_tile.particles[buffer]);
        __syncwarp();  // all lanes have read the cell
        if (lane == 0) s_tile.cells[slot] = cell;
    }
}

// The particles of a part if so many are left. Also a chunk that is not full is for all warps.
__device__ __forceinline__ int each_in(unsigned left) {
    return static_cast<int>(min((left + kWarps - 1) / kWarps, unsigned{kPart}));
}

// Adds the particles of a wave to a layer. The warps of a block share a tile of cells.
template <typename Sums>
__global__ void __launch_bounds__(32 * kWarps, 1)
    split_particles_kernel(float* __restrict__ layer, std::int64_t size,
                           const std::int64_t* __restrict__ positions,
                           const int* __restrict__ values, unsigned count) {
    extern __shared__ __align__(16) unsigned char s_bytes[];
    auto& s_tile = *reinterpret_cast<SplitTile<Sums>*>(s_bytes);
    const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
    const std::int64_t tile = std::int64_t{kTile} * blockIdx.x;
    const float first = static_cast<float>(tile);
    const bool has_cell = thread < kTile && tile + cell_of(thread) < size;  // else infinity
    if (thread < kTile) {
        s_tile.cells[thread] = has_cell ? layer[tile + cell_of(thread)] : INFINITY;
        s_tile.bases[0][thread] = binade_of(s_tile.cells[thread]);
    }
    for (auto& particles : s_tile.particles) {  // lanes repair with these, too
        if (warp < 3) particles[kChunk + thread] = make_float2(0, 0);
    }
    std::int64_t position = 0;
    int value = 0;
    const auto load_particle = [&](unsigned begin) {
        const int each = begin < count ? each_in(count - begin) : 0;
        const unsigned i = begin + warp * each + lane;
        const bool exists = lane < each && i < count;
        position = exists ? positions[i] : 0;
        value = exists ? values[i] : 0;
    };
    load_particle(0);
    __syncthreads();  // the cells and bases have been written
    int buffer = 0;
    for (unsigned begin = 0; begin < count; begin += kChunk, buffer ^= 1) {
        Part& part = s_tile.parts[buffer][warp];
        const float share = static_cast<float>(value) * 1000 / static_cast<float>(size);
        const float2 particle = make_float2(static_cast<float>(position), share);
        s_tile.particles[buffer][thread] = particle;
        const int each = each_in(count - begin), left = count - begin - warp * each;
        const int existing = min(max(left, 0), each);
        Sums::sum(part, s_tile.bases[buffer], first, existing, particle, s_tile.scratch[warp],
                  [&] { load_particle(begin + kChunk); });
        __syncthreads();  // all words of this chunk have been written, and all cells before it
        if (thread < kTile) {
            s_tile.is_added[thread] =
                add_words(s_tile.cells[thread], s_tile.bases[buffer][thread],
                          s_tile.bases[buffer ^ 1][thread], s_tile.parts[buffer], thread);
        }
        __syncthreads();  // which cells are left has been written
        add_left_cells(s_tile, buffer, first);
    }
    __syncthreads();  // all cells have been written
    if (has_cell) layer[tile + cell_of(thread)] = s_tile.cells[thread];
}

// Whether many particles are added to few cells, and no sum ever falls.
inline bool is_split(const Input& input) {
    return input.size < kManyCells && is_proven(input.waves, input.size, kShort) &&
           std::ranges::all_of(input.waves, [](const Wave& wave) {
               return wave.count() >= kManyParticles && std::ranges::min(wave.values) > 0;
           });
}

// Launches the waves of an input that is_split(). Construction allocates.
template <typename Sums>
class SplitWaves {
  public:
    SplitWaves() : d_no_begins_(2) {
        course::allow_dynamic_shared(split_particles_kernel<Sums>, sizeof(SplitTile<Sums>));
        course::cuda_check(cudaMemset(d_no_begins_.data(), 0, d_no_begins_.bytes()));
    }

    // layer: of zeros; then it has the cells after the last wave, and a key per wave the maxima.
    // passes: of one wave. positions, values: see copy_particles().
    void launch(const Input& input, const Passes& passes, course::DeviceBuffer<float>& layer,
                course::DeviceBuffer<float>& relaxed_layer, const std::int64_t* positions,
                const int* values, Key* keys) const {
        const std::int64_t size = input.size, tiles = (size + kTile - 1) / kTile;
        for (const Wave& wave : input.waves) {
            split_particles_kernel<Sums><<<tiles, 32 * kWarps, sizeof(SplitTile<Sums>)>>>(
                layer.data(), size, positions, values, static_cast<unsigned>(wave.count()));
            course::cuda_check(cudaGetLastError());
            // A wave without particles: the relaxation, and the maximum.
            bombard_kernel<1, int><<<passes.blocks, kUpdateBlock>>>(
                layer.data(), relaxed_layer.data(), size, nullptr, nullptr, d_no_begins_.data(), 1,
                passes.halo, keys++);
            course::cuda_check(cudaGetLastError());
            std::swap(layer, relaxed_layer);
            positions += wave.count();
            values += wave.count();
        }
    }

  private:
    course::DeviceBuffer<std::int64_t> d_no_begins_;
};

}  // namespace storms
