// SPDX-License-Identifier: MIT
// Quicksort, stage 24: the path through the tree is an address.
// Idea: level l of the tree lies at words 2^l to 2^(l+1) - 1, and the first decision is the lowest
// bit of a node's number, not the highest. So a key that goes right adds 4 2^l bytes to its place,
// and its place at the end is that of its part's counter. A level costs a load, a comparison and an
// addition; the first three levels are in registers. Rank and place share one register. The leaves
// have this tree, too.
// Compared with 23_bulk_copies: PathTree, and all tables of parts, which it orders.
// Limit now: the leaves, and the shared memory of the descent.
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
using quicksort::word_at;

constexpr int kMoreKeys = 16, kFewerKeys = 12;  // per thread: as many as shared memory holds

// The path to a node is its address: level l begins at word 2^l, and the first decision is the
// lowest bit of a place within it. s_tree begins at 16 bytes.
struct PathTree {
    template <int kLevels>
    static __device__ __forceinline__ unsigned cell_of(unsigned part) {
        return __brev(part) >> (32 - kLevels);
    }

    template <int kLevels>
    static __device__ __forceinline__ unsigned splitter_at(unsigned node) {
        const int level = 31 - __clz(static_cast<int>(node));
        const unsigned reversed = level > 0 ? __brev(node - (1u << level)) >> (32 - level) : 0;
        return (2 * reversed + 1) << (kLevels - 1 - level);
    }

    template <int kLevels, int kCount>
    static __device__ __forceinline__ void descend(Key* s_tree, const Key* keys, unsigned* places) {
        const int4 top = reinterpret_cast<const int4*>(s_tree)[0];  // levels 0 and 1, from .y on
        const int4 third = reinterpret_cast<const int4*>(s_tree)[1];  // level 2
#pragma unroll
        for (int k = 0; k < kCount; ++k) {
            const bool right = keys[k] > top.y;
            const bool right_again = keys[k] > (right ? top.w : top.z);
            const Key left = right ? third.y : third.x, other = right ? third.w : third.z;
            places[k] = right ? 4 : 0;
            if (right_again) places[k] += 8;
            if (keys[k] > (right_again ? other : left)) places[k] += 16;
        }
#pragma unroll
        for (int level = 3; level < kLevels; ++level) {
#pragma unroll
            for (int k = 0; k < kCount; ++k) {
                if (keys[k] > word_at(s_tree, places[k] + (4 << level))) places[k] += 4u << level;
            }
        }
    }
};

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
    const unsigned mine = PathTree::cell_of<kBits>(thread % kParts);
    Key keys[kKeys];
    unsigned places[kKeys];  // 4 cells; and 4 ranks, times 65536
    quicksort::load_tile(level.from + tile.begin, tile.count, keys);
    if (thread < kParts) {
        const Key* splitters = level.splitters + tile.slot * kParts;
        s_splitters[mine] = splitters[thread];
        s_tree[thread] = splitters[PathTree::splitter_at<kBits>(max(thread, 1)) - 1];
        s_counts[thread] = 0;
    }
    if (thread < 32) s_counts[kParts + thread] = s_runs[kParts + thread] = 0;  // see leave_out()
    s_targets.load(level, tile.slot);
    __syncthreads();
    quicksort::rank_cells<PathTree, kBits>(keys, tile.count, twins, s_tree, s_splitters, s_counts,
                                           places);
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
    quicksort::sort_by_levels<PathTree>(input, output, timer, kKeys, partition);
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const bool large = quicksort::shared_bytes_of_block() >= 72 * 1024;
    (large ? sort_tiles<kMoreKeys> : sort_tiles<kFewerKeys>)(input, output, timer);
}

int main(int argc, char** argv) {
    return quicksort::run_stage(argc, argv, STAGE_NAME, sort_keys, nullptr,
                                quicksort::kLevelOptions, quicksort::kLevelBytesPerKey);
}
