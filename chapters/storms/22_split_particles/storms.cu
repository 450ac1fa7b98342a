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
#include "device/copies.cuh"
#include "device/parts.cuh"
#include "device/passes.cuh"
#include "problem/storms.hpp"

using course::cuda_check, course::DeviceBuffer;
using storms::bombard_in_passes, storms::bombard_kernel, storms::cell_of, storms::copy_particles;
using storms::each_of, storms::exact_energy, storms::Far, storms::Input, storms::is_proven;
using storms::kBinade, storms::Key, storms::kLastPosition, storms::kManyCells, storms::kMostEach;
using storms::kMostWaves, storms::kPart, storms::kShort, storms::kTile, storms::kUpdateBlock;
using storms::kWarps, storms::maximum_of, storms::more_of, storms::Output, storms::Part;
using storms::Passes, storms::Phase, storms::PhaseTimer, storms::stage_bounds, storms::sum_below;
using storms::sum_part, storms::units_of, storms::Wave;

// A pass reads and writes each cell; the first only writes it.
constexpr double kBytesPerCell = sizeof(float);
constexpr int kChunk = kWarps * kPart;  // particles of a block
constexpr std::int64_t kManyParticles = 4 * kChunk;  // per wave

// Adds the words of the parts to the bits of a cell, until it would leave its binade. Returns of
// how many parts.
__device__ __forceinline__ int add_words(float& own, const Part (&s_parts)[kWarps], int slot) {
    int sum = 0, any = 0;
    for (int part = 0; part < kWarps; ++part) {
        sum += s_parts[part].words[slot];
        any |= s_parts[part].words[slot];
    }
    unsigned bits = __float_as_uint(own);
    int parts = 0;
    if (more_of(any) == 0 && ((bits + units_of(sum)) ^ bits) < kBinade) {
        bits += units_of(sum);
        parts = kWarps;
    }
    for (; parts < kWarps; ++parts) {
        const int word = s_parts[parts].words[slot];
        const unsigned next = bits + units_of(word) + (bits % 2 == 0 ? 0 : more_of(word));
        if ((next ^ bits) >= kBinade) break;
        bits = next;
    }
    own = __uint_as_float(bits);
    return parts;
}

// The cell at k after all particles from `begin` on; each lane takes so many, in order. A lane
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

// Adds the particles of a wave to a layer. The warps of a block share a tile of cells.
__global__ void __launch_bounds__(32 * kWarps, 1)
    split_particles_kernel(float* __restrict__ layer, std::int64_t size,
                           const std::int64_t* __restrict__ positions,
                           const int* __restrict__ values, unsigned count) {
    __shared__ Part s_parts[kWarps];
    __shared__ float2 s_particles[32 * kMostEach + 2 * kPart];
    __shared__ float s_cells[kTile];
    __shared__ int s_added[kTile];  // how many parts have been added to a cell
    const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
    const std::int64_t tile = std::int64_t{kTile} * blockIdx.x;
    const float first = static_cast<float>(tile);
    const bool has_cell = thread < kTile && tile + cell_of(thread) < size;  // else infinity
    if (thread < kTile) s_cells[thread] = has_cell ? layer[tile + cell_of(thread)] : INFINITY;
    std::int64_t position = 0;
    int value = 0;
    const auto load_particle = [&](unsigned i) {
        position = i < count ? positions[i] : 0;
        value = i < count ? values[i] : 0;
    };
    load_particle(thread);
    if (warp < 3) s_particles[kChunk + thread] = make_float2(0, 0);  // lanes repair with these, too
    for (unsigned begin = 0; begin < count; begin += kChunk) {
        __syncthreads();  // all cells have been written, and the particles before these used
        const float share = static_cast<float>(value) * 1000 / static_cast<float>(size);
        const float2 particle = make_float2(static_cast<float>(position), share);
        s_particles[thread] = particle;
        const int existing = min(max(static_cast<int>(count - begin) - warp * kPart, 0), kPart);
        const Far far =
            stage_bounds(s_parts[warp].bounds, particle, lane < existing, first + kTile / 2);
        load_particle(begin + kChunk + thread);  // meanwhile, for the next chunk
        __syncwarp();  // the bounds of this part have been written
        sum_part(s_parts[warp], s_cells, first, far, existing, particle);
        __syncthreads();  // all words have been written
        if (thread < kTile) s_added[thread] = add_words(s_cells[thread], s_parts, thread);
        __syncthreads();  // the cells have been written, and how many parts they have
        const int own_slot = warp + kWarps * lane;
        const bool owns = own_slot < kTile;
        const int parts = owns ? s_added[own_slot] : kWarps;
        const float own = owns ? s_cells[own_slot] : 0.0f;
        for (unsigned left = __ballot_sync(~0u, parts < kWarps); left != 0; left &= left - 1) {
            const int source = __ffs(left) - 1, added = __shfl_sync(~0u, parts, source);
            const float k = first + cell_of(warp + kWarps * source);
            const float cell = repair_cell(__shfl_sync(~0u, own, source), k,
                                           &s_particles[added * kPart], each_of(kWarps - added));
            if (lane == source) s_cells[own_slot] = cell;
        }
    }
    __syncthreads();  // all cells have been written
    if (has_cell) layer[tile + cell_of(thread)] = s_cells[thread];
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
    cuda_check(cudaMemset(d_no_begins.data(), 0, d_no_begins.bytes()));
    if (split) cuda_check(cudaMemset(d_layer.data(), 0, d_layer.bytes()));

    timer.begin(Phase::kCopyIn);
    copy_particles(input, d_particle_positions.data(), d_particle_values.data(), d_begins.data());

    timer.begin(Phase::kKernels);
    std::int64_t begin = 0;  // of the wave's particles
    for (std::int64_t w = 0; split && w < waves; begin += input.waves[w++].count()) {
        split_particles_kernel<<<tiles, 32 * kWarps>>>(
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
