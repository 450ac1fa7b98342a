// SPDX-License-Identifier: MIT
// Storms, stage 20: a table of distances.
// Idea: a distance is an integer, and a layer of few cells has few of them. Each block keeps their
// roots and the inverses of the roots in shared memory, so an update is a load, a product and two
// multiply-adds. Distances that the table has no room for are computed as before.
// Compared with 19_peak_keys: add_tabled_particles() and its kernel, for layers of few cells.
// Limit now: with few cells latency, as each scheduler has one warp; on an H200 slower than 19.
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
#include "device/tiles.cuh"
#include "problem/storms.hpp"

using course::cuda_check, course::DeviceBuffer;
using storms::add_energy, storms::bombard_kernel, storms::copy_particles, storms::Key;
using storms::Input, storms::Maximum, storms::Output, storms::Phase, storms::PhaseTimer,
    storms::Wave;
using storms::kLastPosition, storms::kNear, storms::kShort, storms::kUpdateBlock;
using storms::maximum_of, storms::relax_and_find;

// From so many cells on, four cells per thread leave at least 512 blocks.
constexpr std::int64_t kManyCells = std::int64_t{1} << 18;
constexpr std::int64_t kMostWaves = 8;  // per pass
// A pass reads and writes each cell; the first only writes it.
constexpr double kBytesPerCell = sizeof(float);

// Up to so many cells, nearly all distances fit into the table.
constexpr std::int64_t kFewCells = std::int64_t{1} << 15;
constexpr int kTabledCells = 2;  // per thread
constexpr int kGroup = 8;  // particles that a thread has in flight
constexpr int kEntry = sizeof(float2);

// Adds the particles to the cells own[j] at k[j] / kEntry, which lie from `lowest` to `highest`.
// Entry d - 1 of the table, counted in bytes, holds the root of d, and 1 / root correctly rounded.
template <int kCells>
__device__ __forceinline__ void add_tabled_particles(float (&own)[kCells], const int (&k)[kCells],
                                                     int lowest, int highest, float cells,
                                                     const char* table, int length,
                                                     const std::int64_t* __restrict__ positions,
                                                     const int* __restrict__ values,
                                                     std::int64_t count) {
    __shared__ int s_offsets[kUpdateBlock];
    __shared__ float s_shares[kUpdateBlock];
    __shared__ unsigned s_tabled[kUpdateBlock / 32];  // a bit per particle
    const int thread = threadIdx.x;
    for (std::int64_t begin = 0; begin < count; begin += kUpdateBlock) {
        __syncthreads();  // all threads have used the particles before these
        bool tabled = false;
        if (begin + thread < count) {
            const int position = static_cast<int>(positions[begin + thread]);
            s_offsets[thread] = position * kEntry;
            s_shares[thread] = static_cast<float>(values[begin + thread]) * 1000 / cells;
            tabled = max(abs(position - lowest), abs(position - highest)) < length;
        }
        const unsigned mask = __ballot_sync(~0u, tabled);
        if (thread % 32 == 0) s_tabled[thread / 32] = mask;
        __syncthreads();  // all of these particles have been written
        const int staged = static_cast<int>(min(count - begin, std::int64_t{kUpdateBlock}));
        for (int i = 0; i < staged; i += kGroup) {
            const bool all = (~s_tabled[i / 32] >> i % 32 & ((1u << kGroup) - 1)) == 0;
#pragma unroll
            for (int g = i; all && g < i + kGroup; ++g) {
#pragma unroll
                for (int j = 0; j < kCells; ++j) {
                    const unsigned offset = __sad(s_offsets[g], k[j], 0u);
                    const float2 entry = *reinterpret_cast<const float2*>(table + offset);
                    const float quotient = s_shares[g] * entry.y;
                    own[j] += fmaf(fmaf(-entry.x, quotient, s_shares[g]), entry.y, quotient);
                }
            }
            for (int g = i; !all && g < min(i + kGroup, staged); ++g) {
#pragma unroll
                for (int j = 0; j < kCells; ++j) {
                    add_energy(own[j], static_cast<float>(k[j] / kEntry),
                               static_cast<float>(s_offsets[g] / kEntry), s_shares[g], 0.0f);
                }
            }
        }
    }
}

// As bombard_kernel(), for positions below kShort and few cells.
__global__ void __launch_bounds__(kUpdateBlock, 1)
    bombard_few_kernel(const float* __restrict__ layer, float* __restrict__ next_layer, int size,
                       const std::int64_t* __restrict__ positions, const int* __restrict__ values,
                       const std::int64_t* __restrict__ begins, std::int64_t waves, int halo,
                       Key* __restrict__ keys, int length) {
    extern __shared__ float2 s_table[];
    constexpr int kTile = kTabledCells * kUpdateBlock;
    const int first = (kTile - 2 * halo) * static_cast<int>(blockIdx.x) - halo;
    const int lowest = max(first, 0), highest = min(first + kTile, size) - 1;
    for (int i = threadIdx.x; i < length; i += kUpdateBlock) {
        const float root = sqrtf(static_cast<float>(i + 1));
        s_table[i] = make_float2(root, 1 / root);
    }
    int k[kTabledCells];
    float own[kTabledCells];
#pragma unroll
    for (int j = 0; j < kTabledCells; ++j) {
        const int cell = first + static_cast<int>(threadIdx.x) + j * kUpdateBlock;
        const int inside = min(max(cell, lowest), highest);
        k[j] = inside * kEntry;
        own[j] = layer != nullptr ? layer[inside] : 0.0f;
    }
    for (std::int64_t w = 0; w < waves; ++w) {
        add_tabled_particles(own, k, lowest, highest, static_cast<float>(size),
                             reinterpret_cast<const char*>(s_table), length, positions + begins[w],
                             values + begins[w], begins[w + 1] - begins[w]);
        relax_and_find(own, first, size, halo, keys + w);
    }
#pragma unroll
    for (int j = 0; j < kTabledCells; ++j) {
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
            launch(float{});
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
