// SPDX-License-Identifier: MIT
// The rounds in which a tile's fragments are merged in shared memory, for the stages that build on
// 14. Unchanged from stage 14_eight_ways.
#pragma once

#include <cuda_runtime.h>

#include "device/multiway_tile.cuh"
#include "device/tile_merge.cuh"
#include "problem/mergesort.hpp"

namespace mergesort {

// Fills the gaps of a round, and the place after the last pair: a merge reads one key too many.
template <int kWays>
__device__ __forceinline__ void fill_gaps(PaddedKeys keys, const Tile<kWays>& s_tile, int pairs) {
    const int pair = threadIdx.x / kKeysPerThread;
    if (pair >= pairs) return;
    const int end = s_tile.starts[(pair + 1) * (kWays / pairs)] + s_tile.gaps[pairs + pair];
    const int place = end + static_cast<int>(threadIdx.x % kKeysPerThread);
    if (place < rounded_up(end) + (pair == pairs - 1)) keys[place] = kLargestKey;
}

// A round: merges all pairs of fragments, and puts the results into the places of the next round.
template <int kWays>
__device__ __forceinline__ void merge_pairs(PaddedKeys keys, const Tile<kWays>& s_tile, int pairs,
                                            Key (&own)[kKeysPerThread]) {
    const int window = threadIdx.x * kKeysPerThread, span = kWays / pairs;
    int pair = 0;
    while (pair + 1 < pairs &&
           window >= s_tile.starts[(pair + 1) * span] + s_tile.gaps[pairs + pair + 1]) {
        ++pair;
    }
    const int gap = s_tile.gaps[pairs + pair];
    const int begin = s_tile.starts[pair * span] + gap;
    const int middle = s_tile.starts[pair * span + span / 2] + gap;
    const int end = s_tile.starts[(pair + 1) * span] + gap;
    if (window < end) {
        const int path = merge_path(keys, begin, middle, end, window - begin);
        merge_keys(keys, begin + path, middle, middle + window - begin - path, end, own);
    }
    __syncthreads();  // all threads have read
    const int to = window - gap + s_tile.gaps[(pairs + pair) / 2];
#pragma unroll
    for (int k = 0; k < kKeysPerThread; ++k) {
        if (window + k < end) keys[to + k] = own[k];
    }
    if (pairs > 1) fill_gaps(keys, s_tile, pairs / 2);
    __syncthreads();
}

}  // namespace mergesort
