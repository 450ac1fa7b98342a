// SPDX-License-Identifier: MIT
// Quicksort, stage limit/07: partition without counting first.
// Idea: a part gets a region with room for more keys than the sample promises, and a cursor hands
// out its places. So a level reads each key once and writes it once. If a region overflows, nothing
// is lost: its keys are still in the input, and stage limit/06 sorts them, and only them.
// Compared with limit/06_twin_splitters: partition_kernel instead of two passes, and levels instead
// of rounds; the host waits once.
// Limit now: shared memory, and the stores of short runs.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/levels/level_memory.cuh"
#include "blocks/levels/level_sort.cuh"
#include "blocks/rounds/rounds.cuh"
#include "limit/01_multiway_partition/multiway.cuh"
#include "limit/02_staged_runs/staged_runs.cuh"
#include "limit/05_sub_buckets/search_tree.cuh"
#include "limit/07_one_pass/levels.cuh"
#include "problem/quicksort.hpp"

using quicksort::Input, quicksort::Key, quicksort::Level, quicksort::Output, quicksort::PhaseTimer;
using quicksort::kKeysPerThread, quicksort::kThreads, quicksort::kTileKeys, quicksort::Tile;

template <int kBits>
__global__ void __launch_bounds__(kThreads, 2) partition_kernel(Level level) {
    constexpr int kParts = 1 << kBits;
    __shared__ Key s_keys[kTileKeys];
    __shared__ unsigned s_counts[kParts], s_runs[kParts], s_sums[kThreads / 32];
    __shared__ quicksort::Targets<kParts> s_targets;
    const Tile tile = quicksort::tile_of_block(level, kTileKeys);
    if (tile.count == 0) return;
    const int thread = threadIdx.x;
    const bool twins = level.lists[tile.slot].twins;
    Key keys[kKeysPerThread];
    int parts[kKeysPerThread];
    unsigned ranks[kKeysPerThread];
    s_targets.load(level, tile.slot);
    quicksort::rank_tile<kBits>(level.from, tile, level.splitters, keys, parts, ranks, s_counts,
                                kParts, [twins](Key key, int less, const Key* s_splitters) {
                                    return less +
                                           (twins && less < kParts - 1 && key == s_splitters[less]);
                                });
    const unsigned count = thread < kParts ? s_counts[thread] : 0;
    const unsigned place = s_targets.reserve(level, tile.slot, count);
    const unsigned run = quicksort::sum_before(count, s_sums);
    if (thread < kParts) {
        s_runs[thread] = run;
        s_targets.places[thread] = s_targets.settle(place, count);
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < kKeysPerThread; ++j) {
        if (j * kThreads + thread < tile.count) s_keys[s_runs[parts[j]] + ranks[j]] = keys[j];
    }
    __syncthreads();
    for (int part = thread / 32; part < kParts; part += kThreads / 32) {  // a warp stores a run
        const std::int64_t to = s_targets.places[part];
        if (to < 0) continue;
        for (unsigned i = thread % 32; i < s_counts[part]; i += 32) {
            level.to[to + i] = s_keys[s_runs[part] + i];
        }
    }
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const auto partition = [](auto bits, const Level& level, unsigned tiles) {
        const auto kernel = partition_kernel<bits>;
        kernel<<<tiles, kThreads>>>(level);
    };
    quicksort::sort_by_levels<quicksort::NodeTree>(input, output, timer, kKeysPerThread, partition);
}

int main(int argc, char** argv) {
    return quicksort::run_stage(argc, argv, STAGE_NAME, sort_keys, nullptr,
                                quicksort::kLevelOptions, quicksort::kLevelBytesPerKey);
}
