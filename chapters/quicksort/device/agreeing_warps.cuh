// SPDX-License-Identifier: MIT
// The partition and the sort of stage 26, for the stages that sort with it.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cuda/ptx>

#include "common/cuda/cuda_check.hpp"
#include "device/bulk_runs.cuh"
#include "device/level_sort.cuh"
#include "device/levels.cuh"
#include "device/multiway.cuh"
#include "device/rounds.cuh"
#include "device/search_trees.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

// Unchanged from stage 26_agreeing_warps.
// As count_four(). If all keys of the warp belong to one part, one lane counts them, and the ranks
// follow from the lanes' numbers.
__device__ __forceinline__ void count_together(unsigned* s_counts, unsigned* places) {
    const unsigned lane = threadIdx.x % 32, first = __shfl_sync(0xffffffff, places[0], 0);
    bool agrees = true;
#pragma unroll
    for (int k = 0; k < 4; ++k) agrees = agrees && places[k] == first;
    if (!__all_sync(0xffffffff, agrees)) return quicksort::count_four(s_counts, places);
    unsigned rank = 0;
    if (lane == 0) rank = atomicAdd(&quicksort::word_at(s_counts, first), 4u * 4 * 32);
    rank = __shfl_sync(0xffffffff, rank, 0) + 4 * 4 * lane;
#pragma unroll
    for (int k = 0; k < 4; ++k) places[k] += (rank + 4 * k) * 65536;
}

// Unchanged from stage 26_agreeing_warps.
// Dynamic shared memory: kThreads kKeys keys, and six more for each part.
template <int kBits, int kKeys>
static __global__ void __launch_bounds__(kThreads, 2) partition_kernel(Level level) {
    constexpr int kParts = 1 << kBits;
    extern __shared__ __align__(16) Key s_keys[];
    __shared__ __align__(16) Key s_tree[kParts];
    __shared__ Key s_splitters[kParts];
    __shared__ unsigned s_counts[kParts + 32], s_runs[kParts + 32], s_sums[kThreads / 32];
    const Tile tile = tile_of_level(level, kThreads * kKeys);
    if (*level.stop != 0 || tile.count == 0) return;
    const int thread = threadIdx.x, slot = static_cast<int>(tile.slot);
    const bool twins = level.lists[slot].twins;
    const unsigned mine = quicksort::PathTree::cell_of<kBits>(thread % kParts);
    Key keys[kKeys];
    unsigned places[kKeys];  // 4 cells; and 4 ranks, times 65536
    quicksort::load_tile(level.from + tile.begin, tile.count, keys);
    if (thread < kParts) {
        const Key* splitters = level.splitters + slot * kParts;
        s_splitters[mine] = splitters[thread];
        s_tree[thread] = splitters[quicksort::PathTree::splitter_at<kBits>(max(thread, 1)) - 1];
        s_counts[thread] = 0;
    }
    if (thread < 32) s_counts[kParts + thread] = s_runs[kParts + thread] = 0;  // see leave_out()
    __syncthreads();
    unsigned place;  // of the first key: random keys disagree about it, and vote no more
    quicksort::PathTree::descend<kBits, 1>(s_tree, keys, &place);
    if (__all_sync(0xffffffff, place == __shfl_sync(0xffffffff, place, 0))) {
        quicksort::rank_cells<quicksort::PathTree, kBits>(
            keys, tile.count, twins, s_tree, s_splitters, s_counts, places, count_together);
    } else {
        quicksort::rank_cells<quicksort::PathTree, kBits>(
            keys, tile.count, twins, s_tree, s_splitters, s_counts, places, quicksort::count_four);
    }
    __syncthreads();
    const unsigned count = thread < kParts ? s_counts[mine] / 4 : 0;
    Key* to = count > 0 ? reserve(level, slot, thread, count) : nullptr;
    const unsigned skew = reinterpret_cast<std::uintptr_t>(to) / sizeof(Key) % 4;
    const unsigned run = quicksort::sum_before(count > 0 ? (count + 6) / 4 * 4 : 0, s_sums) + skew;
    if (thread < kParts) s_runs[mine] = 4 * run;
    __syncthreads();
    quicksort::stage_tile(tile.count, s_runs, s_keys, keys, places);
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);  // bulk copies see the keys
    __syncthreads();
    if (to != nullptr) quicksort::store_run(s_keys + run, to, count);
    cuda::ptx::cp_async_bulk_commit_group();
    cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>());  // s_keys is read
}

// Partitions the lists of a level of 2^bits parts into tiles of kThreads kKeys keys.
template <int kKeys>
struct AgreeingWarps {
    template <typename Bits>
    void operator()(Bits bits, const Level& level, unsigned tiles) const {
        const auto kernel = partition_kernel<bits, kKeys>;
        constexpr int kBytes = (kThreads * kKeys + (6 << bits)) * static_cast<int>(sizeof(Key));
        course::cuda_check(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
        kernel<<<tiles, kThreads, kBytes>>>(level);
    }
};

// Calls sort(keys per thread, partition) with as many keys as shared memory holds.
template <typename Sort>
auto with_agreeing_warps(const Sort& sort) {
    constexpr int kMore = 24, kFewer = 12;
    if (shared_bytes_of_block() >= 72 * 1024) return sort(kMore, AgreeingWarps<kMore>());
    return sort(kFewer, AgreeingWarps<kFewer>());
}

// The whole stage.
inline void sort_with_agreeing_warps(const Input& input, Output& output, PhaseTimer& timer) {
    with_agreeing_warps([&](int keys_per_thread, const auto& partition) {
        sort_by_levels<PathTree>(input, output, timer, keys_per_thread, partition);
    });
}

}  // namespace quicksort
