// SPDX-License-Identifier: MIT
// A pass that merges several runs by gathering, with asynchronous copies, for the stages that build
// on 16. Unchanged from stage 16_conflict_free.
#pragma once

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "device/conflict_free.cuh"
#include "device/gathered_tile.cuh"

namespace mergesort::gathered {

// One of two tiles in shared memory.
inline constexpr int kSharedKeys = row_place<kKeysPerThread>(kThreads * kKeysPerThread);

__device__ __forceinline__ int place_of(int i) { return mergesort::row_place<kKeysPerThread>(i); }

// Asks for a tile's keys: they come to their places of the first round.
template <int kWays>
__device__ __forceinline__ void fetch_tile(Key* s_keys, const GatheredTile<kWays>& s_tile) {
#pragma unroll
    for (int f = 0; f < kWays; ++f) {
        const int length = s_tile.lengths[f];
        const int first = f % 2 == 0 ? s_tile.starts[f] : s_tile.starts[f + 1] - 1;
        const int step = f % 2 == 0 ? 1 : -1;
        const Key* source = s_tile.sources[f];
#pragma unroll 1
        for (int i = threadIdx.x; i < length; i += kThreads) {
            __pipeline_memcpy_async(&s_keys[place_of(first + i * step)], &source[i], sizeof(Key));
        }
        const int copy = length + static_cast<int>(threadIdx.x);
        if (copy < rounded_up(length)) s_keys[place_of(first + copy * step)] = kLargestKey;
    }
}

// A round: merges all pairs of fragments.
template <int kWays>
__device__ __forceinline__ void merge_pairs(Key* s_keys, int* s_paths,
                                            const GatheredTile<kWays>& s_tile, int pairs,
                                            Key (&own)[kKeysPerThread]) {
    const int window = threadIdx.x * kKeysPerThread, span = kWays / pairs;
    int pair = 0;
    while (pair + 1 < pairs && window >= s_tile.starts[(pair + 1) * span]) ++pair;
    const int end = s_tile.starts[(pair + 1) * span];
    const int begin = window < end ? s_tile.starts[pair * span] : end;  // threads without keys
    const int middle = s_tile.starts[pair * span + span / 2];
    mergesort::merge_window(s_keys, s_paths, begin, middle, end, pair % 2 == 1, own);
}

// Block b merges the tiles b, b + gridDim.x, … of the result.
template <int kWays>
__global__ void __launch_bounds__(kThreads, 2)
    merge_tiles_kernel(const Key* __restrict__ from, Key* __restrict__ to, Pass pass,
                       const std::int64_t* __restrict__ boundaries) {
    extern __shared__ Key s_keys[];
    __shared__ GatheredTile<kWays> s_tiles[3];  // this tile, the next, and the one after it
    __shared__ int s_paths[kThreads];
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
    fetch_tile(s_keys, s_tiles[0]);
    __pipeline_commit();
    int turn = 0;
    for (int tile = blockIdx.x; tile < tiles; tile += next, ++turn) {
        Key* const keys = s_keys + turn % 2 * kSharedKeys;
        Key* const other = s_keys + (turn + 1) % 2 * kSharedKeys;
        const GatheredTile<kWays>& s_tile = s_tiles[turn % 3];
        if (tile + next < tiles) fetch_tile(other, s_tiles[(turn + 1) % 3]);
        __pipeline_commit();  // in any case, so that each tile is one group
        describe(tile + 2 * next, turn + 2);
        __pipeline_wait_prior(1);  // this thread's keys of this tile have come
        __syncthreads();  // and so have those of all threads
        Key own[kKeysPerThread];
#pragma unroll 1
        for (int pairs = kWays / 2; pairs > 0; pairs /= 2) {
            merge_pairs(keys, s_paths, s_tile, pairs, own);
        }
        for (int i = thread; i < s_tile.count; i += kThreads) s_tile.result[i] = keys[place_of(i)];
        __syncthreads();  // the next request overwrites this tile
    }
}

}  // namespace mergesort::gathered
