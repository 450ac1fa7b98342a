// SPDX-License-Identifier: MIT
// Storms, stage 21: a shared root.
// Idea: far from a particle, the inverse root is nearly a straight line, and bounds may be wider
// than the error of an approximation. So a thread takes eight neighbouring cells, approximates the
// inverse root in their middle, and adds its slope. Near a particle, all energies are computed.
// Compared with 20_two_bounds: eight cells per thread, and a kernel for neighbouring ones.
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

// From so many cells on, eight cells per thread leave at least 256 blocks.
constexpr std::int64_t kManyCells = std::int64_t{1} << 18;
constexpr int kMostCells = 8;  // per thread
constexpr std::int64_t kMostWaves = 8;  // per pass
// A pass reads and writes each cell; the first only writes it.
constexpr double kBytesPerCell = sizeof(float);

// The same as kError where the cells of a thread share one approximation: from the distance kFar
// on. tests/chapters/storms/shared_root_test.cu tries all distances.
constexpr float kSharedError = 5.25f * 0x1p-24f, kFar = 8192;

// The approximation of 1 / sqrt(d) after a step of Newton's method, which pays for eight cells.
__device__ __forceinline__ float refine_inverse_root(float approximation, float d) {
    const float error = fmaf(-d * approximation, approximation, 1.0f);
    return fmaf(0.5f * error, approximation, approximation);
}

// A third power with the sign of `side`: minus half of it is the slope of 1 / sqrt(d) at the cells
// on this side of a particle.
__device__ __forceinline__ float signed_cube(float approximation, float side) {
    return approximation * approximation * copysignf(approximation, side);
}

// The approximation for the cell that lies so far away from the middle.
__device__ __forceinline__ float approximate_beside(float middle, float cube, float away) {
    return fmaf(-away / 2, cube, middle);
}

// As add_bounds(), for one group of particles and the neighbouring cells first, first + 1, ...
template <int kGroup, int kCells>
__device__ __forceinline__ void add_shared_group(float (&own)[kCells], float first,
                                                 const float2* bounds, const float2* particles) {
    constexpr float kMiddle = (kCells - 1) / 2.0f;
    float low[kCells], high[kCells];
    bool far = true;
    for (int j = 0; j < kCells; ++j) low[j] = high[j] = own[j];
    for (int g = 0; g < kGroup; ++g) {
        const float2 share = bounds[g];
        const float side = first + kMiddle - particles[g].x, d = fabsf(side) + 1;
        const float middle = refine_inverse_root(approximate_inverse_root(d), d);
        const float cube = signed_cube(middle, side);
        far = far && d >= kFar;
        for (int j = 0; j < kCells; ++j) {
            const float approximation = approximate_beside(middle, cube, j - kMiddle);
            low[j] = fmaf(share.x, approximation, low[j]);
            high[j] = fmaf(share.y, approximation, high[j]);
        }
    }
    bool same = far;
    for (int j = 0; j < kCells; ++j) same = same && low[j] == high[j];
    for (int j = 0; !same && j < kCells; ++j) {
        if (far && low[j] == high[j]) continue;
        low[j] = add_group<kGroup>(own[j], first + j, particles);
    }
    for (int j = 0; j < kCells; ++j) own[j] = low[j];
}

// The same for all particles of a wave. Two groups per round save moves between registers.
template <int kCells>
__device__ __forceinline__ void add_shared_bounds(float (&own)[kCells], float first, float size,
                                                  const std::int64_t* __restrict__ positions,
                                                  const int* __restrict__ values, unsigned count) {
    constexpr int kGroup = 2;  // particles between two comparisons
    __shared__ float2 s_bounds[kStaged], s_particles[kStaged];
    for (unsigned begin = 0; begin < count; begin += kStaged) {
        __syncthreads();  // all threads have used the particles before these
        stage_particles(s_bounds, s_particles, kSharedError, size, positions, values, begin, count);
        __syncthreads();  // all of these particles have been written
        const unsigned staged = min(count - begin, kStaged);
#pragma unroll 1
        for (unsigned i = 0; i < staged; i += 2 * kGroup) {
            add_shared_group<kGroup>(own, first, &s_bounds[i], &s_particles[i]);
            add_shared_group<kGroup>(own, first, &s_bounds[i + kGroup], &s_particles[i + kGroup]);
        }
    }
}

// As bombard_short_kernel(), but before the relaxation a thread has neighbouring cells.
template <int kCells>
__global__ void __launch_bounds__(kUpdateBlock, 8)
    bombard_neighbours_kernel(const float* __restrict__ layer, float* __restrict__ next_layer,
                              std::int64_t size, const std::int64_t* __restrict__ positions,
                              const int* __restrict__ values,
                              const std::int64_t* __restrict__ begins, std::int64_t waves, int halo,
                              Key* __restrict__ keys) {
    constexpr int kTile = kCells * kUpdateBlock;
    __shared__ float s_cells[kTile];
    const std::int64_t first = std::int64_t{kTile - 2 * halo} * blockIdx.x - halo;
    const int neighbours = threadIdx.x * kCells;
    float own[kCells];
    for (int j = 0; j < kCells; ++j) {
        const int i = threadIdx.x + j * kUpdateBlock;
        const std::int64_t cell = first + i;
        own[j] = layer != nullptr && cell >= 0 && cell < size ? layer[cell] : 0.0f;
    }
    for (std::int64_t w = 0; w < waves; ++w) {
        for (int j = 0; j < kCells; ++j) s_cells[threadIdx.x + j * kUpdateBlock] = own[j];
        __syncthreads();  // the tile has been written
        for (int j = 0; j < kCells; ++j) own[j] = s_cells[neighbours + j];
        add_shared_bounds(own, static_cast<float>(first + neighbours), static_cast<float>(size),
                          positions + begins[w], values + begins[w],
                          static_cast<unsigned>(begins[w + 1] - begins[w]));
        for (int j = 0; j < kCells; ++j) s_cells[neighbours + j] = own[j];
        __syncthreads();  // the bombarded tile has been written
        for (int j = 0; j < kCells; ++j) own[j] = s_cells[threadIdx.x + j * kUpdateBlock];
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
            launch(many ? bombard_neighbours_kernel<kMostCells> : bombard_short_kernel<1>);
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
