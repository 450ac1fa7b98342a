// SPDX-License-Identifier: MIT
// The partition of stage limit/09, for keys and for pairs.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/levels/level_sort.cuh"
#include "blocks/networks/wide_access.cuh"
#include "blocks/rounds/rounds.cuh"
#include "limit/01_multiway_partition/multiway.cuh"
#include "limit/07_one_pass/levels.cuh"
#include "limit/08_bulk_copies/bulk_runs.cuh"
#include "limit/09_two_pipes/path_tree.cuh"
#include "limit/09_two_pipes/tile_cells.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

// The block partitions its tile. Dynamic shared memory: kThreads kKeys keys, and six more for each
// part, or two pairs. Tree: of the parts.
template <int kBits, int kKeys, typename Tree>
__device__ __forceinline__ void partition_tile(const Level& level) {
    constexpr int kParts = 1 << kBits;
    extern __shared__ __align__(16) Key s_keys[];
    __shared__ __align__(16) Key s_tree[kParts];
    __shared__ Key s_splitters[kParts];
    __shared__ unsigned s_counts[kParts + 32], s_runs[kParts + 32], s_sums[kThreads / 32];
    __shared__ Targets<kParts> s_targets;
    const Tile tile = tile_of_block(level, kThreads * kKeys);
    if (tile.count == 0) return;
    const int thread = threadIdx.x;
    const bool twins = level.lists[tile.slot].twins;
    const unsigned mine = Tree::template cell_of<kBits>(thread % kParts);
    Key keys[kKeys];
    unsigned places[kKeys];  // 4 cells; and 4 ranks, times 65536
    load_tile(level.from + tile.begin, tile.count, keys);
    if (thread < kParts) {
        const Key* splitters = level.splitters + tile.slot * kParts;
        s_splitters[mine] = splitters[thread];
        s_tree[thread] = splitters[Tree::template splitter_at<kBits>(max(thread, 1)) - 1];
        s_counts[thread] = 0;
    }
    if (thread < 32) s_counts[kParts + thread] = s_runs[kParts + thread] = 0;  // see leave_out()
    s_targets.load(level, tile.slot);
    __syncthreads();
    if (twins || tile.count < kThreads * kKeys) {
        rank_cells<kBits, false, Tree>(keys, tile.count, twins, s_tree, s_splitters, s_counts,
                                       places);
    } else {
        rank_cells<kBits, true, Tree>(keys, tile.count, false, s_tree, s_splitters, s_counts,
                                      places);
    }
    __syncthreads();
    const unsigned count = thread < kParts ? s_counts[mine] / 4 : 0;
    const unsigned place = s_targets.reserve(level, tile.slot, count);
    unsigned run = sum_before(room_of_run(count), s_sums);
    const std::int64_t to = s_targets.settle(place, count);
    run += static_cast<unsigned>(to) % kWide;  // as many keys behind a multiple of 16 bytes
    if (thread < kParts) s_runs[mine] = 4 * run;
    __syncthreads();
    stage_tile(tile.count, s_runs, s_keys, keys, places);
    show_to_bulk_copies();
    __syncthreads();
    if (to >= 0) store_run(s_keys + run, level.to + to, count);
    wait_for_bulk_copies();
}

template <int kBits, int kKeys>
static __global__ void __launch_bounds__(kThreads, 2) partition_kernel(Level level) {
    partition_tile<kBits, kKeys, PathTree>(level);
}

// Launches the partition. A functor: the host compiler takes no template kernel in a generic lambda
// that another template calls.
template <int kKeys>
struct LongTiles {
    template <typename Bits>
    void operator()(Bits, const Level& level, unsigned tiles) const {
        constexpr int kBits = Bits::value, kBytes = kRunBytes<kBits, kKeys>;
        const auto kernel = partition_kernel<kBits, kKeys>;
        allow_shared_bytes(kernel, kBytes);
        kernel<<<tiles, kThreads, kBytes>>>(level);
    }
};

}  // namespace quicksort
