// SPDX-License-Identifier: MIT
// Storms, stage 20: two bounds.
// Idea: beside the sum of thousands of energies, the last bits of one energy rarely matter. So a
// cell adds up lower and upper bounds of them: one approximation and two multiply-adds per energy.
// Where both sums are the same, this is the exact sum. Elsewhere the exact energies are computed.
// Compared with 19_peak_keys: Bounded, and add_particles() for it.
// Limit now: with few cells latency; with many the approximations, and the exact energies.
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
#include "device/copies.cuh"
#include "device/tiles.cuh"
#include "problem/storms.hpp"

using course::cuda_check, course::DeviceBuffer;
using storms::approximate_inverse_root, storms::bombard_kernel, storms::copy_particles;
using storms::divide_by_short_root, storms::is_proven, storms::Key, storms::maximum_of,
    storms::relax_and_find;
using storms::Input, storms::Output, storms::Phase, storms::PhaseTimer, storms::Wave;
using storms::kLastPosition, storms::kNear, storms::kShort, storms::kUpdateBlock;

// From so many cells on, four cells per thread leave at least 512 blocks.
constexpr std::int64_t kManyCells = std::int64_t{1} << 18;
constexpr std::int64_t kMostWaves = 8;  // per pass
// A pass reads and writes each cell; the first only writes it.
constexpr double kBytesPerCell = sizeof(float);

// The greatest relative distance between an energy and share * approximation, up to a distance of
// 2^21. tests/chapters/storms/two_bounds_test.cu tries all of them.
constexpr float kError = 6.5f * 0x1p-24f;
constexpr unsigned kStaged = 512;  // particles in shared memory

// Stages the particles of a wave from `begin` on: bounds of the share; position and share.
__device__ __forceinline__ void stage_particles(float2 (&bounds)[kStaged],
                                                float2 (&particles)[kStaged], float error,
                                                float size,
                                                const std::int64_t* __restrict__ positions,
                                                const int* __restrict__ values, unsigned begin,
                                                unsigned count) {
    for (unsigned i = threadIdx.x; i < kStaged; i += kUpdateBlock) {
        float position = 0, share = 0;  // after the last particle: no energy
        if (begin + i < count) {
            position = static_cast<float>(positions[begin + i]);
            share = static_cast<float>(values[begin + i]) * 1000 / size;
        }
        bounds[i] =
            make_float2(fmaf(fabsf(share), -error, share), fmaf(fabsf(share), error, share));
        particles[i] = make_float2(position, share);
    }
}

// The cell at k after the exact energies of a group of particles.
template <int kGroup>
__device__ __forceinline__ float add_group(float own, float k, const float2* particles) {
    float energies[kGroup];
    for (int g = 0; g < kGroup; ++g) {
        const float d = fabsf(particles[g].x - k) + 1;
        energies[g] = divide_by_short_root(particles[g].y, d, approximate_inverse_root(d));
    }
    for (int g = 0; g < kGroup; ++g) own += energies[g];
    return own;
}

// Adds the particles of a wave to the cells own[j] at k[j]. A rounded sum never falls when a
// summand grows, so a cell lies between the sums of its lower and of its upper bounds.
template <int kCells>
__device__ __forceinline__ void add_bounds(float (&own)[kCells], const float (&k)[kCells],
                                           float size, const std::int64_t* __restrict__ positions,
                                           const int* __restrict__ values, unsigned count) {
    constexpr int kGroup = 8 / kCells;  // particles between two comparisons
    __shared__ float2 s_bounds[kStaged], s_particles[kStaged];
    for (unsigned begin = 0; begin < count; begin += kStaged) {
        __syncthreads();  // all threads have used the particles before these
        stage_particles(s_bounds, s_particles, kError, size, positions, values, begin, count);
        __syncthreads();  // all of these particles have been written
        const unsigned staged = min(count - begin, kStaged);
        float approximations[kGroup][kCells];
        const auto approximate = [&](unsigned first) {
            for (int g = 0; g < kGroup; ++g) {
                for (int j = 0; j < kCells; ++j) {
                    const float d = fabsf(s_particles[first + g].x - k[j]) + 1;
                    approximations[g][j] = approximate_inverse_root(d);
                }
            }
        };
        approximate(0);
#pragma unroll 1
        for (unsigned i = 0; i < staged; i += kGroup) {
            float low[kCells], high[kCells];
            for (int j = 0; j < kCells; ++j) low[j] = high[j] = own[j];
            for (int g = 0; g < kGroup; ++g) {
                const float2 bounds = s_bounds[i + g];
                for (int j = 0; j < kCells; ++j) {
                    low[j] = fmaf(bounds.x, approximations[g][j], low[j]);
                    high[j] = fmaf(bounds.y, approximations[g][j], high[j]);
                }
            }
            approximate((i + kGroup) % kStaged);  // meanwhile, for the next group
            bool same = true;
            for (int j = 0; j < kCells; ++j) same = same && low[j] == high[j];
            for (int j = 0; !same && j < kCells; ++j) {
                if (low[j] != high[j]) low[j] = add_group<kGroup>(own[j], k[j], &s_particles[i]);
            }
            for (int j = 0; j < kCells; ++j) own[j] = low[j];
        }
    }
}

// As bombard_kernel() of stage 19, for positions below kShort. A thread with one cell may use many
// registers, for the approximations of a whole group.
template <int kCells>
__global__ void __launch_bounds__(kUpdateBlock, kCells == 1 ? 2 : 8)
    bombard_short_kernel(const float* __restrict__ layer, float* __restrict__ next_layer,
                         std::int64_t size, const std::int64_t* __restrict__ positions,
                         const int* __restrict__ values, const std::int64_t* __restrict__ begins,
                         std::int64_t waves, int halo, Key* __restrict__ keys) {
    constexpr int kTile = kCells * kUpdateBlock;
    const std::int64_t first = std::int64_t{kTile - 2 * halo} * blockIdx.x - halo;
    float k[kCells], own[kCells];
    for (int j = 0; j < kCells; ++j) {
        const std::int64_t cell = first + threadIdx.x + j * kUpdateBlock;
        k[j] = static_cast<float>(cell);
        own[j] = layer != nullptr && cell >= 0 && cell < size ? layer[cell] : 0.0f;
    }
    for (std::int64_t w = 0; w < waves; ++w) {
        add_bounds(own, k, static_cast<float>(size), positions + begins[w], values + begins[w],
                   static_cast<unsigned>(begins[w + 1] - begins[w]));
        relax_and_find(own, first, size, halo, keys + w);
    }
    for (int j = 0; j < kCells; ++j) {
        const int i = threadIdx.x + j * kUpdateBlock;
        if (i >= halo && i < kTile - halo && first + i < size) next_layer[first + i] = own[j];
    }
}

void bombard_layer(const Input& input, Output& output, PhaseTimer& timer) {
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
    copy_particles(input, d_particle_positions.data(), d_particle_values.data(), d_begins.data());

    timer.begin(Phase::kKernels);
    for (std::int64_t w = 0; w < waves; w += kMostWaves) {
        const std::span<const Wave> pass(&input.waves[w], std::min(kMostWaves, waves - w));
        const auto launch = [&](auto kernel) {
            kernel<<<blocks, block_size>>>(w > 0 ? d_layer.data() : nullptr, d_relaxed_layer.data(),
                                           size, d_particle_positions.data(),
                                           d_particle_values.data(), d_begins.data() + w,
                                           std::ssize(pass), halo, d_keys.data() + w);
            cuda_check(cudaGetLastError());
        };
        if (is_proven(pass, size, kShort)) {
            launch(many ? bombard_short_kernel<4> : bombard_short_kernel<1>);
        } else if (is_proven(pass, size, kNear)) {
            launch(many ? bombard_kernel<4, int> : bombard_kernel<1, int>);
        } else {
            launch(many ? bombard_kernel<4, std::int64_t> : bombard_kernel<1, std::int64_t>);
        }
        std::swap(d_layer, d_relaxed_layer);
    }

    timer.begin(Phase::kCopyOut);
    cuda_check(cudaMemcpy(keys.data(), d_keys.data(), d_keys.bytes(), cudaMemcpyDeviceToHost));
    for (std::int64_t w = 0; w < waves; ++w) output.maxima[w] = maximum_of(keys[w]);
    cuda_check(cudaMemcpy(layer.data(), d_layer.data(), d_layer.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid(blocks, block_size);
    const std::int64_t passes = (waves + kMostWaves - 1) / kMostWaves;
    timer.declare_work({.bytes = kBytesPerCell * static_cast<double>((2 * passes - 1) * size),
                        .operations = storms::update_operations(input)});
}

int main(int argc, char** argv) { return storms::run_stage(argc, argv, STAGE_NAME, bombard_layer); }
