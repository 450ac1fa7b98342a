// SPDX-License-Identifier: MIT
// Quicksort, stage 25: longer tiles.
// Idea: a key and its place are two registers since stage 24, so a thread can have 24 keys instead
// of 16. A tile and each of its runs have half as many keys more. So fewer keys are ends of a run,
// which no bulk copy takes. And more keys share the fixed costs of a tile: its tree, its barriers
// and an atomic addition for each part.
// Compared with 24_path_as_address: kMoreKeys.
// Limit now: shared memory: the descent through the tree, and the leaves.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "device/bulk_runs.cuh"
#include "device/level_memory.cuh"
#include "device/level_sort.cuh"
#include "device/levels.cuh"
#include "device/multiway.cuh"
#include "device/rounds.cuh"
#include "device/search_trees.cuh"
#include "problem/quicksort.hpp"

using course::cuda_check, quicksort::kThreads, quicksort::Targets, quicksort::Tile;
using quicksort::Input, quicksort::Key, quicksort::Level, quicksort::Output, quicksort::PhaseTimer;

constexpr int kMoreKeys = 24, kFewerKeys = 12;  // per thread: as many as shared memory holds

// Dynamic shared memory: kThreads kKeys keys, and six more for each part.
template <int kBits, int kKeys>
__global__ void __launch_bounds__(kThreads, 2) partition_kernel(Level level) {
    constexpr int kParts = 1 << kBits;
    extern __shared__ __align__(16) Key s_keys[];
    __shared__ __align__(16) Key s_tree[kParts];
    __shared__ Key s_splitters[kParts];
    __shared__ unsigned s_counts[kParts + 32], s_runs[kParts + 32], s_sums[kThreads / 32];
    __shared__ Targets<kParts> s_targets;
    const Tile tile = quicksort::tile_of_block(level, kThreads * kKeys);
    if (tile.count == 0) return;
    const int thread = threadIdx.x;
    const bool twins = level.lists[tile.slot].twins;
    const unsigned mine = quicksort::PathTree::cell_of<kBits>(thread % kParts);
    Key keys[kKeys];
    unsigned places[kKeys];  // 4 cells; and 4 ranks, times 65536
    quicksort::load_tile(level.from + tile.begin, tile.count, keys);
    if (thread < kParts) {
        const Key* splitters = level.splitters + tile.slot * kParts;
        s_splitters[mine] = splitters[thread];
        s_tree[thread] = splitters[quicksort::PathTree::splitter_at<kBits>(max(thread, 1)) - 1];
        s_counts[thread] = 0;
    }
    if (thread < 32) s_counts[kParts + thread] = s_runs[kParts + thread] = 0;  // see leave_out()
    s_targets.load(level, tile.slot);
    __syncthreads();
    quicksort::rank_cells<quicksort::PathTree, kBits>(keys, tile.count, twins, s_tree, s_splitters,
                                                      s_counts, places);
    __syncthreads();
    const unsigned count = thread < kParts ? s_counts[mine] / 4 : 0;
    const unsigned place = s_targets.reserve(level, tile.slot, count);
    unsigned run = quicksort::sum_before(count > 0 ? (count + 6) / 4 * 4 : 0, s_sums);
    const std::int64_t to = s_targets.settle(level, place, count);
    run += static_cast<unsigned>(to) % 4;  // as many keys behind a multiple of 16 bytes
    if (thread < kParts) s_runs[mine] = 4 * run;
    __syncthreads();
    quicksort::stage_tile(tile.count, s_runs, s_keys, keys, places);
    quicksort::show_to_bulk_copies();
    __syncthreads();
    if (to >= 0) quicksort::store_run(s_keys + run, level.to + to, count);
    quicksort::wait_for_bulk_copies();
}

template <int kKeys>
void sort_tiles(const Input& input, Output& output, PhaseTimer& timer) {
    const auto partition = [](auto bits, const Level& level, unsigned tiles) {
        const auto kernel = partition_kernel<bits, kKeys>;
        constexpr int kBytes = (kThreads * kKeys + (6 << bits)) * static_cast<int>(sizeof(Key));
        cuda_check(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
        kernel<<<tiles, kThreads, kBytes>>>(level);
    };
    quicksort::sort_by_levels<quicksort::PathTree>(input, output, timer, kKeys, partition);
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const bool large = quicksort::shared_bytes_of_block() >= 72 * 1024;
    (large ? sort_tiles<kMoreKeys> : sort_tiles<kFewerKeys>)(input, output, timer);
}

int main(int argc, char** argv) {
    return quicksort::run_stage(argc, argv, STAGE_NAME, sort_keys, nullptr,
                                quicksort::kLevelOptions, quicksort::kLevelBytesPerKey);
}
