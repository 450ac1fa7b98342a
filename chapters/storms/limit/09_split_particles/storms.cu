// SPDX-License-Identifier: MIT
// Storms, stage limit/09: split particles.
// Idea: between two powers of two (a binade), a sum has one unit, so a rounded addition adds a
// whole number of units, the same for every sum. Whole numbers may be added in any order: many
// warps add parts of the particles to the same cells, each from the power of two on. What they add
// to the bits of that float are those units. A cell that leaves its binade is repaired by a warp.
// Compared with limit/08_shared_root: split_particles_kernel() for few cells and many particles.
// Limit now: the instructions for each particle and cell.
// Not of the thesis nor of Blanco and González 2018.
#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "common/base/error.hpp"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "limit/08_shared_root/passes.cuh"
#include "limit/09_split_particles/split.cuh"
#include "problem/storms.hpp"

using course::cuda_check, course::DeviceBuffer;
using storms::kLastPosition, storms::kMostWaves, storms::kTile, storms::Phase;

// A pass reads and writes each cell; the first only writes it.
constexpr double kBytesPerCell = sizeof(float);

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
    DeviceBuffer<storms::Key> d_keys(waves);
    std::vector<storms::Key> keys(waves);
    cuda_check(cudaMemset(d_keys.data(), 0, d_keys.bytes()));
    DeviceBuffer<std::int64_t> d_particle_positions(input.particles()), d_begins(waves + 1);
    DeviceBuffer<int> d_particle_values(input.particles());
    const storms::SplitWaves<storms::BoundSums> split_waves;
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
                                  d_begins.data(), d_keys.data());
    }

    timer.begin(Phase::kCopyOut);
    cuda_check(cudaMemcpy(keys.data(), d_keys.data(), d_keys.bytes(), cudaMemcpyDeviceToHost));
    for (std::int64_t w = 0; w < waves; ++w) output.maxima[w] = storms::maximum_of(keys[w]);
    cuda_check(cudaMemcpy(layer.data(), d_layer.data(), d_layer.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid(split ? (size + kTile - 1) / kTile : passes.blocks,
                    split ? 32 * storms::kWarps : storms::kUpdateBlock);
    const std::int64_t reads = split ? waves : passes.count;
    timer.declare_work({.bytes = kBytesPerCell * static_cast<double>((2 * reads - 1) * size),
                        .operations = storms::update_operations(input)});
}

int main(int argc, char** argv) { return storms::run_stage(argc, argv, STAGE_NAME, bombard_layer); }
