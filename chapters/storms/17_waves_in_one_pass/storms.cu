// SPDX-License-Identifier: MIT
// Storms, stage 17: waves in one pass.
// Idea: after w waves a cell depends on no cell farther away than w. So a block keeps its tile on
// chip for up to eight waves. The halo is one cell wider than the pass has waves; each wave makes a
// cell of it useless on each side. The layer is read and written once per pass (temporal blocking).
// Compared with 16_fused_wave: bombard_kernel() has a loop over waves, bombard_layer() one over
// passes.
// Limit now: the updates, which issue in three of four clocks; with few particles the instructions
// of relaxation and search, and the launches of the tree.
// Not of the thesis nor of Blanco and González 2018.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "device/block_peak.cuh"
#include "device/particles.cuh"
#include "device/relaxation.cuh"
#include "problem/storms.hpp"

using course::cuda_check, course::DeviceBuffer;
using storms::add_particles, storms::kNear, storms::kShort, storms::kUpdateBlock, storms::Wave;
using storms::Input, storms::Maximum, storms::Output, storms::Phase, storms::PhaseTimer;
using storms::reduce_peaks_kernel;

// From so many cells on, four cells per thread leave at least 512 blocks.
constexpr std::int64_t kManyCells = std::int64_t{1} << 18;
constexpr std::int64_t kMostWaves = 8;  // per pass
// A pass reads and writes each cell; the first only writes it.
constexpr double kBytesPerCell = sizeof(float);

// Relaxes the tile whose cell `first` is own[0] of thread 0, and writes the greatest peak of the
// block's own cells.
template <int kCells>
__device__ __forceinline__ void relax_and_find(float (&own)[kCells], std::int64_t first,
                                               std::int64_t size, int halo, float* peak_values,
                                               std::int64_t* peak_positions) {
    constexpr int kTile = kCells * kUpdateBlock;
    __shared__ float s_updated[kTile + 2], s_relaxed[kTile];  // one has a cell more per side
    // The cells of the tile that are in the layer and not at one of its ends.
    const int begin = static_cast<int>(max(1 - first, std::int64_t{0}));
    const int end = static_cast<int>(min(size - 1 - first, std::int64_t{kTile}));
    if (threadIdx.x < 2) s_updated[threadIdx.x * (kTile + 1)] = 0.0f;
    for (int j = 0; j < kCells; ++j) s_updated[1 + threadIdx.x + j * kUpdateBlock] = own[j];
    __syncthreads();  // the updated tile has been written
    for (int j = 0; j < kCells; ++j) {
        const int i = threadIdx.x + j * kUpdateBlock;
        if (i >= begin && i < end) own[j] = (s_updated[i] + own[j] + s_updated[i + 2]) / 3;
        s_relaxed[i] = own[j];
    }
    __syncthreads();  // the relaxed tile has been written
    float value = 0;
    std::int64_t position = 0;
    for (int j = 0; j < kCells; ++j) {
        const int i = threadIdx.x + j * kUpdateBlock;
        if (i < max(begin, halo) || i >= min(end, kTile - halo)) continue;
        if (own[j] <= max(value, max(s_relaxed[i - 1], s_relaxed[i + 1]))) continue;
        value = own[j];  // of equal peaks, the first one stays
        position = first + i;
    }
    storms::write_block_peak<kUpdateBlock>(value, position, peak_values, peak_positions);
}

// Runs the waves of a pass. Wave w has the particles from begins[w] to begins[w + 1]. layer:
// nullptr before the first wave. halo: the cells of a tile, on each side, that its block does not
// own; at least waves + 1. kCells: cells per thread, kUpdateBlock apart.
template <int kCells, typename Place>
__global__ void bombard_kernel(const float* __restrict__ layer, float* __restrict__ next_layer,
                               std::int64_t size, const std::int64_t* __restrict__ positions,
                               const int* __restrict__ values,
                               const std::int64_t* __restrict__ begins, std::int64_t waves,
                               int halo, float* __restrict__ peak_values,
                               std::int64_t* __restrict__ peak_positions) {
    constexpr int kTile = kCells * kUpdateBlock;
    const std::int64_t first = std::int64_t{kTile - 2 * halo} * blockIdx.x - halo;
    Place k[kCells];
    float own[kCells];
#pragma unroll
    for (int j = 0; j < kCells; ++j) {
        const std::int64_t cell = first + threadIdx.x + j * kUpdateBlock;
        k[j] = static_cast<Place>(cell);
        own[j] = layer != nullptr && cell >= 0 && cell < size ? layer[cell] : 0.0f;
    }
    for (std::int64_t w = 0; w < waves; ++w) {
        add_particles(own, k, static_cast<float>(size), positions + begins[w], values + begins[w],
                      begins[w + 1] - begins[w]);
        relax_and_find(own, first, size, halo, peak_values + w * gridDim.x,
                       peak_positions + w * gridDim.x);
    }
#pragma unroll
    for (int j = 0; j < kCells; ++j) {
        const int i = threadIdx.x + j * kUpdateBlock;
        const bool mine = i >= halo && i < kTile - halo && first + i < size;
        if (mine) next_layer[first + i] = own[j];
    }
}

void bombard_layer(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t size = input.size;
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
    DeviceBuffer<float> d_values(waves * blocks);
    DeviceBuffer<std::int64_t> d_positions(waves * blocks);
    DeviceBuffer<std::int64_t> d_particle_positions(input.particles());
    DeviceBuffer<int> d_particle_values(input.particles());
    std::vector<std::int64_t> begins = {0};
    DeviceBuffer<std::int64_t> d_begins(waves + 1);

    timer.begin(Phase::kCopyIn);
    std::int64_t first = 0;
    for (const Wave& wave : input.waves) {
        cuda_check(cudaMemcpy(d_particle_positions.data() + first, wave.positions.data(),
                              wave.count() * sizeof(std::int64_t), cudaMemcpyHostToDevice));
        cuda_check(cudaMemcpy(d_particle_values.data() + first, wave.values.data(),
                              wave.count() * sizeof(int), cudaMemcpyHostToDevice));
        first += wave.count();
        begins.push_back(first);
    }
    cuda_check(
        cudaMemcpy(d_begins.data(), begins.data(), d_begins.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    for (std::int64_t w = 0; w < waves; w += kMostWaves) {
        const std::span<const Wave> pass(&input.waves[w], std::min(kMostWaves, waves - w));
        const auto launch = [&](auto place) {
            using Place = decltype(place);
            const auto kernel = many ? bombard_kernel<4, Place> : bombard_kernel<1, Place>;
            kernel<<<blocks, block_size>>>(w > 0 ? d_layer.data() : nullptr, d_relaxed_layer.data(),
                                           size, d_particle_positions.data(),
                                           d_particle_values.data(), d_begins.data() + w,
                                           std::ssize(pass), halo, d_values.data() + w * blocks,
                                           d_positions.data() + w * blocks);
            cuda_check(cudaGetLastError());
        };
        const auto proven = [&](std::int64_t limit) {
            return size <= limit && std::ranges::all_of(pass, [&](const Wave& wave) {
                       return !wave.has_zeros() && wave.is_nearer_than(limit);
                   });
        };
        if (proven(kShort)) {
            launch(float{});
        } else if (proven(kNear)) {
            launch(int{});
        } else {
            launch(std::int64_t{});
        }
        std::swap(d_layer, d_relaxed_layer);
    }
    for (std::int64_t w = 0; w < waves; ++w) {
        for (std::int64_t count = blocks; count > 1; count = (count + 1) / 2) {
            const std::int64_t half = (count + 1) / 2;
            reduce_peaks_kernel<<<(half + block_size - 1) / block_size, block_size>>>(
                d_values.data() + w * blocks, d_positions.data() + w * blocks, count, half);
            cuda_check(cudaGetLastError());
        }
    }

    timer.begin(Phase::kCopyOut);
    for (std::int64_t w = 0; w < waves; ++w) {
        Maximum& maximum = output.maxima[w];
        cuda_check(cudaMemcpy(&maximum.value, d_values.data() + w * blocks, sizeof maximum.value,
                              cudaMemcpyDeviceToHost));
        cuda_check(cudaMemcpy(&maximum.position, d_positions.data() + w * blocks,
                              sizeof maximum.position, cudaMemcpyDeviceToHost));
    }
    cuda_check(cudaMemcpy(layer.data(), d_layer.data(), d_layer.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid(blocks, block_size);
    const std::int64_t passes = (waves + kMostWaves - 1) / kMostWaves;
    timer.declare_work({.bytes = kBytesPerCell * static_cast<double>((2 * passes - 1) * size),
                        .operations = storms::update_operations(input)});
}

int main(int argc, char** argv) { return storms::run_stage(argc, argv, STAGE_NAME, bombard_layer); }
