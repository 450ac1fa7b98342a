// SPDX-License-Identifier: MIT
// Storms, stage limit/01: particles in shared memory.
// Idea: one launch per wave. A thread keeps its cell in a register while the particles pass through
// shared memory in their order, kBlockSize at a time. The layer is read and written once per wave.
// Compared with 05_max_reduction: update_layer_kernel takes all particles of a wave, which each
// wave copies to the device.
// Limit now: a root and two divisions for each particle and cell.
// Not of the thesis nor of Blanco and González 2018.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/storms.hpp"

using course::cuda_check, course::DeviceBuffer;
using storms::Input, storms::Maximum, storms::Output, storms::Phase, storms::PhaseTimer;
using storms::Wave;

constexpr int kBlockSize = 256;
// Each cell is copied: 8 bytes. Then it is read from the copy and written: 8 bytes.
constexpr double kBytesPerRelaxation = 16;
// Each cell is read, its value and position are written, and the reduction reads the value.
constexpr double kBytesPerPeak = 20;

__global__ void clear_layer_kernel(float* __restrict__ layer, std::int64_t size) {
    const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (k < size) layer[k] = 0.0f;
}

__global__ void update_layer_kernel(float* __restrict__ layer, std::int64_t size,
                                    const std::int64_t* __restrict__ positions,
                                    const int* __restrict__ values, std::int64_t count) {
    __shared__ std::int64_t s_positions[kBlockSize];
    __shared__ float s_energies[kBlockSize];
    const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const float cells = static_cast<float>(size);
    const float threshold = 0.001f / cells;
    float own = k < size ? layer[k] : 0.0f;
    for (std::int64_t begin = 0; begin < count; begin += kBlockSize) {
        __syncthreads();  // all threads have used the particles before these
        if (begin + threadIdx.x < count) {
            s_positions[threadIdx.x] = positions[begin + threadIdx.x];
            s_energies[threadIdx.x] = static_cast<float>(values[begin + threadIdx.x]) * 1000;
        }
        __syncthreads();  // all of these particles have been written
        const int staged = static_cast<int>(min(count - begin, std::int64_t{kBlockSize}));
        for (int i = 0; i < staged; ++i) {
            const std::int64_t position = s_positions[i];
            const std::int64_t distance = position < k ? k - position : position - k;
            const float attenuation = sqrtf(static_cast<float>(distance + 1));
            const float e = s_energies[i] / cells / attenuation;
            if (fabsf(e) >= threshold) own += e;
        }
    }
    if (k < size) layer[k] = own;
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
    const int block_size = kBlockSize;  // the shared lists have this length
    timer.begin(Phase::kSetup);
    std::vector<float>& layer = output.layer;
    DeviceBuffer<float> d_layer(size), d_layer_copy(size), d_values(size);
    DeviceBuffer<std::int64_t> d_positions(size);
    const std::int64_t blocks = (size + block_size - 1) / block_size;
    std::size_t longest = 1;
    for (const Wave& wave : input.waves) longest = std::max(longest, wave.positions.size());
    DeviceBuffer<std::int64_t> d_particle_positions(longest);
    DeviceBuffer<int> d_particle_values(longest);
    clear_layer_kernel<<<blocks, block_size>>>(d_layer.data(), size);
    cuda_check(cudaGetLastError());

    for (std::size_t w = 0; w < input.waves.size(); ++w) {
        const Wave& wave = input.waves[w];
        timer.begin(Phase::kCopyIn);
        cuda_check(cudaMemcpy(d_particle_positions.data(), wave.positions.data(),
                              wave.count() * sizeof(std::int64_t), cudaMemcpyHostToDevice));
        cuda_check(cudaMemcpy(d_particle_values.data(), wave.values.data(),
                              wave.count() * sizeof(int), cudaMemcpyHostToDevice));
        timer.begin(Phase::kKernels);
        update_layer_kernel<<<blocks, block_size>>>(d_layer.data(), size,
                                                    d_particle_positions.data(),
                                                    d_particle_values.data(), wave.count());
        cuda_check(cudaGetLastError());
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
    timer.declare_work({.bytes = (storms::kBytesPerUpdate + kBytesPerRelaxation + kBytesPerPeak) *
                                 (size - 2) * input.waves.size(),
                        .operations = storms::update_operations(input)});
}

int main(int argc, char** argv) { return storms::run_stage(argc, argv, STAGE_NAME, bombard_layer); }
