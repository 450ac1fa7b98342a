// SPDX-License-Identifier: MIT
// Storms, stage 21: a shared root.
// Idea: far from a particle, the inverse root is nearly a straight line, and bounds may be wider
// than the error of an approximation. So a thread takes ten neighbouring cells, approximates the
// inverse root in their middle, and adds its slope. Near a particle, all energies are computed.
// Compared with 20_two_bounds: ten cells per thread, and a kernel for neighbouring ones.
// Limit now: with few cells latency; with many the instructions, also those of exact energies.
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
#include "device/bounds.cuh"
#include "device/copies.cuh"
#include "problem/storms.hpp"

using course::cuda_check, course::DeviceBuffer;
using storms::add_group, storms::approximate_inverse_root, storms::bombard_kernel;
using storms::bombard_short_kernel, storms::copy_particles, storms::is_proven, storms::Key,
    storms::maximum_of;
using storms::Input, storms::Output, storms::Phase, storms::PhaseTimer, storms::Wave;
using storms::kLastPosition, storms::kNear, storms::kShort, storms::kStaged, storms::kUpdateBlock;
using storms::relax_and_find, storms::stage_particles;

// From so many cells on, ten cells per thread leave at least 200 blocks.
constexpr std::int64_t kManyCells = std::int64_t{1} << 18;
constexpr int kMostCells = 10, kGroup = 2;  // per thread; particles between two comparisons
constexpr std::int64_t kMostWaves = 8;  // per pass
// A pass reads and writes each cell; the first only writes it.
constexpr double kBytesPerCell = sizeof(float);
constexpr float kMiddle = (kMostCells - 1) / 2.0f;  // of a thread's cells
// As kError, without the straight line's own error, which is at most kBend / d^2.
// tests/chapters/storms/shared_root_test.cu tries all distances from kFar on.
constexpr float kSharedError = 4.92f * 0x1p-24f, kBend = 0.375f * kMiddle * kMiddle, kFar = 1024;

// The error for a thread whose cells are all at the distance and 1 of d, or farther.
__device__ __forceinline__ float shared_error(float d) {
    return d < kFar ? INFINITY : kSharedError + kBend / (d * d);
}

// The inverse roots of the cells of a thread, from that of their middle, which is at the distance
// and 1 of d, on this side of the particle. A step of Newton's method pays for all cells.
__device__ __forceinline__ void share_inverse_root(float (&approximations)[kMostCells],
                                                   float approximation, float d, float side) {
    const float square = approximation * approximation;
    const float middle = fmaf(fmaf(-d, square, 1.0f) / 2, approximation, approximation);
    const float cube = square * copysignf(approximation, side);  // -2 * slope
    for (int j = 0; j < kMostCells; ++j) approximations[j] = fmaf((kMiddle - j) / 2, cube, middle);
}

// Widens the bounds by the line's error in the tile that begins at `first`. The line lies below the
// inverse root, so only the bounds that are farther from 0 change.
__device__ __forceinline__ void widen_bounds(float2* bounds, const float2* particles,
                                             unsigned count, float first) {
    constexpr float kHalf = (kMostCells * kUpdateBlock - 1) / 2.0f;
    for (unsigned i = threadIdx.x; i < count; i += kUpdateBlock) {
        const float share = particles[i].y;
        const float d = fmaxf(fabsf(first + kHalf - particles[i].x) - kHalf, 0.0f) + 1;
        (share < 0 ? bounds[i].x : bounds[i].y) = fmaf(share, shared_error(d), share);
    }
}

// As add_bounds(), for one group of particles and the neighbouring cells first, first + 1, ...
__device__ __forceinline__ void add_shared_group(float (&own)[kMostCells], float first,
                                                 const float2* bounds, const float2* particles) {
    float low[kMostCells], high[kMostCells], approximations[kMostCells];
    for (int j = 0; j < kMostCells; ++j) low[j] = high[j] = own[j];
    for (int g = 0; g < kGroup; ++g) {
        const float2 share = bounds[g];
        const float side = first + kMiddle - particles[g].x, d = fabsf(side) + 1;
        share_inverse_root(approximations, approximate_inverse_root(d), d, side);
        for (int j = 0; j < kMostCells; ++j) {
            low[j] = fmaf(share.x, approximations[j], low[j]);
            high[j] = fmaf(share.y, approximations[j], high[j]);
        }
    }
    int differ = 0;
    for (int j = 0; j < kMostCells; ++j) differ |= __float_as_int(low[j]) ^ __float_as_int(high[j]);
    for (int j = 0; differ != 0 && j < kMostCells; ++j) {
        if (low[j] != high[j]) low[j] = add_group<kGroup>(own[j], first + j, particles);
    }
    for (int j = 0; j < kMostCells; ++j) own[j] = low[j];
}

// The same for all particles of a wave. Two groups per round save moves between registers.
__device__ __forceinline__ void add_shared_bounds(float (&own)[kMostCells], float first, float size,
                                                  const std::int64_t* __restrict__ positions,
                                                  const int* __restrict__ values, unsigned count) {
    __shared__ float2 s_bounds[kStaged], s_particles[kStaged];
    for (unsigned begin = 0; begin < count; begin += kStaged) {
        __syncthreads();  // all threads have used the particles before these
        stage_particles(s_bounds, s_particles, kSharedError, size, positions, values, begin, count);
        const unsigned staged = min(count - begin, kStaged);
        widen_bounds(s_bounds, s_particles, staged, first - threadIdx.x * kMostCells);
        __syncthreads();  // all of these particles have been written
#pragma unroll 1
        for (unsigned i = 0; i < staged; i += 2 * kGroup) {
            add_shared_group(own, first, &s_bounds[i], &s_particles[i]);
            add_shared_group(own, first, &s_bounds[i + kGroup], &s_particles[i + kGroup]);
        }
    }
}

// As bombard_short_kernel(), but before the relaxation a thread has neighbouring cells.
__global__ void __launch_bounds__(kUpdateBlock, 64 / kMostCells)
    bombard_neighbours_kernel(const float* __restrict__ layer, float* __restrict__ next_layer,
                              std::int64_t size, const std::int64_t* __restrict__ positions,
                              const int* __restrict__ values,
                              const std::int64_t* __restrict__ begins, std::int64_t waves, int halo,
                              Key* __restrict__ keys) {
    constexpr int kTile = kMostCells * kUpdateBlock;
    __shared__ float s_cells[kTile];
    const std::int64_t first = std::int64_t{kTile - 2 * halo} * blockIdx.x - halo;
    const int neighbours = threadIdx.x * kMostCells;
    float own[kMostCells];
    for (int j = 0; j < kMostCells; ++j) {
        const std::int64_t cell = first + threadIdx.x + j * kUpdateBlock;
        own[j] = layer != nullptr && cell >= 0 && cell < size ? layer[cell] : 0.0f;
    }
    for (std::int64_t w = 0; w < waves; ++w) {
        for (int j = 0; j < kMostCells; ++j) s_cells[threadIdx.x + j * kUpdateBlock] = own[j];
        __syncthreads();  // the tile has been written
        for (int j = 0; j < kMostCells; ++j) own[j] = s_cells[neighbours + j];
        add_shared_bounds(own, static_cast<float>(first + neighbours), static_cast<float>(size),
                          positions + begins[w], values + begins[w],
                          static_cast<unsigned>(begins[w + 1] - begins[w]));
        for (int j = 0; j < kMostCells; ++j) s_cells[neighbours + j] = own[j];
        __syncthreads();  // the bombarded tile has been written
        for (int j = 0; j < kMostCells; ++j) own[j] = s_cells[threadIdx.x + j * kUpdateBlock];
        relax_and_find(own, first, size, halo, keys + w);
    }
    for (int j = 0; j < kMostCells; ++j) {
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
    const std::int64_t cells = (many ? kMostCells : 1) * kUpdateBlock - 2 * halo;  // of a block
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
            launch(many ? bombard_neighbours_kernel : bombard_short_kernel<1>);
        } else if (is_proven(pass, size, kNear)) {
            launch(many ? bombard_kernel<kMostCells, int> : bombard_kernel<1, int>);
        } else {
            launch(many ? bombard_kernel<kMostCells, std::int64_t>
                        : bombard_kernel<1, std::int64_t>);
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
