// SPDX-License-Identifier: MIT
// Storms, stage limit/05: proven waves.
// Idea: the host proves about a wave what the kernel then need not test. If no position needs more
// than 32 bits and no value is 0, every particle reaches every cell, and no distance is a denormal.
// If all cells and particles lie within 2^20 of 0, every distance is a float without rounding, and
// the roots that need special care do not occur.
// Compared with limit/04_exact_rounding: add_energy() for three types of a position (energies.cuh).
// Limit now: the instructions for each particle and cell; with few cells their latency, and with
// few particles the layer, which crosses the memory four times per wave.
// Not of the thesis nor of Blanco and González 2018.
#include <cuda_runtime.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "limit/03_32bit_positions/relaxation.cuh"
#include "limit/05_proven_waves/energies.cuh"
#include "problem/storms.hpp"

using course::cuda_check, course::DeviceBuffer;
using storms::kBlockSize, storms::kNear, storms::kShort, storms::Phase, storms::Wave;
using storms::keep_greater, storms::relax_and_find_kernel;

// Each cell is read from one layer and written to the other.
constexpr double kBytesPerRelaxation = 8;

__global__ void clear_layer_kernel(float* __restrict__ layer, std::int64_t size) {
    const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (k < size) layer[k] = 0.0f;
}

// Place: the type of a position of a cell or a particle.
template <typename Place>
__global__ void update_layer_kernel(float* __restrict__ layer, Place size,
                                    const std::int64_t* __restrict__ positions,
                                    const int* __restrict__ values, std::int64_t count) {
    __shared__ Place s_positions[kBlockSize];
    __shared__ float s_shares[kBlockSize];
    const Place k = static_cast<Place>(blockIdx.x) * kBlockSize + static_cast<Place>(threadIdx.x);
    const float cells = static_cast<float>(size);
    const float threshold = 0.001f / cells;
    const auto cell = static_cast<std::int64_t>(k);
    float own = k < size ? layer[cell] : 0.0f;
    for (std::int64_t begin = 0; begin < count; begin += kBlockSize) {
        __syncthreads();  // all threads have used the particles before these
        if (begin + threadIdx.x < count) {
            s_positions[threadIdx.x] = static_cast<Place>(positions[begin + threadIdx.x]);
            s_shares[threadIdx.x] = static_cast<float>(values[begin + threadIdx.x]) * 1000 / cells;
        }
        __syncthreads();  // all of these particles have been written
        const int staged = static_cast<int>(min(count - begin, std::int64_t{kBlockSize}));
        for (int i = 0; i < staged; ++i) {
            storms::add_energy(own, k, s_positions[i], s_shares[i], threshold);
        }
    }
    if (k < size) layer[cell] = own;
}

// With an odd count, the peak in the middle (half - 1) has no partner and stays.
__global__ void reduce_peaks_kernel(float* __restrict__ values,
                                    std::int64_t* __restrict__ positions, std::int64_t count,
                                    std::int64_t half) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i + half < count) keep_greater(values, positions, i, i + half);
}

void bombard_layer(const storms::Input& input, storms::Output& output, storms::PhaseTimer& timer) {
    const std::int64_t size = input.size;
    const int block_size = kBlockSize;  // the shared lists have this length
    timer.begin(Phase::kSetup);
    std::vector<float>& layer = output.layer;
    DeviceBuffer<float> d_layer(size), d_relaxed_layer(size);
    const std::int64_t blocks = (size + block_size - 1) / block_size;
    const std::int64_t waves = static_cast<std::int64_t>(input.waves.size());
    DeviceBuffer<float> d_values(waves * blocks);
    DeviceBuffer<std::int64_t> d_positions(waves * blocks);
    DeviceBuffer<std::int64_t> d_particle_positions(input.particles());
    DeviceBuffer<int> d_particle_values(input.particles());
    clear_layer_kernel<<<blocks, block_size>>>(d_layer.data(), size);
    cuda_check(cudaGetLastError());

    timer.begin(Phase::kCopyIn);
    std::int64_t first = 0;
    for (const Wave& wave : input.waves) {
        cuda_check(cudaMemcpy(d_particle_positions.data() + first, wave.positions.data(),
                              wave.count() * sizeof(std::int64_t), cudaMemcpyHostToDevice));
        cuda_check(cudaMemcpy(d_particle_values.data() + first, wave.values.data(),
                              wave.count() * sizeof(int), cudaMemcpyHostToDevice));
        first += wave.count();
    }

    timer.begin(Phase::kKernels);
    first = 0;
    for (std::int64_t w = 0; w < waves; ++w) {
        const Wave& wave = input.waves[w];
        const std::int64_t* const wave_positions = d_particle_positions.data() + first;
        const int* const wave_values = d_particle_values.data() + first;
        const auto launch = [&](auto place) {
            using Place = decltype(place);
            const auto kernel = update_layer_kernel<Place>;
            kernel<<<blocks, block_size>>>(d_layer.data(), static_cast<Place>(size), wave_positions,
                                           wave_values, wave.count());
            cuda_check(cudaGetLastError());
        };
        const bool whole = !wave.has_zeros();
        if (whole && size <= kShort && wave.is_nearer_than(kShort)) {
            launch(float{});
        } else if (whole && size <= kNear && wave.is_nearer_than(kNear)) {
            launch(int{});
        } else {
            launch(std::int64_t{});
        }
        first += wave.count();
        float* const values = d_values.data() + w * blocks;
        std::int64_t* const positions = d_positions.data() + w * blocks;
        relax_and_find_kernel<<<blocks, block_size>>>(d_layer.data(), d_relaxed_layer.data(), size,
                                                      values, positions);
        cuda_check(cudaGetLastError());
        std::swap(d_layer, d_relaxed_layer);
        for (std::int64_t count = blocks; count > 1; count = (count + 1) / 2) {
            const std::int64_t half = (count + 1) / 2;
            reduce_peaks_kernel<<<(half + block_size - 1) / block_size, block_size>>>(
                values, positions, count, half);
            cuda_check(cudaGetLastError());
        }
    }

    timer.begin(Phase::kCopyOut);
    for (std::int64_t w = 0; w < waves; ++w) {
        storms::Maximum& maximum = output.maxima[w];
        cuda_check(cudaMemcpy(&maximum.value, d_values.data() + w * blocks, sizeof maximum.value,
                              cudaMemcpyDeviceToHost));
        cuda_check(cudaMemcpy(&maximum.position, d_positions.data() + w * blocks,
                              sizeof maximum.position, cudaMemcpyDeviceToHost));
    }
    cuda_check(cudaMemcpy(layer.data(), d_layer.data(), d_layer.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid(blocks, block_size);
    timer.declare_work({.bytes = (storms::kBytesPerUpdate + kBytesPerRelaxation) * size * waves,
                        .operations = storms::update_operations(input)});
}

int main(int argc, char** argv) { return storms::run_stage(argc, argv, STAGE_NAME, bombard_layer); }
