// SPDX-License-Identifier: MIT
// A block sorts a tile: each thread its keys in registers, then all together in shared memory.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <limits>

#include "limit/01_tile_merge/padded_merge.cuh"
#include "problem/mergesort.hpp"

namespace mergesort {

inline constexpr Key kLargestKey = std::numeric_limits<Key>::max();

// Sorts by exchanges of neighbours, in turn those at even and at odd places: as many phases as
// there are keys. Equal keys are never exchanged, so they keep their order.
template <int kKeys>
__device__ __forceinline__ void sort_registers(Key (&keys)[kKeys]) {
#pragma unroll
    for (int phase = 0; phase < kKeys; ++phase) {
#pragma unroll
        for (int i = phase % 2; i + 1 < kKeys; i += 2) {
            if (keys[i + 1] < keys[i]) {
                const Key key = keys[i];
                keys[i] = keys[i + 1];
                keys[i + 1] = key;
            }
        }
    }
}

// One block per tile, in place, with shared_keys(tile) keys of shared memory. The last tile is
// filled with the largest key. Such a key comes after all real ones, so it stays behind them, even
// behind those that equal it.
template <int kThreads>
__global__ void __launch_bounds__(kThreads) sort_tiles_kernel(Key* list, std::int64_t count) {
    extern __shared__ Key s_keys[];
    constexpr int kTileKeys = kThreads * kKeysPerThread;
    const PaddedKeys keys = {s_keys};
    const int thread = threadIdx.x, window = thread * kKeysPerThread;
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kTileKeys;
    const int tile_count = static_cast<int>(min(count - first, std::int64_t{kTileKeys}));
#pragma unroll
    for (int i = thread; i <= kTileKeys; i += kThreads) {
        keys[i] = i < tile_count ? list[first + i] : kLargestKey;
    }
    __syncthreads();
    Key own[kKeysPerThread];
#pragma unroll
    for (int k = 0; k < kKeysPerThread; ++k) own[k] = keys[window + k];
    sort_registers(own);
#pragma unroll 1
    for (int run = kKeysPerThread; run < kTileKeys; run *= 2) {
#pragma unroll
        for (int k = 0; k < kKeysPerThread; ++k) keys[window + k] = own[k];
        __syncthreads();
        const int begin = window & ~(2 * run - 1), middle = begin + run, end = middle + run;
        const int path = merge_path(keys, begin, middle, end, window - begin);
        merge_keys(keys, begin + path, middle, middle + window - begin - path, end, own);
        __syncthreads();  // all threads have read
    }
#pragma unroll
    for (int k = 0; k < kKeysPerThread; ++k) keys[window + k] = own[k];
    __syncthreads();
    for (int i = thread; i < tile_count; i += kThreads) list[first + i] = keys[i];
}

}  // namespace mergesort
