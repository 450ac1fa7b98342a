// SPDX-License-Identifier: MIT
// Storms, stage limit/11: shared steps.
// Idea: with many cells, too, only the steps of far particles are added. In a binade, the order is
// free. So all warps of a block add the steps of 128 particles to one tile of 1280 cells, and what
// is done once per particle and tile is done for 1280 cells instead of 256. Cells for which the
// order matters are queued, and each thread adds the particles to one of them in order.
// Compared with limit/10_step_functions: rounds of many particles (rounds.cuh), for many cells.
// Limit now: the steps, the cells that are added to in order, and barriers between both.
// Not of the thesis nor of Blanco and González 2018.
#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "common/base/error.hpp"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "limit/08_shared_root/passes.cuh"
#include "limit/09_split_particles/split.cuh"
#include "limit/10_step_functions/step_sums.cuh"
#include "limit/11_shared_steps/rounds.cuh"
#include "problem/storms.hpp"

using course::cuda_check, course::DeviceBuffer;
using storms::Key, storms::kLastPosition, storms::kMostCells, storms::kMostWaves;
using storms::kTile, storms::kTileCells, storms::kUpdateBlock, storms::Phase;

// A pass reads and writes each cell; the first only writes it.
constexpr double kBytesPerCell = sizeof(float);

// As bombard_neighbours_kernel(), for waves of positive energies.
__global__ void __launch_bounds__(kUpdateBlock, 6)
    bombard_steps_kernel(const float* __restrict__ layer, float* __restrict__ next_layer,
                         std::int64_t size, const std::int64_t* __restrict__ positions,
                         const int* __restrict__ values, const std::int64_t* __restrict__ begins,
                         std::int64_t waves, int halo, Key* __restrict__ keys) {
    const std::int64_t first = std::int64_t{kTileCells<kMostCells> - 2 * halo} * blockIdx.x - halo;
    float own[kMostCells];
    for (int j = 0; j < kMostCells; ++j) {
        // Beyond its ends, the layer goes on with the same cells, so that they grow like these.
        const std::int64_t cell = first + threadIdx.x + j * kUpdateBlock;
        own[j] = layer != nullptr ? layer[min(max(cell, std::int64_t{0}), size - 1)] : 0.0f;
    }
    for (std::int64_t w = 0; w < waves; ++w) {
        storms::add_by_steps<storms::CellPerThread>(own, first, static_cast<float>(size), positions,
                                                    values, begins[w], begins[w + 1]);
        storms::relax_and_find(own, first, size, halo, keys + w);
    }
    for (int j = 0; j < kMostCells; ++j) {
        const int i = threadIdx.x + j * kUpdateBlock;
        const bool mine = i >= halo && i < kTileCells<kMostCells> - halo && first + i < size;
        if (mine) next_layer[first + i] = own[j];
    }
}

void bombard_layer(const storms::Input& input, storms::Output& output, storms::PhaseTimer& timer) {
    const std::int64_t size = input.size;
    if (size > kLastPosition) throw course::UsageError("--n: a key holds positions below 2^33");
    timer.begin(Phase::kSetup);
    std::vector<float>& layer = output.layer;
    const std::int64_t waves = static_cast<std::int64_t>(input.waves.size());
    const bool split = storms::is_split(input);
    const storms::Passes passes(size, split ? 1 : waves);
    // The first pass reads no layer.
    DeviceBuffer<float> d_layer(split || waves > kMostWaves ? size : 0), d_relaxed_layer(size);
    DeviceBuffer<Key> d_keys(waves);
    std::vector<Key> keys(waves);
    cuda_check(cudaMemset(d_keys.data(), 0, d_keys.bytes()));
    DeviceBuffer<std::int64_t> d_particle_positions(input.particles()), d_begins(waves + 1);
    DeviceBuffer<int> d_particle_values(input.particles());
    const storms::SplitWaves<storms::StepSums> split_waves;
    if (split) cuda_check(cudaMemset(d_layer.data(), 0, d_layer.bytes()));

    timer.begin(Phase::kCopyIn);
    storms::copy_particles(input, d_particle_positions.data(), d_particle_values.data(),
                           d_begins.data());

    timer.begin(Phase::kKernels);
    if (split) {
        split_waves.launch(input, passes, d_layer, d_relaxed_layer, d_particle_positions.data(),
                           d_particle_values.data(), d_keys.data());
    } else {
        storms::bombard_in_passes(input, passes, d_layer, d_relaxed_layer,
                                  d_particle_positions.data(), d_particle_values.data(),
                                  d_begins.data(), d_keys.data(), bombard_steps_kernel);
    }

    timer.begin(Phase::kCopyOut);
    cuda_check(cudaMemcpy(keys.data(), d_keys.data(), d_keys.bytes(), cudaMemcpyDeviceToHost));
    for (std::int64_t w = 0; w < waves; ++w) output.maxima[w] = storms::maximum_of(keys[w]);
    cuda_check(cudaMemcpy(layer.data(), d_layer.data(), d_layer.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid(split ? (size + kTile - 1) / kTile : passes.blocks,
                    split ? 32 * storms::kWarps : kUpdateBlock);
    const std::int64_t reads = split ? waves : passes.count;
    timer.declare_work({.bytes = kBytesPerCell * static_cast<double>((2 * reads - 1) * size),
                        .operations = storms::update_operations(input)});
}

int main(int argc, char** argv) { return storms::run_stage(argc, argv, STAGE_NAME, bombard_layer); }
