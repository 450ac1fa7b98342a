// SPDX-License-Identifier: MIT
// The merges of limit/06_bulk_tiles with any odd number of keys per thread.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cuda/ptx>

#include "blocks/bulk_copies/bulk_copies.cuh"
#include "blocks/multiway_cuts/sampled_cuts.cuh"
#include "blocks/sized_tiles/sized_sort.cuh"
#include "limit/06_bulk_tiles/bulk_tile.cuh"
#include "problem/mergesort.hpp"
#include "problem/multiway.hpp"

namespace mergesort::sized {

inline constexpr int kBlocks = 4;  // per multiprocessor

template <int kWays, int kKeys>
using Tile = BulkTile<kWays, kThreads, kKeys>;

template <int kWays, int kKeys>
inline constexpr std::size_t kMergeBytes = Tile<kWays, kKeys>::kWords * sizeof(Key);

// A round: merges all pairs of runs. The fragments lie where they were copied to; the results lie
// one after the other, with a room after each.
template <int kWays, int kKeys>
__device__ __forceinline__ void merge_pairs(Key* s_keys, const Tile<kWays, kKeys>& s_tile,
                                            int pairs, Key (&own)[kKeys]) {
    constexpr int kRoom = Tile<kWays, kKeys>::kRoom;
    const bool first = pairs == kWays / 2;
    const int window = threadIdx.x * kKeys, span = kWays / pairs;
    int pair = 0;
    while (pair + 1 < pairs &&
           window >= s_tile.starts[(pair + 1) * span] + s_tile.gaps[pairs + pair + 1]) {
        ++pair;
    }
    const int begin = s_tile.starts[pair * span], end = s_tile.starts[(pair + 1) * span];
    const int middle = s_tile.starts[pair * span + span / 2];
    const int diagonal = window - begin - s_tile.gaps[pairs + pair];
    if (diagonal < end - begin) {
        const int left = first ? s_tile.places[2 * pair] : begin + kRoom * 2 * pair;
        const int right = first ? s_tile.places[2 * pair + 1] : middle + kRoom * (2 * pair + 1);
        const int path = split_path<kThreads * kKeys>(s_keys + left, middle - begin, s_keys + right,
                                                      end - middle, diagonal);
        merge_keys<true>(s_keys, left + path, left + middle - begin, right + diagonal - path, 0,
                         own);
    }
    __syncthreads();  // all threads have read
    const int room = pairs > 1 ? kRoom : 0;
    store_keys(s_keys + begin + room * pair + diagonal, own, end - begin - diagonal);
    if (pairs > 1) {
        fill_rooms(s_keys, s_tile, pairs,
                   [&](int i) { return s_tile.starts[i * span] + kRoom * i; });
    } else {
        cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);  // a bulk copy stores the tile
    }
    __syncthreads();
}

// Waits for the fragments and merges them.
template <int kWays, int kKeys>
__device__ __forceinline__ void merge_fragments(Key* s_keys, const Tile<kWays, kKeys>& s_tile,
                                                std::uint64_t& s_arrived, Key (&own)[kKeys]) {
    __syncthreads();
    wait_for_bulks(s_arrived);
    fill_rooms(s_keys, s_tile, kWays, [&](int i) { return s_tile.places[i]; });
    __syncthreads();
#pragma unroll 1
    for (int pairs = kWays / 2; pairs > 0; pairs /= 2) merge_pairs(s_keys, s_tile, pairs, own);
}

// One block per tile of the result, as in limit/06_bulk_tiles. samples: of the result, or nullptr.
template <int kWays, int kKeys>
__global__ void __launch_bounds__(kThreads, kBlocks)
    merge_tiles_kernel(const Key* __restrict__ from, Key* __restrict__ to,
                       Key* __restrict__ samples, Pass pass,
                       const std::int64_t* __restrict__ boundaries) {
    extern __shared__ __align__(16) Key s_keys[];
    __shared__ Tile<kWays, kKeys> s_tile;
    __shared__ std::uint64_t s_arrived;
    const int thread = threadIdx.x;
    if (thread < 32) {
        Fragment fragment = {};
        if (thread < kWays) fragment = find_fragment<kWays>(pass, boundaries, blockIdx.x);
        if (thread == 0) place_samples(pass, blockIdx.x, fragment.tile_begin, s_tile);
        fetch_fragments(from, fragment, s_keys, s_tile, s_arrived);
    }
    Key own[kKeys];
    merge_fragments<kWays>(s_keys, s_tile, s_arrived, own);
    const int count = s_tile.starts[kWays];
    if (samples != nullptr && (thread + 1) * kKeys <= count) {
        samples[s_tile.samples + thread] = own[kKeys - 1];
    }
    store_bulk(to + s_tile.result, s_keys, count);
}

}  // namespace mergesort::sized
