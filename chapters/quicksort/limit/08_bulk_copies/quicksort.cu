// SPDX-License-Identifier: MIT
// Quicksort, stage limit/08: each run of a tile leaves by one bulk copy.
// Idea: a run lies in shared memory as it will lie in its region, so one thread orders its copy by
// one instruction, and the hardware moves the bytes. Bulk copies move pieces of 16 bytes: a run
// begins at the same place within 16 bytes as its target, and the few keys before and after the
// pieces are stored as usual. Devices below compute capability 9.0 have no bulk copies.
// Compared with limit/07_one_pass: store_run, and the room of a run in s_keys.
// Limit now: shared memory: the descent through the tree, and the leaves.
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
#include "limit/08_bulk_copies/bulk_runs.cuh"
#include "problem/quicksort.hpp"

using quicksort::Input, quicksort::Key, quicksort::Level, quicksort::Output, quicksort::PhaseTimer;
using quicksort::kThreads, quicksort::Tile;

constexpr int kMoreKeys = 16, kFewerKeys = 12;  // per thread: as many as shared memory holds

// Dynamic shared memory: kThreads kKeys keys, and six more for each part.
template <int kBits, int kKeys>
__global__ void __launch_bounds__(kThreads, 2) partition_kernel(Level level) {
    constexpr int kParts = 1 << kBits;
    extern __shared__ __align__(16) Key s_keys[];
    __shared__ unsigned s_counts[kParts], s_runs[kParts], s_sums[kThreads / 32];
    __shared__ quicksort::Targets<kParts> s_targets;
    const Tile tile = quicksort::tile_of_block(level, kThreads * kKeys);
    if (tile.count == 0) return;
    const int thread = threadIdx.x;
    const bool twins = level.lists[tile.slot].twins;
    Key keys[kKeys];
    int parts[kKeys];
    unsigned ranks[kKeys];
    s_targets.load(level, tile.slot);
    quicksort::rank_tile<kBits>(level.from, tile, level.splitters, keys, parts, ranks, s_counts,
                                kParts, [twins](Key key, int less, const Key* s_splitters) {
                                    return less +
                                           (twins && less < kParts - 1 && key == s_splitters[less]);
                                });
    const unsigned count = thread < kParts ? s_counts[thread] : 0;
    const unsigned place = s_targets.reserve(level, tile.slot, count);
    unsigned run = quicksort::sum_before(quicksort::room_of_run(count), s_sums);
    const std::int64_t to = s_targets.settle(place, count);
    run += static_cast<unsigned>(to) % 4;  // as many keys behind a multiple of 16 bytes
    if (thread < kParts) s_runs[thread] = run;
    __syncthreads();
#pragma unroll
    for (int j = 0; j < kKeys; ++j) {
        if (j * kThreads + thread < tile.count) s_keys[s_runs[parts[j]] + ranks[j]] = keys[j];
    }
    quicksort::show_to_bulk_copies();
    __syncthreads();
    if (to >= 0) quicksort::store_run(s_keys + run, level.to + to, count);
    quicksort::wait_for_bulk_copies();  // s_keys is read
}

template <int kKeys>
void sort_tiles(const Input& input, Output& output, PhaseTimer& timer) {
    const auto partition = [](auto bits, const Level& level, unsigned tiles) {
        const auto kernel = partition_kernel<bits, kKeys>;
        constexpr int kBytes = (kThreads * kKeys + (6 << bits)) * static_cast<int>(sizeof(Key));
        quicksort::allow_shared_bytes(kernel, kBytes);
        kernel<<<tiles, kThreads, kBytes>>>(level);
    };
    quicksort::sort_by_levels<quicksort::NodeTree>(input, output, timer, kKeys, partition);
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const bool large = quicksort::shared_bytes_of_block() >= 72 * 1024;
    (large ? sort_tiles<kMoreKeys> : sort_tiles<kFewerKeys>)(input, output, timer);
}

int main(int argc, char** argv) {
    return quicksort::run_stage(argc, argv, STAGE_NAME, sort_keys, nullptr,
                                quicksort::kLevelOptions, quicksort::kLevelBytesPerKey);
}
