// SPDX-License-Identifier: MIT
// Storms, stage 03: a kernel for the copy.
// Idea: what all blocks must have done before any goes on is a launch of its own. And a layer that
// is cleared on the device need not be copied to it, in no wave.
// Compared with 02_relax_with_race: copy_layer_kernel apart from relax_layer_kernel;
// clear_layer_kernel; no copy in.
// Limit now: a launch a particle, and in each wave the host, which gets the whole layer to look for
// one cell.
// Not of the thesis but of seed 002, version 3.
#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/storms.hpp"

using course::cuda_check, course::DeviceBuffer;
using storms::Input, storms::Maximum, storms::Output, storms::Phase, storms::PhaseTimer;
using storms::Wave;

constexpr int kBlockSize = 256;
// A cell is copied, and, if it is no end, written from the copy.
constexpr double kBytesPerRelaxation = 16;

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

// After copy_layer_kernel: a launch sees all that the one before it in its stream has written.
__global__ void relax_layer_kernel(float* __restrict__ layer, const float* __restrict__ layer_copy,
                                   std::int64_t size) {
    const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (k < 1 || k >= size - 1) return;
    layer[k] = (layer_copy[k - 1] + layer_copy[k] + layer_copy[k + 1]) / 3;
}

Maximum find_maximum(const float* layer, std::int64_t size) {
    Maximum maximum{0, 0.0f};
    for (std::int64_t k = 1; k < size - 1; ++k) {
        // Of equal ones the first stays.
        if (layer[k] > layer[k - 1] && layer[k] > layer[k + 1] && layer[k] > maximum.value) {
            maximum = {k, layer[k]};
        }
    }
    return maximum;
}

void bombard_layer(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t size = input.size;
    timer.begin(Phase::kSetup);
    std::vector<float>& layer = output.layer;
    DeviceBuffer<float> d_layer(size), d_layer_copy(size);
    const std::int64_t blocks = (size + kBlockSize - 1) / kBlockSize;
    clear_layer_kernel<<<blocks, kBlockSize>>>(d_layer.data(), size);
    cuda_check(cudaGetLastError());

    for (std::size_t w = 0; w < input.waves.size(); ++w) {
        const Wave& wave = input.waves[w];
        timer.begin(Phase::kKernels);
        for (std::int64_t i = 0; i < wave.count(); ++i) {
            const float energy = static_cast<float>(wave.values[i]) * 1000;
            update_layer_kernel<<<blocks, kBlockSize>>>(d_layer.data(), size, wave.positions[i],
                                                        energy);
            cuda_check(cudaGetLastError());
        }
        copy_layer_kernel<<<blocks, kBlockSize>>>(d_layer.data(), d_layer_copy.data(), size);
        cuda_check(cudaGetLastError());
        relax_layer_kernel<<<blocks, kBlockSize>>>(d_layer.data(), d_layer_copy.data(), size);
        cuda_check(cudaGetLastError());
        timer.begin(Phase::kCopyOut);
        cuda_check(
            cudaMemcpy(layer.data(), d_layer.data(), d_layer.bytes(), cudaMemcpyDeviceToHost));
        timer.begin(Phase::kKernels);  // what other stages do in kernels
        output.maxima[w] = find_maximum(layer.data(), size);
    }
    timer.end();
    timer.note_grid(blocks, kBlockSize);
    timer.declare_work(
        {.bytes = storms::kBytesPerUpdate * size * storms::particles_that_reach_all(input) +
                  kBytesPerRelaxation * (size - 2) * input.waves.size(),
         .operations = storms::update_operations(input)});
}

int main(int argc, char** argv) { return storms::run_stage(argc, argv, STAGE_NAME, bombard_layer); }
