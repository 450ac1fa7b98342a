// SPDX-License-Identifier: MIT
// Storms, stage many_gpus: many GPUs.
// Idea: each rank, a process with its own GPU, bombards a range of tiles, and the ranks exchange
// the cells at the ends of their ranges: a few per pass of eight waves. Keys of peaks have one
// maximum in any order: one all-reduce. A rank with few cells has smaller tiles and so more warps.
// Compared with limit/11_shared_steps: ranges of blocks, messages, and tiles of fewer cells
// (narrow_tiles.cuh).
// Limit now: the rounds of a tile, one after the other, however few tiles a rank has.
// Not of the thesis nor of Blanco and González 2018.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/base/error.hpp"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/ranks/nccl_ranks.hpp"
#include "common/ranks/warm_up.hpp"
#include "limit/08_shared_root/passes.cuh"
#include "limit/09_split_particles/split.cuh"
#include "limit/10_step_functions/step_sums.cuh"
#include "many_gpus/narrow_tiles.cuh"
#include "problem/storms.hpp"

using course::cuda_check, course::DeviceBuffer, course::nccl_check;
using storms::is_positive, storms::is_proven, storms::Key, storms::kMostCells, storms::kMostWaves;
using storms::kNear, storms::kShort, storms::kUpdateBlock, storms::Phase, storms::Wave;

// A pass reads and writes each cell; the first only writes it.
constexpr double kBytesPerCell = sizeof(float);

// Cells of a thread. What is done for each particle is done for a tile, so wide tiles save work.
// But a rank with few cells has too few warps for wide tiles, and they hide little latency. Below
// kWideTilesFrom, an H200 has room for all narrow tiles at once.
constexpr int kFewCells = 6;
constexpr std::int64_t kWideTilesFrom = 9 << 16;  // cells of a rank

// Stands for a place that is not needed.
struct BySteps {
    BySteps() = default;
    __device__ explicit BySteps(std::int64_t) {}
};

// Runs the waves of a pass. Wave w has the particles from begins[w] to begins[w + 1]. layer:
// nullptr before the first wave. halo: the cells of a tile, on each side, that its block does not
// own; at least waves + 1. kCells: cells per thread, kUpdateBlock apart. Place: the type of a
// cell's place; or BySteps, for positive energies. first_block: of the rank.
template <int kCells, typename Place>
__global__ void __launch_bounds__(kUpdateBlock, kCells == 1 ? 2 : 6)
    bombard_kernel(const float* __restrict__ layer, float* __restrict__ next_layer,
                   std::int64_t size, const std::int64_t* __restrict__ positions,
                   const int* __restrict__ values, const std::int64_t* __restrict__ begins,
                   std::int64_t waves, int halo, std::int64_t first_block, Key* __restrict__ keys) {
    constexpr int kTile = kCells * kUpdateBlock;
    const std::int64_t first = (kTile - 2 * halo) * (first_block + blockIdx.x) - halo;
    Place k[kCells];
    float own[kCells];
#pragma unroll
    for (int j = 0; j < kCells; ++j) {
        // Beyond its ends, the layer goes on with the same cells, so that they grow like these.
        const std::int64_t cell = first + threadIdx.x + j * kUpdateBlock;
        k[j] = static_cast<Place>(cell);
        own[j] = layer != nullptr ? layer[min(max(cell, std::int64_t{0}), size - 1)] : 0.0f;
    }
    for (std::int64_t w = 0; w < waves; ++w) {
        if constexpr (std::is_same_v<Place, BySteps>) {
            storms::add_by_steps<storms::TurnsOfShortQueues>(
                own, first, static_cast<float>(size), positions, values, begins[w], begins[w + 1]);
        } else {
            storms::add_wave(own, k, first, static_cast<float>(size), positions + begins[w],
                             values + begins[w], begins[w + 1] - begins[w]);
        }
        storms::relax_and_find(own, first, size, halo, keys + w);
    }
#pragma unroll
    for (int j = 0; j < kCells; ++j) {
        const int i = threadIdx.x + j * kUpdateBlock;
        const bool mine = i >= halo && i < kTile - halo && first + i < size;
        if (mine) next_layer[first + i] = own[j];
    }
}

void bombard_layer(const storms::Input& input, storms::Output& output, storms::PhaseTimer& timer) {
    course::NcclRanks& ranks = course::NcclRanks::of(timer);
    const std::int64_t size = input.size;
    if (size > storms::kLastPosition)
        throw course::UsageError("--n: a key holds positions below 2^33");
    const int block_size = kUpdateBlock;  // the shared lists have this length
    timer.begin(Phase::kSetup);
    std::vector<float>& layer = output.layer;
    const std::int64_t waves = static_cast<std::int64_t>(input.waves.size());
    const bool split = storms::is_split(input);  // few cells: each rank adds to all of them
    // The first pass reads no layer.
    DeviceBuffer<float> d_layer(split || waves > kMostWaves ? size : 0), d_relaxed_layer(size);
    const storms::SplitWaves<storms::StepSums> split_waves;
    const storms::Passes passes(size, split ? 1 : waves);
    const int halo = passes.halo;
    const bool narrow = passes.many && size < ranks.count() * kWideTilesFrom &&
                        is_proven(input.waves, size, kShort) && is_positive(input.waves);
    // Of a block.
    const std::int64_t cells = narrow ? kFewCells * kUpdateBlock - 2 * halo : passes.cells;
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
    if (split) cuda_check(cudaMemset(d_layer.data(), 0, d_layer.bytes()));

    timer.begin(Phase::kCopyIn);
    storms::copy_particles(input, d_particle_positions.data(), d_particle_values.data(),
                           d_begins.data());
    course::warm_up(ranks);

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
    if (split) {
        split_waves.launch(input, passes, d_layer, d_relaxed_layer, d_particle_positions.data(),
                           d_particle_values.data(), d_keys.data());
    }
    for (std::int64_t w = 0; !split && w < waves; w += kMostWaves) {
        const std::span<const Wave> pass(&input.waves[w], std::min(kMostWaves, waves - w));
        const auto launch = [&](auto kernel) {
            kernel<<<own.size(), block_size>>>(
                w > 0 ? d_layer.data() : nullptr, d_relaxed_layer.data(), size,
                d_particle_positions.data(), d_particle_values.data(), d_begins.data() + w,
                std::ssize(pass), halo, own.begin, d_keys.data() + w);
            cuda_check(cudaGetLastError());
        };
        const auto launch_places = [&](auto place) {
            using Place = decltype(place);
            launch(passes.many ? bombard_kernel<kMostCells, Place> : bombard_kernel<1, Place>);
        };
        if (own.size() == 0) {
            // There are more ranks than blocks.
        } else if (narrow) {
            launch(bombard_kernel<kFewCells, BySteps>);
        } else if (!is_proven(pass, size, kShort)) {
            is_proven(pass, size, kNear) ? launch_places(int{}) : launch_places(std::int64_t{});
        } else if (passes.many && is_positive(pass)) {
            launch(bombard_kernel<kMostCells, BySteps>);
        } else {
            launch_places(float{});
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
    const std::int64_t split_tiles = (size + storms::kTile - 1) / storms::kTile;
    timer.note_grid(split ? split_tiles : own.size(), split ? 32 * storms::kWarps : block_size);
    const std::int64_t reads = split ? waves : passes.count;
    timer.declare_work({.bytes = kBytesPerCell * static_cast<double>((2 * reads - 1) * size),
                        .operations = storms::update_operations(input)});
}

int main(int argc, char** argv) { return storms::run_stage(argc, argv, STAGE_NAME, bombard_layer); }
