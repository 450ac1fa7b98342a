// SPDX-License-Identifier: MIT
// Storms, stage 24: shared steps.
// Idea: with many cells, too, only the steps of far particles are added. In a binade, the order is
// free. So all warps of a block add the steps of 128 particles to one tile of 1280 cells, and what
// is done once per particle and tile is done for 1280 cells instead of 256. Cells for which the
// order matters are queued, and each thread adds the particles to one of them in order.
// Compared with 23_step_functions: rounds of many particles, in a kernel for many cells.
// Limit now: the steps, the cells that are added to in order, and barriers between both.
// Not of the thesis nor of Blanco and González 2018.
#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "common/base/error.hpp"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "device/copies.cuh"
#include "device/passes.cuh"
#include "device/shared_steps.cuh"
#include "device/split.cuh"
#include "device/step_sums.cuh"
#include "problem/storms.hpp"

using course::cuda_check, course::DeviceBuffer;
using storms::add_by_groups, storms::add_in_turn, storms::add_near_units, storms::add_units;
using storms::Binades, storms::bombard_in_passes, storms::bombard_kernel, storms::copy_particles;
using storms::Input, storms::is_split, storms::Key, storms::kLastPosition, storms::kLeastBase;
using storms::kMostCells, storms::kMostNear, storms::kMostQueued, storms::kMostWaves;
using storms::kRound, storms::kTile, storms::kUpdateBlock, storms::kWarps, storms::kWideTile;
using storms::maximum_of, storms::Output, storms::Passes, storms::Phase, storms::PhaseTimer;
using storms::queue_cells, storms::relax_and_find, storms::Round, storms::split_particles_kernel;
using storms::split_round, storms::SplitTile, storms::stage_round, storms::StepSums;
using storms::sum_steps;

// A pass reads and writes each cell; the first only writes it.
constexpr double kBytesPerCell = sizeof(float);

// Adds the particle of each thread, of which `count` exist, to all cells of the tile that begins at
// `first`. own: the neighbouring cells of a thread.
__device__ __forceinline__ void add_round(float (&own)[kMostCells], float first, Round& s_round,
                                          float2 particle, int count) {
    const int thread = threadIdx.x;
    const float own_first = first + kMostCells * thread;
    const Binades binades = stage_round(own, first, s_round, particle, count);
    split_round(binades, first, s_round, particle, thread < count);
    __syncthreads();  // all steps have been added, and the near particles have been listed
    bool few_left = s_round.near_count <= kMostNear && binades.lowest >= kLeastBase;
    if (few_left) {
        const int warp = thread / 32;
        const int before = sum_steps(s_round.steps[0], s_round.totals[0][warp]);
        const int before_next =
            binades.count > 1 ? sum_steps(s_round.steps[1], s_round.totals[1][warp]) : 0;
        int units[kMostCells];
        unsigned left = add_near_units(units, own, own_first, s_round);
        __syncthreads();  // the steps of each warp's cells have been summed
        left |= add_units(units, own, binades, before, before_next, s_round);
        queue_cells(own, left, s_round);
        __syncthreads();  // all cells that are left have been queued
        few_left = s_round.queued_count <= kMostQueued;
        if (few_left) {
            add_in_turn(first, s_round, count);
            __syncthreads();  // the queued cells have been added to
            for (int j = 0; j < kMostCells; ++j) {
                own[j] = left >> j & 1 ? s_round.cells[kMostCells * thread + j]
                                       : __int_as_float(units[j]);
            }
        }
    }
    if (!few_left) {
        add_by_groups(own, own_first, s_round, count);
        __syncthreads();  // all threads have read the particles
    }
}

// Adds the particles of a wave, from `begin` to `end` of the lists.
__device__ __forceinline__ void add_in_rounds(float (&own)[kMostCells], float first, Round& s_round,
                                              float size,
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

// As bombard_neighbours_kernel(), for waves of positive energies.
__global__ void __launch_bounds__(kUpdateBlock, 6)
    bombard_steps_kernel(const float* __restrict__ layer, float* __restrict__ next_layer,
                         std::int64_t size, const std::int64_t* __restrict__ positions,
                         const int* __restrict__ values, const std::int64_t* __restrict__ begins,
                         std::int64_t waves, int halo, Key* __restrict__ keys) {
    __shared__ Round s_round;
    const int thread = threadIdx.x, neighbours = thread * kMostCells;
    const std::int64_t first = std::int64_t{kWideTile - 2 * halo} * blockIdx.x - halo;
    float own[kMostCells];
    for (int j = 0; j < kMostCells; ++j) {
        // Beyond its ends, the layer goes on with the same cells, so that they grow like these.
        const std::int64_t cell = first + thread + j * kUpdateBlock;
        own[j] = layer != nullptr ? layer[min(max(cell, std::int64_t{0}), size - 1)] : 0.0f;
    }
    for (std::int64_t w = 0; w < waves; ++w) {
        for (int j = 0; j < kMostCells; ++j) s_round.cells[thread + j * kUpdateBlock] = own[j];
        __syncthreads();  // the tile has been written
        for (int j = 0; j < kMostCells; ++j) own[j] = s_round.cells[neighbours + j];
        add_in_rounds(own, static_cast<float>(first), s_round, static_cast<float>(size), positions,
                      values, begins[w], begins[w + 1]);
        for (int j = 0; j < kMostCells; ++j) s_round.cells[neighbours + j] = own[j];
        __syncthreads();  // the bombarded tile has been written
        for (int j = 0; j < kMostCells; ++j) own[j] = s_round.cells[thread + j * kUpdateBlock];
        relax_and_find(own, first, size, halo, keys + w);
    }
    for (int j = 0; j < kMostCells; ++j) {
        const int i = thread + j * kUpdateBlock;
        if (i >= halo && i < kWideTile - halo && first + i < size) next_layer[first + i] = own[j];
    }
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
    DeviceBuffer<std::int64_t> d_begins(waves + 1);
    const storms::SplitWaves<StepSums> split_waves;
    if (split) cuda_check(cudaMemset(d_layer.data(), 0, d_layer.bytes()));

    timer.begin(Phase::kCopyIn);
    copy_particles(input, d_particle_positions.data(), d_particle_values.data(), d_begins.data());

    timer.begin(Phase::kKernels);
    if (split) {
        split_waves.launch(input, passes, d_layer, d_relaxed_layer, d_particle_positions.data(),
                           d_particle_values.data(), d_keys.data());
    } else {
        bombard_in_passes(input, passes, d_layer, d_relaxed_layer, d_particle_positions.data(),
                          d_particle_values.data(), d_begins.data(), d_keys.data(),
                          bombard_steps_kernel);
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
