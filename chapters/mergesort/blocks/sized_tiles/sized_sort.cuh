// SPDX-License-Identifier: MIT
// A block sorts a tile of kKeys keys per thread, an odd number.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/tile_copies/tile_copies.cuh"
#include "limit/01_tile_merge/padded_merge.cuh"
#include "limit/02_block_sort/block_sort.cuh"
#include "limit/05_odd_windows/odd_tile.cuh"
#include "problem/mergesort.hpp"

namespace mergesort::sized {

inline constexpr int kThreads = 256;

__host__ __device__ constexpr std::int64_t tile_keys(int keys_per_thread) {
    return kThreads * keys_per_thread;
}

// A word after each warp's keys.
constexpr int sort_bytes(int keys_per_thread) {
    return (kThreads * keys_per_thread + kThreads / 32) * static_cast<int>(sizeof(Key));
}

// Merges until `merged` is full. kGap: at least one largest key follows the right run. No key is
// greater, so it needs no test for its end. Places count bytes.
template <bool kGap, int kKeys>
__device__ __forceinline__ void merge_keys(const Key* s_keys, int left, int left_end, int right,
                                           int right_end, Key (&merged)[kKeys]) {
    constexpr int kStep = sizeof(Key);
    const char* s_bytes = reinterpret_cast<const char*>(s_keys);
    Key left_key = s_keys[left], right_key = s_keys[right];
    left *= kStep, left_end *= kStep, right *= kStep, right_end *= kStep;
#pragma unroll
    for (int k = 0; k < kKeys; ++k) {
        const bool takes_right =
            (kGap || right < right_end) && (left >= left_end || right_key < left_key);
        merged[k] = takes_right ? right_key : left_key;
        if (k + 1 == kKeys) break;
        const int taken = takes_right ? right : left;
        const Key next = *reinterpret_cast<const Key*>(s_bytes + kStep + taken);
        if (takes_right) {
            right_key = next;
            right += kStep;
        } else {
            left_key = next;
            left += kStep;
        }
    }
}

// Brings a tile into shared memory, and each thread's keys from there; after the last of the
// `count` keys come copies of the largest key. Without a barrier after the last read.
template <int kKeys>
__device__ __forceinline__ void load_tile(const Key* from, int count, Key* s_keys,
                                          Key (&own)[kKeys]) {
    const int thread = threadIdx.x;
#pragma unroll
    for (int k = 0; k < kKeys; ++k) {
        const int i = k * kThreads + thread;
        own[k] = i < count ? from[i] : kLargestKey;
    }
#pragma unroll
    for (int k = 0; k < kKeys; ++k) s_keys[k * kThreads + thread] = own[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kKeys; ++k) own[k] = s_keys[thread * kKeys + k];
}

// Sorts the tile into shared memory, from each thread's keys. Until a warp's keys are one run, a
// warp waits for no other.
template <int kKeys>
__device__ __forceinline__ void sort_tile(Key* s_keys, Key (&own)[kKeys]) {
    const int thread = threadIdx.x, window = thread * kKeys;
    sort_registers(own);
    // A merge reads one key too many: after a warp's keys, a word that no other warp writes.
    Key* s_part = s_keys + thread / 32;
    if (thread % 32 == 0) s_part[(thread / 32 + 1) * 32 * kKeys] = kLargestKey;
#pragma unroll 1
    for (int threads = 1; threads < kThreads; threads *= 2) {  // of a run
        if (threads == 32) s_part = s_keys;
        store_keys(s_part + window, own);
        sync_threads(2 * threads);
        const int run = threads * kKeys, begin = (thread & ~(2 * threads - 1)) * kKeys;
        const int middle = begin + run, end = middle + run;
        const int path = merge_path(s_part, begin, middle, end, window - begin);
        merge_keys<false>(s_part, begin + path, middle, middle + window - begin - path, end, own);
        sync_threads(4 * threads);  // all threads have read
    }
    store_keys(s_keys + window, own);
    __syncthreads();
}

// One block per tile, in place.
template <int kKeys>
__global__ void __launch_bounds__(kThreads, 5)
    sort_tiles_kernel(Key* __restrict__ list, std::int64_t count) {
    extern __shared__ Key s_keys[];
    const std::int64_t first = blockIdx.x * tile_keys(kKeys);
    const int tile_count = static_cast<int>(min(count - first, tile_keys(kKeys)));
    Key own[kKeys];
    load_tile(list + first, tile_count, s_keys, own);
    __syncthreads();  // all threads have read
    sort_tile(s_keys, own);
    store_tile<kThreads, kKeys>(list + first, s_keys, tile_count);
}

}  // namespace mergesort::sized
