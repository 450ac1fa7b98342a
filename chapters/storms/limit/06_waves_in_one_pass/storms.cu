// SPDX-License-Identifier: MIT
// Storms, stage limit/06: waves in one pass.
// Idea: after w waves a cell depends on no cell farther away than w. So a block keeps its tile on
// chip for up to eight waves. The halo is one cell wider than the pass has waves; each wave makes a
// cell of it useless on each side. The layer is read and written once per pass (temporal blocking).
// The host sees no wave's end, so the greatest peak must not need a launch. The bits of a positive
// float are ordered like an integer: a key holds the value of a peak and below it the position,
// counted from the end. The greatest key is the first of the greatest peaks, and one atomicMax()
// per block and wave finds it.
// Compared with limit/05_proven_waves: bombard_kernel() has a loop over waves, bombard_layer() one
// over passes, and keys come back. With many cells a thread has four, in registers, and the
// relaxation divides by three without tests.
// Limit now: the updates, which issue in three of four clocks; with few cells in one of two.
// Not of the thesis nor of Blanco and González 2018.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/base/error.hpp"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "limit/06_waves_in_one_pass/copies.cuh"
#include "limit/06_waves_in_one_pass/tiles.cuh"
#include "problem/storms.hpp"

using course::cuda_check, course::DeviceBuffer;
using storms::bombard_kernel, storms::is_proven, storms::Key, storms::kLastPosition;
using storms::kNear, storms::kShort, storms::kUpdateBlock, storms::Phase, storms::Wave;

// From so many cells on, four cells per thread leave at least 512 blocks.
constexpr std::int64_t kManyCells = std::int64_t{1} << 18;
constexpr std::int64_t kMostWaves = 8;  // per pass
// A pass reads and writes each cell; the first only writes it.
constexpr double kBytesPerCell = sizeof(float);

void bombard_layer(const storms::Input& input, storms::Output& output, storms::PhaseTimer& timer) {
    const std::int64_t size = input.size;
    if (size > kLastPosition) throw course::UsageError("--n: a key holds positions below 2^33");
    const int block_size = kUpdateBlock;  // the shared lists have this length
    timer.begin(Phase::kSetup);
    std::vector<float>& layer = output.layer;
    const bool many = size >= kManyCells;
    const std::int64_t waves = static_cast<std::int64_t>(input.waves.size());
    // The first pass reads no layer.
    DeviceBuffer<float> d_layer(waves > kMostWaves ? size : 0), d_relaxed_layer(size);
    const int halo = static_cast<int>(std::min(waves, kMostWaves)) + 1;
    const std::int64_t cells = (many ? 4 : 1) * kUpdateBlock - 2 * halo;  // of a block
    const std::int64_t blocks = (size + cells - 1) / cells;
    DeviceBuffer<Key> d_keys(waves);
    std::vector<Key> keys(waves);
    cuda_check(cudaMemset(d_keys.data(), 0, d_keys.bytes()));
    DeviceBuffer<std::int64_t> d_particle_positions(input.particles());
    DeviceBuffer<int> d_particle_values(input.particles());
    DeviceBuffer<std::int64_t> d_begins(waves + 1);

    timer.begin(Phase::kCopyIn);
    storms::copy_particles(input, d_particle_positions.data(), d_particle_values.data(),
                           d_begins.data());

    timer.begin(Phase::kKernels);
    for (std::int64_t w = 0; w < waves; w += kMostWaves) {
        const std::span<const Wave> pass(&input.waves[w], std::min(kMostWaves, waves - w));
        const auto launch = [&](auto place) {
            using Place = decltype(place);
            const auto kernel = many ? bombard_kernel<4, Place> : bombard_kernel<1, Place>;
            kernel<<<blocks, block_size>>>(w > 0 ? d_layer.data() : nullptr, d_relaxed_layer.data(),
                                           size, d_particle_positions.data(),
                                           d_particle_values.data(), d_begins.data() + w,
                                           std::ssize(pass), halo, d_keys.data() + w);
            cuda_check(cudaGetLastError());
        };
        if (is_proven(pass, size, kShort)) {
            launch(float{});
        } else if (is_proven(pass, size, kNear)) {
            launch(int{});
        } else {
            launch(std::int64_t{});
        }
        std::swap(d_layer, d_relaxed_layer);
    }

    timer.begin(Phase::kCopyOut);
    cuda_check(cudaMemcpy(keys.data(), d_keys.data(), d_keys.bytes(), cudaMemcpyDeviceToHost));
    for (std::int64_t w = 0; w < waves; ++w) output.maxima[w] = storms::maximum_of(keys[w]);
    cuda_check(cudaMemcpy(layer.data(), d_layer.data(), d_layer.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid(blocks, block_size);
    const std::int64_t passes = (waves + kMostWaves - 1) / kMostWaves;
    timer.declare_work({.bytes = kBytesPerCell * static_cast<double>((2 * passes - 1) * size),
                        .operations = storms::update_operations(input)});
}

int main(int argc, char** argv) { return storms::run_stage(argc, argv, STAGE_NAME, bombard_layer); }
