// SPDX-License-Identifier: MIT
// Storms, stage 23: many GPUs.
// Idea: each rank, a process with its own GPU, bombards a range of tiles. A tile reads cells of its
// neighbours, so ranks exchange the cells at the ends of their ranges: a few cells per pass of
// eight waves. Keys of peaks have one maximum in any order: one all-reduce of all waves' keys.
// Compared with 19_peak_keys: a range of blocks, the exchange, and the all-reduce.
// Limit now: the updates, on each GPU.
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
#include "common/ranks/nccl_ranks.hpp"
#include "device/copies.cuh"
#include "device/tiles.cuh"
#include "problem/storms.hpp"

using course::cuda_check, course::DeviceBuffer, course::nccl_check;
using storms::add_particles, storms::Key, storms::kLastPosition, storms::kNear, storms::kShort,
    storms::kUpdateBlock, storms::relax_and_find, storms::Wave;
using storms::Input, storms::Output, storms::Phase, storms::PhaseTimer;

// From so many cells on, four cells per thread leave at least 512 blocks.
constexpr std::int64_t kManyCells = std::int64_t{1} << 18;
constexpr std::int64_t kMostWaves = 8;  // per pass
// A pass reads and writes each cell; the first only writes it.
constexpr double kBytesPerCell = sizeof(float);

// Runs the waves of a pass. Wave w has the particles from begins[w] to begins[w + 1]. layer:
// nullptr before the first wave. halo: the cells of a tile, on each side, that its block does not
// own; at least waves + 1. kCells: cells per thread, kUpdateBlock apart. first_block: of the rank.
template <int kCells, typename Place>
__global__ void bombard_kernel(const float* __restrict__ layer, float* __restrict__ next_layer,
                               std::int64_t size, const std::int64_t* __restrict__ positions,
                               const int* __restrict__ values,
                               const std::int64_t* __restrict__ begins, std::int64_t waves,
                               int halo, std::int64_t first_block, Key* __restrict__ keys) {
    constexpr int kTile = kCells * kUpdateBlock;
    const std::int64_t first = (kTile - 2 * halo) * (first_block + blockIdx.x) - halo;
    Place k[kCells];
    float own[kCells];
#pragma unroll
    for (int j = 0; j < kCells; ++j) {
        const std::int64_t cell = first + threadIdx.x + j * kUpdateBlock;
        k[j] = static_cast<Place>(cell);
        own[j] = layer != nullptr && cell >= 0 && cell < size ? layer[cell] : 0.0f;
    }
    for (std::int64_t w = 0; w < waves; ++w) {
        add_particles(own, k, static_cast<float>(size), positions + begins[w], values + begins[w],
                      begins[w + 1] - begins[w]);
        relax_and_find(own, first, size, halo, keys + w);
    }
#pragma unroll
    for (int j = 0; j < kCells; ++j) {
        const int i = threadIdx.x + j * kUpdateBlock;
        const bool mine = i >= halo && i < kTile - halo && first + i < size;
        if (mine) next_layer[first + i] = own[j];
    }
}

void bombard_layer(const Input& input, Output& output, PhaseTimer& timer) {
    course::NcclRanks& ranks = course::NcclRanks::of(timer);
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
    // Only the last block may have fewer cells than a halo. The last ranks may have no block.
    const course::Slice own = ranks.slice((size + cells - 1) / cells);
    const std::int64_t begin = std::min(own.begin * cells, size);
    const std::int64_t end = std::min(own.end * cells, size);
    const ncclComm_t communicator = ranks.communicator();
    DeviceBuffer<Key> d_keys(waves);
    std::vector<Key> keys(waves);
    cuda_check(cudaMemset(d_keys.data(), 0, d_keys.bytes()));
    DeviceBuffer<std::int64_t> d_particle_positions(input.particles());
    DeviceBuffer<int> d_particle_values(input.particles());
    DeviceBuffer<std::int64_t> d_begins(waves + 1);

    timer.begin(Phase::kCopyIn);
    storms::copy_particles(input, d_particle_positions.data(), d_particle_values.data(),
                           d_begins.data());

    // Brings the cells next to this rank's own, at most a halo on each side, and sends such cells.
    const auto exchange_halos = [&] {
        nccl_check(ncclGroupStart());
        float* const layer_begin = d_layer.data() + begin;
        float* const layer_end = d_layer.data() + end;
        if (begin < end && begin > 0) {
            const std::int64_t sent = std::min<std::int64_t>(halo, end - begin);
            nccl_check(
                ncclSend(layer_begin, sent, ncclFloat, ranks.rank() - 1, communicator, nullptr));
            nccl_check(ncclRecv(layer_begin - halo, halo, ncclFloat, ranks.rank() - 1, communicator,
                                nullptr));
        }
        if (begin < end && end < size) {
            const std::int64_t received = std::min<std::int64_t>(halo, size - end);
            nccl_check(ncclSend(layer_end - halo, halo, ncclFloat, ranks.rank() + 1, communicator,
                                nullptr));
            nccl_check(
                ncclRecv(layer_end, received, ncclFloat, ranks.rank() + 1, communicator, nullptr));
        }
        nccl_check(ncclGroupEnd());
    };

    timer.begin(Phase::kKernels);
    for (std::int64_t w = 0; w < waves; w += kMostWaves) {
        const std::span<const Wave> pass(&input.waves[w], std::min(kMostWaves, waves - w));
        const auto launch = [&](auto place) {
            using Place = decltype(place);
            const auto kernel = many ? bombard_kernel<4, Place> : bombard_kernel<1, Place>;
            kernel<<<own.size(), block_size>>>(
                w > 0 ? d_layer.data() : nullptr, d_relaxed_layer.data(), size,
                d_particle_positions.data(), d_particle_values.data(), d_begins.data() + w,
                std::ssize(pass), halo, own.begin, d_keys.data() + w);
            cuda_check(cudaGetLastError());
        };
        const auto proven = [&](std::int64_t limit) {
            return size <= limit && std::ranges::all_of(pass, [&](const Wave& wave) {
                       return !wave.has_zeros() && wave.is_nearer_than(limit);
                   });
        };
        if (own.size() == 0) {
            // There are more ranks than blocks.
        } else if (proven(kShort)) {
            launch(float{});
        } else if (proven(kNear)) {
            launch(int{});
        } else {
            launch(std::int64_t{});
        }
        std::swap(d_layer, d_relaxed_layer);
        if (ranks.count() > 1 && w + kMostWaves < waves) exchange_halos();
    }
    if (ranks.count() > 1) {
        nccl_check(ncclAllReduce(d_keys.data(), d_keys.data(), waves, ncclUint64, ncclMax,
                                 communicator, nullptr));
    }

    timer.begin(Phase::kCopyOut);
    cuda_check(cudaMemcpy(keys.data(), d_keys.data(), d_keys.bytes(), cudaMemcpyDeviceToHost));
    for (std::int64_t w = 0; w < waves; ++w) output.maxima[w] = storms::maximum_of(keys[w]);
    cuda_check(cudaMemcpy(layer.data() + begin, d_layer.data() + begin,
                          (end - begin) * sizeof(float), cudaMemcpyDeviceToHost));
    ranks.gather(std::span(layer), cells);
    timer.end();
    timer.note_grid(own.size(), block_size);
    const std::int64_t passes = (waves + kMostWaves - 1) / kMostWaves;
    timer.declare_work({.bytes = kBytesPerCell * static_cast<double>((2 * passes - 1) * size),
                        .operations = storms::update_operations(input)});
}

int main(int argc, char** argv) { return storms::run_stage(argc, argv, STAGE_NAME, bombard_layer); }
