// SPDX-License-Identifier: MIT
// Storms, stage 22: split particles.
// Idea: between two powers of two (a binade), a sum has one unit, so a rounded addition adds a
// whole number of units, the same for every sum. Whole numbers may be added in any order: many
// warps add parts of the particles to the same cells, each from the power of two on. What they add
// to the bits of that float are those units. A cell that leaves its binade is repaired by a warp.
// Compared with 21_shared_root: with few cells and many positive particles, split_particles_kernel.
// Limit now: the instructions for each particle and cell.
// Not of the thesis nor of Blanco and González 2018.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/base/error.hpp"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/shared_memory.hpp"
#include "device/cells_in_order.cuh"
#include "device/copies.cuh"
#include "device/parts.cuh"
#include "device/passes.cuh"
#include "problem/storms.hpp"

using course::cuda_check, course::DeviceBuffer;
using storms::add_in_order, storms::binade_of, storms::bombard_in_passes, storms::bombard_kernel;
using storms::cell_of, storms::copy_particles, storms::each_in, storms::Far;
using storms::Input, storms::is_proven;
using storms::kBinade, storms::Key, storms::kLastPosition, storms::kManyCells, storms::kMostEach;
using storms::kMostWaves, storms::kPart, storms::kShort, storms::kTile, storms::kUpdateBlock;
using storms::kWarps, storms::maximum_of, storms::Output, storms::Part, storms::Passes;
using storms::Phase, storms::PhaseTimer, storms::stage_bounds, storms::sum_part, storms::Wave;

// A pass reads and writes each cell; the first only writes it.
constexpr double kBytesPerCell = sizeof(float);
constexpr int kChunk = kWarps * kPart;  // particles of a block
constexpr std::int64_t kManyParticles = 4 * kChunk;  // per wave

// In shared memory. What a chunk of particles adds is still read while the next chunk is summed.
struct Tile {
    Part parts[2][kWarps];
    float2 particles[2][32 * kMostEach + 2 * kPart];
    int bases[2][kTile];  // the power of two from which the words of a cell count
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

// A warp adds the words in order to those of every kWarps-th slot that are left.
__device__ __forceinline__ void add_left_cells(Tile& s_tile, int buffer, float first) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, own_slot = warp + kWarps * lane;
    const bool is_left = own_slot < kTile && !s_tile.is_added[own_slot];
    for (unsigned lanes = __ballot_sync(~0u, is_left); lanes != 0; lanes &= lanes - 1) {
        const int slot = warp + kWarps * (__ffs(lanes) - 1);
        const float k = first + cell_of(slot);
        const float cell = add_in_order(s_tile.cells[slot], s_tile.bases[buffer][slot], k,
                                        s_tile.parts[buffer], slot, s_tile.particles[buffer]);
        __syncwarp();  // all lanes have read the cell
        if (lane == 0) s_tile.cells[slot] = cell;
    }
}

// Adds the particles of a wave to a layer. The warps of a block share a tile of cells.
__global__ void __launch_bounds__(32 * kWarps, 1)
    split_particles_kernel(float* __restrict__ layer, std::int64_t size,
                           const std::int64_t* __restrict__ positions,
                           const int* __restrict__ values, unsigned count) {
    extern __shared__ __align__(16) unsigned char s_bytes[];
    Tile& s_tile = *reinterpret_cast<Tile*>(s_bytes);
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
        const Far far = stage_bounds(part.bounds, particle, lane < existing, first + kTile / 2);
        load_particle(begin + kChunk);  // meanwhile, for the next chunk
        __syncwarp();  // the bounds of this part have been written
        sum_part(part, s_tile.bases[buffer], first, far, existing, particle);
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
bool is_split(const Input& input) {
    return input.size < kManyCells && is_proven(input.waves, input.size, kShort) &&
           std::ranges::all_of(input.waves, [](const Wave& wave) {
               return wave.count() >= kManyParticles && std::ranges::min(wave.values) > 0;
           });
}

void bombard_layer(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t size = input.size;
    if (size > kLastPosition) throw course::UsageError("--n: a key holds positions below 2^33");
    const int block_size = kUpdateBlock;  // the shared lists have this length
    timer.begin(Phase::kSetup);
    std::vector<float>& layer = output.layer;
    const std::int64_t waves = static_cast<std::int64_t>(input.waves.size());
    const bool split = is_split(input);
    const Passes passes(size, split ? 1 : waves);
    const std::int64_t tiles = (size + kTile - 1) / kTile;
    // The first pass reads no layer.
    DeviceBuffer<float> d_layer(split || waves > kMostWaves ? size : 0), d_relaxed_layer(size);
    DeviceBuffer<Key> d_keys(waves);
    std::vector<Key> keys(waves);
    cuda_check(cudaMemset(d_keys.data(), 0, d_keys.bytes()));
    DeviceBuffer<std::int64_t> d_particle_positions(input.particles());
    DeviceBuffer<int> d_particle_values(input.particles());
    DeviceBuffer<std::int64_t> d_begins(waves + 1), d_no_begins(2);
    course::allow_dynamic_shared(split_particles_kernel, sizeof(Tile));
    cuda_check(cudaMemset(d_no_begins.data(), 0, d_no_begins.bytes()));
    if (split) cuda_check(cudaMemset(d_layer.data(), 0, d_layer.bytes()));

    timer.begin(Phase::kCopyIn);
    copy_particles(input, d_particle_positions.data(), d_particle_values.data(), d_begins.data());

    timer.begin(Phase::kKernels);
    std::int64_t begin = 0;  // of the wave's particles
    for (std::int64_t w = 0; split && w < waves; begin += input.waves[w++].count()) {
        split_particles_kernel<<<tiles, 32 * kWarps, sizeof(Tile)>>>(
            d_layer.data(), size, d_particle_positions.data() + begin,
            d_particle_values.data() + begin, static_cast<unsigned>(input.waves[w].count()));
        cuda_check(cudaGetLastError());
        // A wave without particles: the relaxation, and the maximum.
        bombard_kernel<1, int><<<passes.blocks, block_size>>>(
            d_layer.data(), d_relaxed_layer.data(), size, nullptr, nullptr, d_no_begins.data(), 1,
            passes.halo, d_keys.data() + w);
        cuda_check(cudaGetLastError());
        std::swap(d_layer, d_relaxed_layer);
    }
    if (!split) {
        bombard_in_passes(input, passes, d_layer, d_relaxed_layer, d_particle_positions.data(),
                          d_particle_values.data(), d_begins.data(), d_keys.data());
    }

    timer.begin(Phase::kCopyOut);
    cuda_check(cudaMemcpy(keys.data(), d_keys.data(), d_keys.bytes(), cudaMemcpyDeviceToHost));
    for (std::int64_t w = 0; w < waves; ++w) output.maxima[w] = maximum_of(keys[w]);
    cuda_check(cudaMemcpy(layer.data(), d_layer.data(), d_layer.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid(split ? tiles : passes.blocks, split ? 32 * kWarps : block_size);
    const std::int64_t reads = split ? waves : passes.count;
    timer.declare_work({.bytes = kBytesPerCell * static_cast<double>((2 * reads - 1) * size),
                        .operations = storms::update_operations(input)});
}

int main(int argc, char** argv) { return storms::run_stage(argc, argv, STAGE_NAME, bombard_layer); }
