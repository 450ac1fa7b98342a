// SPDX-License-Identifier: MIT
// Storms, stage 21: a known side.
// Idea: nearly every particle of a large layer lies outside of a block's tile, and then all cells
// of the block are on the same side of it. On the right, the distance and 1 is k - (position - 1),
// on the left (position + 1) - k. Both are one multiply-add with a sign and an offset per particle.
// Compared with 20_distance_table: Sided, and add_particles() for it.
// Limit now: the updates, which issue in two of three clocks: on an H200 no faster than 20.
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
#include "common/cuda/shared_memory.hpp"
#include "device/copies.cuh"
#include "device/table.cuh"
#include "problem/storms.hpp"

using course::cuda_check, course::DeviceBuffer;
using storms::add_energy, storms::approximate_inverse_root, storms::bombard_few_kernel;
using storms::bombard_kernel, storms::copy_particles, storms::divide_by_short_root, storms::Key;
using storms::Input, storms::Maximum, storms::Output, storms::Phase, storms::PhaseTimer,
    storms::Wave;
using storms::kEntry, storms::kFewCells, storms::kLastPosition, storms::kNear, storms::kShort;
using storms::kLastPosition, storms::kNear, storms::kShort, storms::kUpdateBlock;
using storms::kTabledCells, storms::kUpdateBlock, storms::maximum_of;
using storms::maximum_of, storms::relax_and_find;

// From so many cells on, four cells per thread leave at least 512 blocks.
constexpr std::int64_t kManyCells = std::int64_t{1} << 18;
constexpr std::int64_t kMostWaves = 8;  // per pass
// A pass reads and writes each cell; the first only writes it.
constexpr double kBytesPerCell = sizeof(float);

// The place of a cell in a wave of positions below kShort.
struct Sided {
    float k = 0;

    Sided() = default;
    __host__ __device__ explicit Sided(std::int64_t cell) : k(static_cast<float>(cell)) {}
};

// As the add_particles() for other places. The block's tile begins at thread 0's first cell.
template <int kCells>
__device__ __forceinline__ void add_particles(float (&own)[kCells], const Sided (&cells)[kCells],
                                              float size,
                                              const std::int64_t* __restrict__ positions,
                                              const int* __restrict__ values, std::int64_t count) {
    __shared__ float s_signs[kUpdateBlock], s_offsets[kUpdateBlock], s_shares[kUpdateBlock];
    const float first = cells[0].k - static_cast<float>(threadIdx.x);
    const float last = first + kCells * kUpdateBlock - 1;
    for (std::int64_t begin = 0; begin < count; begin += kUpdateBlock) {
        float position = first - 1, share = 0;
        if (begin + threadIdx.x < count) {
            position = static_cast<float>(positions[begin + threadIdx.x]);
            share = static_cast<float>(values[begin + threadIdx.x]) * 1000 / size;
        }
        // Also: all threads have used the particles before these.
        const bool mixed = __syncthreads_or(position >= first && position <= last);
        const float sign = position < first ? 1.0f : -1.0f;
        s_signs[threadIdx.x] = sign;
        s_offsets[threadIdx.x] = mixed ? position : 1 - sign * position;
        s_shares[threadIdx.x] = share;
        __syncthreads();  // all of these particles have been written
        const int staged = static_cast<int>(min(count - begin, std::int64_t{kUpdateBlock}));
        const int sided = mixed ? 0 : staged;
#pragma unroll 4
        for (int i = 0; i < sided; ++i) {
#pragma unroll
            for (int j = 0; j < kCells; ++j) {
                const float d = fmaf(s_signs[i], cells[j].k, s_offsets[i]);
                own[j] += divide_by_short_root(s_shares[i], d, approximate_inverse_root(d));
            }
        }
        for (int i = sided; i < staged; ++i) {
#pragma unroll
            for (int j = 0; j < kCells; ++j) {
                add_energy(own[j], cells[j].k, s_offsets[i], s_shares[i], 0.0f);
            }
        }
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
    const std::int64_t few = kTabledCells * kUpdateBlock - 2 * halo;
    const std::int64_t room = course::most_dynamic_shared(bombard_few_kernel) / kEntry;
    const int length = static_cast<int>(std::min(size, room));
    course::allow_dynamic_shared(bombard_few_kernel, length * kEntry);
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
        const auto launch = [&](auto place) {
            using Place = decltype(place);
            const auto kernel = many ? bombard_kernel<4, Place> : bombard_kernel<1, Place>;
            kernel<<<blocks, block_size>>>(w > 0 ? d_layer.data() : nullptr, d_relaxed_layer.data(),
                                           size, d_particle_positions.data(),
                                           d_particle_values.data(), d_begins.data() + w,
                                           std::ssize(pass), halo, d_keys.data() + w);
            cuda_check(cudaGetLastError());
        };
        const auto proven = [&](std::int64_t limit) {
            return size <= limit && std::ranges::all_of(pass, [&](const Wave& wave) {
                       return !wave.has_zeros() && wave.is_nearer_than(limit);
                   });
        };
        if (proven(kShort) && size <= kFewCells) {
            bombard_few_kernel<<<(size + few - 1) / few, block_size, length * kEntry>>>(
                w > 0 ? d_layer.data() : nullptr, d_relaxed_layer.data(), static_cast<int>(size),
                d_particle_positions.data(), d_particle_values.data(), d_begins.data() + w,
                std::ssize(pass), halo, d_keys.data() + w, length);
            cuda_check(cudaGetLastError());
        } else if (proven(kShort)) {
            launch(Sided{});
        } else if (proven(kNear)) {
            launch(int{});
        } else {
            launch(std::int64_t{});
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
