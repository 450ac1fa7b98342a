// SPDX-License-Identifier: MIT
// The same pass with asynchronous copies, for measurements of stage 15 without its sort. Unchanged
// from stage 15_async_copies.
#pragma once

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "device/multiway_rounds.cuh"
#include "device/multiway_tile.cuh"

namespace mergesort::async {

// Asks for a tile's keys: they come to their places of the first round.
template <int kWays>
__device__ __forceinline__ void fetch_tile(PaddedKeys keys, const Tile<kWays>& s_tile) {
#pragma unroll 1
    for (int f = 0; f < kWays; ++f) {
        const int length = s_tile.starts[f + 1] - s_tile.starts[f];
        const int place = s_tile.starts[f] + s_tile.gaps[kWays / 2 + f / 2];
        const Key* source = s_tile.sources[f];
#pragma unroll 4
        for (int i = threadIdx.x; i < length; i += kThreads) {
            __pipeline_memcpy_async(&keys[place + i], &source[i], sizeof(Key));
        }
    }
}

// Block b merges the tiles b, b + gridDim.x, … of the result.
template <int kWays>
__global__ void __launch_bounds__(kThreads, kWays == 4 || kWays == 8 ? 3 : 2)
    merge_tiles_kernel(const Key* __restrict__ from, Key* __restrict__ to, Pass pass,
                       const std::int64_t* __restrict__ boundaries) {
    extern __shared__ Key s_keys[];
    __shared__ Tile<kWays> s_tiles[3];  // this tile, the next, and the one after it
    const int thread = threadIdx.x;
    const int tiles = static_cast<int>(pass.tiles), next = gridDim.x;
    const auto describe = [&](int tile, int place) {
        if (thread < kWays && tile < tiles) {
            describe_tile(from, to, pass, boundaries, tile, s_tiles[place % 3]);
        }
    };
    describe(blockIdx.x, 0);
    describe(blockIdx.x + next, 1);
    __syncthreads();
    fetch_tile(PaddedKeys{s_keys}, s_tiles[0]);
    __pipeline_commit();
    int turn = 0;
    for (int tile = blockIdx.x; tile < tiles; tile += next, ++turn) {
        const PaddedKeys keys = {s_keys + turn % 2 * kSharedKeys};
        const PaddedKeys other = {s_keys + (turn + 1) % 2 * kSharedKeys};
        const Tile<kWays>& s_tile = s_tiles[turn % 3];
        if (tile + next < tiles) fetch_tile(other, s_tiles[(turn + 1) % 3]);
        __pipeline_commit();  // in any case, so that each tile is one group
        describe(tile + 2 * next, turn + 2);
        fill_gaps(keys, s_tile, kWays / 2);
        __pipeline_wait_prior(1);  // this thread's keys of this tile have come
        __syncthreads();  // and so have those of all threads
        Key own[kKeysPerThread];
#pragma unroll 1
        for (int pairs = kWays / 2; pairs > 0; pairs /= 2) merge_pairs(keys, s_tile, pairs, own);
        for (int i = thread; i < s_tile.starts[kWays]; i += kThreads) s_tile.result[i] = keys[i];
        __syncthreads();  // the next request overwrites this tile
    }
}

}  // namespace mergesort::async
