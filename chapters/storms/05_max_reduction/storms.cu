// SPDX-License-Identifier: MIT
// Storms, stage 05: the maximum by reduction.
// Idea: one kernel marks the peaks. Then each thread compares a peak of the first half of the list
// with one of the second half, until one peak is left. The position travels with the value, and of
// equal peaks the lower position wins.
// Compared with 04_resident_layer: find_peaks_kernel and reduce_peaks_kernel replace the host's
// search. The host gets one cell per wave, and the layer after the last wave.
// Limit now: one launch per particle, each of which reads and writes the whole layer.
// Not of the thesis: Blanco and González 2018, version 4.
#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/storms.hpp"

using course::cuda_check, course::DeviceBuffer;
using storms::Input, storms::Maximum, storms::Output, storms::Phase, storms::PhaseTimer;
using storms::Wave;

// Each cell is copied: 8 bytes. Then it is read from the copy and written: 8 bytes.
constexpr double kBytesPerRelaxation = 16;
// Each cell is read, its value and position are written, and the reduction reads the value.
constexpr double kBytesPerPeak = 20;

__global__ void clear_layer_kernel(float* __restrict__ layer, std::int64_t size) {
    const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (k < size) layer[k] = 0.0f;
}

__global__ void update_layer_kernel(float* __restrict__ layer, std::int64_t size,
                                    std::int64_t position, float energy) {
    const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (k >= size) return;
    const float cells = static_cast<float>(size);
    const float threshold = 0.001f / cells;
    const std::int64_t distance = position < k ? k - position : position - k;
    const float attenuation = sqrtf(static_cast<float>(distance + 1));
    const float e = energy / cells / attenuation;
    if (e >= threshold || e <= -threshold) layer[k] += e;
}

__global__ void copy_layer_kernel(const float* __restrict__ layer, float* __restrict__ layer_copy,
                                  std::int64_t size) {
    const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (k < size) layer_copy[k] = layer[k];
}

// A launch sees everything that the launch before it in the same stream has written.
__global__ void relax_layer_kernel(float* __restrict__ layer, const float* __restrict__ layer_copy,
                                   std::int64_t size) {
    const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (k < 1 || k >= size - 1) return;
    layer[k] = (layer_copy[k - 1] + layer_copy[k] + layer_copy[k + 1]) / 3;
}

// The greater of two peaks goes to place i; of equal peaks, the one with the lower position.
__device__ __forceinline__ void keep_greater(float* values, std::int64_t* positions, std::int64_t i,
                                             std::int64_t other) {
    if (values[other] < values[i]) return;
    if (values[other] == values[i] && positions[other] >= positions[i]) return;
    values[i] = values[other];
    positions[i] = positions[other];
}

// A cell that is no peak counts as a peak of value 0 at position 0. Where the layer has no peak,
// this is the answer.
__global__ void find_peaks_kernel(const float* __restrict__ layer, std::int64_t size,
                                  float* __restrict__ values,
                                  std::int64_t* __restrict__ positions) {
    const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (k >= size) return;
    const float own = layer[k];
    const bool peak = k > 0 && k < size - 1 && own > layer[k - 1] && own > layer[k + 1] && own > 0;
    values[k] = peak ? own : 0.0f;
    positions[k] = peak ? k : 0;
}

// With an odd count, the peak in the middle (half - 1) has no partner and stays.
__global__ void reduce_peaks_kernel(float* __restrict__ values,
                                    std::int64_t* __restrict__ positions, std::int64_t count,
                                    std::int64_t half) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i + half < count) keep_greater(values, positions, i, i + half);
}

void bombard_layer(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t size = input.size;
    const int block_size = input.block_size;
    timer.begin(Phase::kSetup);
    std::vector<float>& layer = output.layer;
    DeviceBuffer<float> d_layer(size), d_layer_copy(size), d_values(size);
    DeviceBuffer<std::int64_t> d_positions(size);
    const std::int64_t blocks = (size + block_size - 1) / block_size;
    clear_layer_kernel<<<blocks, block_size>>>(d_layer.data(), size);
    cuda_check(cudaGetLastError());

    for (std::size_t w = 0; w < input.waves.size(); ++w) {
        const Wave& wave = input.waves[w];
        timer.begin(Phase::kKernels);
        for (std::int64_t i = 0; i < wave.count(); ++i) {
            const float energy = static_cast<float>(wave.values[i]) * 1000;
            update_layer_kernel<<<blocks, block_size>>>(d_layer.data(), size, wave.positions[i],
                                                        energy);
            cuda_check(cudaGetLastError());
        }
        copy_layer_kernel<<<blocks, block_size>>>(d_layer.data(), d_layer_copy.data(), size);
        cuda_check(cudaGetLastError());
        relax_layer_kernel<<<blocks, block_size>>>(d_layer.data(), d_layer_copy.data(), size);
        cuda_check(cudaGetLastError());
        find_peaks_kernel<<<blocks, block_size>>>(d_layer.data(), size, d_values.data(),
                                                  d_positions.data());
        cuda_check(cudaGetLastError());
        for (std::int64_t count = size; count > 1; count = (count + 1) / 2) {
            const std::int64_t half = (count + 1) / 2;
            reduce_peaks_kernel<<<(half + block_size - 1) / block_size, block_size>>>(
                d_values.data(), d_positions.data(), count, half);
            cuda_check(cudaGetLastError());
        }
        timer.begin(Phase::kCopyOut);
        Maximum& maximum = output.maxima[w];
        cuda_check(cudaMemcpy(&maximum.value, d_values.data(), sizeof maximum.value,
                              cudaMemcpyDeviceToHost));
        cuda_check(cudaMemcpy(&maximum.position, d_positions.data(), sizeof maximum.position,
                              cudaMemcpyDeviceToHost));
    }
    timer.begin(Phase::kCopyOut);
    cuda_check(cudaMemcpy(layer.data(), d_layer.data(), d_layer.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid(blocks, block_size);
    timer.declare_work(
        {.bytes = storms::kBytesPerUpdate * size * storms::particles_that_reach_all(input) +
                  (kBytesPerRelaxation + kBytesPerPeak) * (size - 2) * input.waves.size(),
         .operations = storms::update_operations(input)});
}

int main(int argc, char** argv) {
    return storms::run_stage(argc, argv, STAGE_NAME, bombard_layer, {.has_block_size = true});
}
