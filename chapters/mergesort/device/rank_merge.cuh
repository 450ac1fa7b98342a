// SPDX-License-Identifier: MIT
// A merge of as many runs as there are ranks, of any lengths, in one pass or in two. For stage 21.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/shared_memory.hpp"
#include "common/ranks/message_line.hpp"
#include "device/chunk_sort.cuh"
#include "device/multiway_boundaries.cuh"
#include "device/multiway_merge.cuh"
#include "device/multiway_tile.cuh"
#include "problem/mergesort.hpp"
#include "problem/multisort.hpp"

namespace mergesort {

inline constexpr int kMostRanks = 64;
inline constexpr int kMostWays = 16;

using Message = course::Message<Key>;

// A run in a list of the device.
struct RankRun {
    std::int64_t begin, length;
};

// Missing runs have length 0.
struct RankRuns {
    RankRun runs[kMostWays];
};

inline constexpr std::size_t kTileBytes = kSharedKeys * sizeof(Key);

// Keys of a tile of the result: see make_pass().
template <int kWays>
inline constexpr int kRankTile = (kThreads - kWays / 2) * kKeysPerThread;

// Enough for a merge of so many keys, of any number of ways.
inline std::int64_t rank_boundaries(std::int64_t keys) {
    return kMostWays * (keys / kRankTile<kMostWays> + 2);
}

// kWays threads per tile: boundaries[kWays * tile + j] becomes the number of keys of run j that
// come before the tile. After the last tile come the lengths.
template <int kWays>
__global__ void find_rank_cuts_kernel(const Key* __restrict__ list, RankRuns some,
                                      std::int64_t tiles, std::int64_t* __restrict__ boundaries) {
    const Lanes<kWays> lanes;
    const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const std::int64_t tile = thread / kWays;
    if (tile > tiles) return;
    const RankRun run = some.runs[lanes.lane];
    boundaries[thread] = tile == tiles
                             ? run.length
                             : cut_run(lanes, list, run.begin, run.length, tile * kRankTile<kWays>);
}

// One block per tile.
template <int kWays>
__global__ void __launch_bounds__(kThreads, kWays < 16 ? 3 : 2)
    merge_ranks_kernel(const Key* __restrict__ list, Key* __restrict__ to, RankRuns some,
                       const std::int64_t* __restrict__ boundaries) {
    extern __shared__ Key s_keys[];
    __shared__ Tile<kWays> s_tile;
    const int thread = threadIdx.x;
    const std::int64_t tile = blockIdx.x;
    if (thread < kWays) {
        const std::int64_t cut = boundaries[tile * kWays + thread];
        place_fragments(list + some.runs[thread].begin + cut,
                        boundaries[(tile + 1) * kWays + thread] - cut, s_tile);
        if (thread == 0) s_tile.result = to + tile * kRankTile<kWays>;
    }
    __syncthreads();
    merge_fragments(PaddedKeys{s_keys}, s_tile);
}

// Merges runs of the list, in order: of equal keys, those of the first run come first.
template <int kWays>
void launch_rank_merge(const Key* list, const RankRuns& some, std::int64_t keys, Key* to,
                       std::int64_t* boundaries) {
    if (keys == 0) return;
    const std::int64_t tiles = (keys - 1) / kRankTile<kWays> + 1;
    find_rank_cuts_kernel<kWays>
        <<<blocks_for((tiles + 1) * kWays, kThreads), kThreads>>>(list, some, tiles, boundaries);
    course::cuda_check(cudaGetLastError());
    course::allow_dynamic_shared(merge_ranks_kernel<kWays>, kTileBytes);
    merge_ranks_kernel<kWays>
        <<<blocks_for(tiles, 1), kThreads, kTileBytes>>>(list, to, some, boundaries);
    course::cuda_check(cudaGetLastError());
}

// The same for up to 16 runs, to the list's place `to`.
inline RankRun merge_some_runs(Key* list, std::span<const RankRun> runs, std::int64_t to,
                               std::int64_t* boundaries) {
    RankRuns some = {};
    std::int64_t keys = 0;
    for (std::size_t j = 0; j < runs.size(); ++j) {
        some.runs[j] = runs[j];
        keys += runs[j].length;
    }
    const auto launch = runs.size() > 8   ? launch_rank_merge<16>
                        : runs.size() > 4 ? launch_rank_merge<8>
                        : runs.size() > 2 ? launch_rank_merge<4>
                                          : launch_rank_merge<2>;
    launch(list, some, keys, list + to, boundaries);
    return {to, keys};
}

// Merges the runs of a list to the place `to`. More than 16 runs need two passes: the second brings
// the keys to `then_to`, where nothing may be left that is still needed. Returns where they are.
inline std::int64_t merge_runs_of_ranks(Key* list, std::vector<RankRun> runs, std::int64_t to,
                                        std::int64_t then_to, std::int64_t* boundaries) {
    while (true) {
        std::vector<RankRun> longer;
        std::int64_t place = to;
        for (std::size_t j = 0; j < runs.size(); j += kMostWays) {
            const std::size_t number = std::min<std::size_t>(kMostWays, runs.size() - j);
            longer.push_back(
                merge_some_runs(list, std::span(runs).subspan(j, number), place, boundaries));
            place += longer.back().length;
        }
        if (longer.size() == 1) return to;
        runs = longer;
        to = then_to;
    }
}

}  // namespace mergesort
