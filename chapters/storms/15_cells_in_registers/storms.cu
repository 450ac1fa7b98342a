// SPDX-License-Identifier: MIT
// Storms, stage 15: cells in registers.
// Idea: a thread keeps four cells in registers. It reads each particle once for all four, and the
// energies of the four do not wait for one another.
// Compared with 14_proven_waves: kCells in update_layer_kernel; bombard_layer() chooses it, because
// a layer of few cells needs all threads that it can have.
// Limit now: the updates, which issue in three of four clocks: on an H200 no faster than 14. With
// few cells their latency; with few particles the layer, which crosses the memory four times.
// Not of the thesis nor of Blanco and González 2018.
#include <cuda_runtime.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "device/energies.cuh"
#include "device/relaxation.cuh"
#include "problem/storms.hpp"

using course::cuda_check, course::DeviceBuffer;
using storms::add_energy, storms::kBlockSize, storms::kNear, storms::kShort, storms::Wave;
using storms::clear_layer_kernel, storms::relax_and_find_kernel, storms::reduce_peaks_kernel;
using storms::Input, storms::Maximum, storms::Output, storms::Phase, storms::PhaseTimer;

// Threads per block of the update: small blocks share a layer evenly among the multiprocessors.
constexpr int kUpdateBlock = 128;
// From so many cells on, four cells per thread leave at least 512 blocks.
constexpr std::int64_t kManyCells = std::int64_t{1} << 18;
// Each cell is read from one layer and written to the other.
constexpr double kBytesPerRelaxation = 8;

// Adds the particles to the thread's cells: own[j] at k[j]. Place: the type of a position.
template <int kCells, typename Place>
__device__ __forceinline__ void add_particles(float (&own)[kCells], const Place (&k)[kCells],
                                              float cells,
                                              const std::int64_t* __restrict__ positions,
                                              const int* __restrict__ values, std::int64_t count) {
    __shared__ Place s_positions[kUpdateBlock];
    __shared__ float s_shares[kUpdateBlock];
    const float threshold = 0.001f / cells;
    for (std::int64_t begin = 0; begin < count; begin += kUpdateBlock) {
        __syncthreads();  // all threads have used the particles before these
        if (begin + threadIdx.x < count) {
            s_positions[threadIdx.x] = static_cast<Place>(positions[begin + threadIdx.x]);
            s_shares[threadIdx.x] = static_cast<float>(values[begin + threadIdx.x]) * 1000 / cells;
        }
        __syncthreads();  // all of these particles have been written
        const int staged = static_cast<int>(min(count - begin, std::int64_t{kUpdateBlock}));
#pragma unroll 4
        for (int i = 0; i < staged; ++i) {
#pragma unroll
            for (int j = 0; j < kCells; ++j) {
                add_energy(own[j], k[j], s_positions[i], s_shares[i], threshold);
            }
        }
    }
}

// kCells: cells per thread, kUpdateBlock apart, so that a warp's loads and stores stay contiguous.
template <int kCells, typename Place>
__global__ void update_layer_kernel(float* __restrict__ layer, std::int64_t size,
                                    const std::int64_t* __restrict__ positions,
                                    const int* __restrict__ values, std::int64_t count) {
    const std::int64_t first = std::int64_t{kCells} * kUpdateBlock * blockIdx.x + threadIdx.x;
    Place k[kCells];
    float own[kCells];
#pragma unroll
    for (int j = 0; j < kCells; ++j) {
        const std::int64_t cell = first + j * kUpdateBlock;
        k[j] = static_cast<Place>(cell);
        own[j] = cell < size ? layer[cell] : 0.0f;
    }
    add_particles(own, k, static_cast<float>(size), positions, values, count);
#pragma unroll
    for (int j = 0; j < kCells; ++j) {
        const std::int64_t cell = first + j * kUpdateBlock;
        if (cell < size) layer[cell] = own[j];
    }
}

void bombard_layer(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t size = input.size;
    const int block_size = kBlockSize;  // the shared lists have this length
    timer.begin(Phase::kSetup);
    std::vector<float>& layer = output.layer;
    DeviceBuffer<float> d_layer(size), d_relaxed_layer(size);
    const std::int64_t blocks = (size + block_size - 1) / block_size;
    const bool many = size >= kManyCells;
    const std::int64_t cells = (many ? 4 : 1) * kUpdateBlock;  // per block of the update
    const std::int64_t update_blocks = (size + cells - 1) / cells;
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
            const auto kernel =
                many ? update_layer_kernel<4, Place> : update_layer_kernel<1, Place>;
            kernel<<<update_blocks, kUpdateBlock>>>(d_layer.data(), size, wave_positions,
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
        Maximum& maximum = output.maxima[w];
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
