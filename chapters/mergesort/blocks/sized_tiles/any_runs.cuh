// SPDX-License-Identifier: MIT
// A merge of up to 16 runs of any lengths, with tiles that come by bulk copies.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "blocks/sized_tiles/long_sort.cuh"
#include "blocks/sized_tiles/sized_merge.cuh"
#include "blocks/tile_copies/tile_copies.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/shared_memory.hpp"
#include "host/01_host_to_host/slices.cuh"
#include "limit/06_bulk_tiles/bulk_tile.cuh"
#include "problem/mergesort.hpp"
#include "problem/multisort.hpp"

namespace mergesort {

inline constexpr int kRunTile = (sized::kThreads - kMostRuns / 2) * kMergeKeys;  // keys
inline constexpr std::size_t kRunBytes = sized::kMergeBytes<kMostRuns, kMergeKeys>;

// One block per tile. The result may begin anywhere, so no bulk copy stores it.
__global__ void __launch_bounds__(sized::kThreads, sized::kBlocks)
    merge_runs_kernel(const Key* __restrict__ from, Key* __restrict__ to, Runs runs,
                      const std::int64_t* __restrict__ boundaries) {
    extern __shared__ __align__(16) Key s_keys[];
    __shared__ sized::Tile<kMostRuns, kMergeKeys> s_tile;
    __shared__ std::uint64_t s_arrived;
    const int thread = threadIdx.x;
    if (thread < 32) {
        Fragment own = {};
        if (thread < kMostRuns) {
            const std::int64_t cut = boundaries[blockIdx.x * kMostRuns + thread];
            const std::int64_t next_cut = boundaries[(blockIdx.x + 1) * kMostRuns + thread];
            own = {runs.begins[thread] + cut, next_cut - cut, blockIdx.x * std::int64_t{kRunTile}};
        }
        fetch_fragments(from, own, s_keys, s_tile, s_arrived);
    }
    Key own[kMergeKeys];
    sized::merge_fragments<kMostRuns>(s_keys, s_tile, s_arrived, own);
    store_tile<sized::kThreads, kMergeKeys>(to + s_tile.result, s_keys, s_tile.starts[kMostRuns]);
}

// Before launch_run_merge.
inline void allow_run_merge() { course::allow_dynamic_shared(merge_runs_kernel, kRunBytes); }

// The runs have so many keys, at least one. boundaries: 16 per tile and for one more.
inline void launch_run_merge(const Key* from, Key* to, const Runs& runs, std::int64_t keys,
                             std::int64_t* boundaries) {
    const std::int64_t tiles = (keys - 1) / kRunTile + 1;
    find_slice_cuts_kernel<<<blocks_for((tiles + 1) * kMostRuns, sized::kThreads),
                             sized::kThreads>>>(from, runs, tiles, kRunTile, boundaries);
    course::cuda_check(cudaGetLastError());
    merge_runs_kernel<<<blocks_for(tiles, 1), sized::kThreads, kRunBytes>>>(from, to, runs,
                                                                            boundaries);
    course::cuda_check(cudaGetLastError());
}

}  // namespace mergesort
