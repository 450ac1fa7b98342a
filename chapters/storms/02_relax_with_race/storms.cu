// SPDX-License-Identifier: MIT
// Storms, stage 02: the relaxation on the GPU, with a race. WRONG ON PURPOSE.
// Idea: one kernel copies the layer, waits at a barrier, and relaxes the layer from the copy. But a
// barrier holds only the threads of its own block. A cell at the edge between two blocks may be
// relaxed before the other block has copied the neighbour.
// Compared with 01_update_kernel: relax_layer_kernel replaces the host's loop.
// Limit now: its results are wrong, so no times are reported.
// Not of the thesis: Blanco and González 2018, version 2. Their version 3 removes this race.
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

// The barrier waits for the threads of this block only. The first and the last thread also read a
// cell that a neighbouring block copies, and that cell may still hold the last wave's value.
__global__ void relax_layer_kernel(float* __restrict__ layer, float* __restrict__ layer_copy,
                                   std::int64_t size) {
    const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (k < size) layer_copy[k] = layer[k];
    __syncthreads();  // the cells of this block have been copied, but no others
    if (k < 1 || k >= size - 1) return;
    layer[k] = (layer_copy[k - 1] + layer_copy[k] + layer_copy[k + 1]) / 3;
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
    DeviceBuffer<float> d_layer(size), d_layer_copy(size);
    cuda_check(cudaMemset(d_layer_copy.data(), 0, d_layer_copy.bytes()));
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
        relax_layer_kernel<<<blocks, block_size>>>(d_layer.data(), d_layer_copy.data(), size);
        cuda_check(cudaGetLastError());
        timer.begin(Phase::kCopyOut);
        cuda_check(
            cudaMemcpy(layer.data(), d_layer.data(), d_layer.bytes(), cudaMemcpyDeviceToHost));
        timer.begin(Phase::kHost);
        output.maxima[w] = find_maximum(layer.data(), size);
    }
    timer.end();
    timer.note_grid(blocks, block_size);
    timer.declare_work(
        {.bytes = storms::kBytesPerUpdate * size * storms::particles_that_reach_all(input) +
                  kBytesPerRelaxation * (size - 2) * input.waves.size(),
         .operations = storms::update_operations(input)});
}

int main(int argc, char** argv) {
    return storms::run_stage(argc, argv, STAGE_NAME, bombard_layer,
                             {.has_block_size = true, .blocks_race = true});
}
