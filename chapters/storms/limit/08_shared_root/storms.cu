// SPDX-License-Identifier: MIT
// Storms, stage limit/08: a shared root.
// Idea: far from a particle, the inverse root is nearly a straight line, and bounds may be wider
// than the error of an approximation. So a thread takes ten neighbouring cells, approximates the
// inverse root in their middle, and adds its slope. Near a particle, all energies are computed.
// Compared with limit/07_two_bounds: ten cells per thread, and a kernel for neighbouring ones
// (neighbours.cuh). passes.cuh has the loop over the passes.
// Limit now: with few cells latency; with many the instructions, also those of exact energies.
// Not of the thesis nor of Blanco and González 2018.
#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "common/base/error.hpp"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "limit/08_shared_root/passes.cuh"
#include "problem/storms.hpp"

using course::cuda_check, course::DeviceBuffer;
using storms::kLastPosition, storms::kMostWaves, storms::Phase;

// A pass reads and writes each cell; the first only writes it.
constexpr double kBytesPerCell = sizeof(float);

void bombard_layer(const storms::Input& input, storms::Output& output, storms::PhaseTimer& timer) {
    const std::int64_t size = input.size;
    if (size > kLastPosition) throw course::UsageError("--n: a key holds positions below 2^33");
    timer.begin(Phase::kSetup);
    std::vector<float>& layer = output.layer;
    const std::int64_t waves = static_cast<std::int64_t>(input.waves.size());
    const storms::Passes passes(size, waves);
    // The first pass reads no layer.
    DeviceBuffer<float> d_layer(waves > kMostWaves ? size : 0), d_relaxed_layer(size);
    DeviceBuffer<storms::Key> d_keys(waves);
    std::vector<storms::Key> keys(waves);
    cuda_check(cudaMemset(d_keys.data(), 0, d_keys.bytes()));
    DeviceBuffer<std::int64_t> d_particle_positions(input.particles()), d_begins(waves + 1);
    DeviceBuffer<int> d_particle_values(input.particles());

    timer.begin(Phase::kCopyIn);
    storms::copy_particles(input, d_particle_positions.data(), d_particle_values.data(),
                           d_begins.data());

    timer.begin(Phase::kKernels);
    storms::bombard_in_passes(input, passes, d_layer, d_relaxed_layer, d_particle_positions.data(),
                              d_particle_values.data(), d_begins.data(), d_keys.data());

    timer.begin(Phase::kCopyOut);
    cuda_check(cudaMemcpy(keys.data(), d_keys.data(), d_keys.bytes(), cudaMemcpyDeviceToHost));
    for (std::int64_t w = 0; w < waves; ++w) output.maxima[w] = storms::maximum_of(keys[w]);
    cuda_check(cudaMemcpy(layer.data(), d_layer.data(), d_layer.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid(passes.blocks, storms::kUpdateBlock);
    timer.declare_work({.bytes = kBytesPerCell * static_cast<double>((2 * passes.count - 1) * size),
                        .operations = storms::update_operations(input)});
}

int main(int argc, char** argv) { return storms::run_stage(argc, argv, STAGE_NAME, bombard_layer); }
