// SPDX-License-Identifier: MIT
// A merge of up to 16 runs of any lengths that can be launched slice by slice.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/multiway_cuts/multiway_cuts.cuh"
#include "blocks/tile_copies/tile_copies.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/shared_memory.hpp"
#include "limit/05_odd_windows/odd_merge.cuh"
#include "limit/05_odd_windows/odd_tile.cuh"
#include "problem/mergesort.hpp"
#include "problem/multisort.hpp"

namespace mergesort {

inline constexpr int kMostRuns = 16;
inline constexpr int kSliceTile = (odd::kThreads - kMostRuns / 2) * odd::kKeys;  // keys

// Missing runs have length 0.
struct Runs {
    std::int64_t begins[kMostRuns], lengths[kMostRuns];
};

// kMostRuns threads per tile of `tile_keys` keys: boundaries[kMostRuns * tile + j] becomes the
// number of keys of run j that come before the tile. After the last tile come the lengths.
__global__ void find_slice_cuts_kernel(const Key* __restrict__ from, Runs runs, std::int64_t tiles,
                                       int tile_keys, std::int64_t* __restrict__ boundaries) {
    const Lanes<kMostRuns> lanes;
    const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const std::int64_t tile = thread / kMostRuns;
    if (tile > tiles) return;
    const std::int64_t length = runs.lengths[lanes.lane];
    boundaries[thread] =
        tile == tiles ? length
                      : cut_run(lanes, from, runs.begins[lanes.lane], length, tile * tile_keys);
}

// One block per tile, from `first_tile` on.
__global__ void __launch_bounds__(odd::kThreads, 5)
    merge_slice_kernel(const Key* __restrict__ from, Key* __restrict__ to, Runs runs,
                       std::int64_t first_tile, const std::int64_t* __restrict__ boundaries) {
    extern __shared__ Key s_keys[];
    __shared__ odd::Tile<kMostRuns> s_tile;
    const int thread = threadIdx.x;
    const std::int64_t tile = first_tile + blockIdx.x;
    if (thread < 32) {
        std::int64_t begin = 0, cut = 0, next_cut = 0;
        if (thread < kMostRuns) {
            begin = runs.begins[thread];
            cut = boundaries[tile * kMostRuns + thread];
            next_cut = boundaries[(tile + 1) * kMostRuns + thread];
        }
        place_fragments(begin + cut, static_cast<int>(next_cut - cut), tile * kSliceTile, s_tile);
    }
    __syncthreads();
    load_fragments(from, s_keys, s_tile);
    __syncthreads();
    Key own[odd::kKeys];
#pragma unroll 1
    for (int pairs = kMostRuns / 2; pairs > 0; pairs /= 2) {
        odd::merge_pairs(s_keys, s_tile, pairs, own);
    }
    store_tile<odd::kThreads, odd::kKeys>(to + s_tile.result, s_keys, s_tile.starts[kMostRuns]);
}

// Before launch_slice.
inline void launch_slice_cuts(const Key* from, const Runs& runs, std::int64_t tiles,
                              std::int64_t* boundaries, cudaStream_t stream) {
    course::allow_dynamic_shared(merge_slice_kernel, odd::kSharedBytes);
    find_slice_cuts_kernel<<<blocks_for((tiles + 1) * kMostRuns, odd::kThreads), odd::kThreads, 0,
                             stream>>>(from, runs, tiles, kSliceTile, boundaries);
    course::cuda_check(cudaGetLastError());
}

// Merges the tiles [first, last).
inline void launch_slice(const Key* from, Key* to, const Runs& runs, std::int64_t first,
                         std::int64_t last, const std::int64_t* boundaries, cudaStream_t stream) {
    merge_slice_kernel<<<blocks_for(last - first, 1), odd::kThreads, odd::kSharedBytes, stream>>>(
        from, to, runs, first, boundaries);
    course::cuda_check(cudaGetLastError());
}

}  // namespace mergesort
