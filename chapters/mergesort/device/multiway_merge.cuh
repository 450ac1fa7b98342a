// SPDX-License-Identifier: MIT
// A pass that merges several runs, for the stages that build on 14 and for measurements. Unchanged
// from stage 14_eight_ways.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/multiway_rounds.cuh"
#include "device/multiway_tile.cuh"

namespace mergesort {

// Loads the fragments of a tile, merges them, and stores the result.
template <int kWays>
__device__ __forceinline__ void merge_fragments(PaddedKeys keys, const Tile<kWays>& s_tile) {
    const int thread = threadIdx.x;
    // The first rows of all fragments are on their way before the first key is stored.
    constexpr int kRows = kKeysPerThread / kWays;
    Key own[kKeysPerThread];
#pragma unroll
    for (int k = 0; k < kKeysPerThread; ++k) {
        const int f = k / kRows, i = k % kRows * kThreads + thread;
        own[k] = i < s_tile.starts[f + 1] - s_tile.starts[f] ? s_tile.sources[f][i] : kLargestKey;
    }
#pragma unroll
    for (int f = 0; f < kWays; ++f) {
        const int length = s_tile.starts[f + 1] - s_tile.starts[f];
        const int place = s_tile.starts[f] + s_tile.gaps[kWays / 2 + f / 2];
#pragma unroll
        for (int row = 0; row < kRows; ++row) {
            const int i = row * kThreads + thread;
            if (i < length) keys[place + i] = own[f * kRows + row];
        }
#pragma unroll 4
        for (int i = kRows * kThreads + thread; i < length; i += kThreads) {
            keys[place + i] = s_tile.sources[f][i];
        }
    }
    fill_gaps(keys, s_tile, kWays / 2);
    __syncthreads();
#pragma unroll 1
    for (int pairs = kWays / 2; pairs > 0; pairs /= 2) merge_pairs(keys, s_tile, pairs, own);
    for (int i = thread; i < s_tile.starts[kWays]; i += kThreads) s_tile.result[i] = keys[i];
}

// One block per tile of the result.
template <int kWays>
__global__ void __launch_bounds__(kThreads, kWays < 16 ? 3 : 2)
    merge_tiles_kernel(const Key* __restrict__ from, Key* __restrict__ to, Pass pass,
                       const std::int64_t* __restrict__ boundaries) {
    extern __shared__ Key s_keys[];
    __shared__ Tile<kWays> s_tile;
    if (threadIdx.x < kWays) describe_tile(from, to, pass, boundaries, blockIdx.x, s_tile);
    __syncthreads();
    merge_fragments(PaddedKeys{s_keys}, s_tile);
}

}  // namespace mergesort
