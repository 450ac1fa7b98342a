// SPDX-License-Identifier: MIT
// Storms, stage 01: the update on the GPU.
// Idea: one thread per cell, one launch per particle. The launches of one stream run one after the
// other, so every cell adds its energies in the order of the particles. The sums have the same bits
// as on the CPU.
// Compared with 00_cpu: the loop over cells is a kernel. Relaxation and maximum stay on the host,
// so each wave copies the layer to the device and back.
// Limit now: one short launch per particle, and in each wave two copies and the host's relaxation.
// Not of the thesis: Blanco and González 2018, version 1.
#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/storms.hpp"

using course::cuda_check, course::DeviceBuffer;
using storms::Input, storms::Maximum, storms::Output, storms::Phase, storms::PhaseTimer;
using storms::Wave;

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

void relax_layer(float* layer, const float* copy, std::int64_t size) {
    for (std::int64_t k = 1; k < size - 1; ++k) {
        layer[k] = (copy[k - 1] + copy[k] + copy[k + 1]) / 3;
    }
}

Maximum find_maximum(const float* layer, std::int64_t size) {
    Maximum maximum{0, 0.0f};
    for (std::int64_t k = 1; k < size - 1; ++k) {
        // Of equal peaks, the first one stays.
        if (layer[k] > layer[k - 1] && layer[k] > layer[k + 1] && layer[k] > maximum.value) {
            maximum = {k, layer[k]};
        }
    }
    return maximum;
}

void bombard_layer(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t size = input.size;
    const int block_size = input.block_size;
    timer.begin(Phase::kSetup);
    std::vector<float>& layer = output.layer;
    layer.assign(size, 0.0f);
    std::vector<float> copy(size);
    DeviceBuffer<float> d_layer(size);
    const std::int64_t blocks = (size + block_size - 1) / block_size;

    for (std::size_t w = 0; w < input.waves.size(); ++w) {
        const Wave& wave = input.waves[w];
        timer.begin(Phase::kCopyIn);
        cuda_check(
            cudaMemcpy(d_layer.data(), layer.data(), d_layer.bytes(), cudaMemcpyHostToDevice));
        timer.begin(Phase::kKernels);
        for (std::int64_t i = 0; i < wave.count(); ++i) {
            const float energy = static_cast<float>(wave.values[i]) * 1000;
            update_layer_kernel<<<blocks, block_size>>>(d_layer.data(), size, wave.positions[i],
                                                        energy);
            cuda_check(cudaGetLastError());
        }
        timer.begin(Phase::kCopyOut);
        cuda_check(
            cudaMemcpy(layer.data(), d_layer.data(), d_layer.bytes(), cudaMemcpyDeviceToHost));
        timer.begin(Phase::kHost);
        copy = layer;
        relax_layer(layer.data(), copy.data(), size);
        output.maxima[w] = find_maximum(layer.data(), size);
    }
    timer.end();
    timer.note_grid(blocks, block_size);
    timer.declare_work(
        {.bytes = storms::kBytesPerUpdate * size * storms::particles_that_reach_all(input),
         .operations = storms::update_operations(input)});
}

int main(int argc, char** argv) {
    return storms::run_stage(argc, argv, STAGE_NAME, bombard_layer, {.has_block_size = true});
}
