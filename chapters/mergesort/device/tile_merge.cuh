// SPDX-License-Identifier: MIT
// What stage 12 does with a tile in shared memory, for the stages that build on it: the padded
// tile, the search for a crossing, the merge of 16 keys per thread, and the sort of a tile.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <limits>

#include "problem/mergesort.hpp"

namespace mergesort {

inline constexpr int kKeysPerThread = 16;
inline constexpr Key kLargestKey = std::numeric_limits<Key>::max();

// In shared memory one word in 17 stays empty, so the first keys of 32 threads lie in 32 banks.
__host__ __device__ constexpr unsigned padded(unsigned place) {
    return place + place / kKeysPerThread;
}

// A tile of so many keys in shared memory, and the place after it: a merge reads one key too many,
// and never uses it.
__host__ __device__ constexpr unsigned shared_keys(int tile_keys) {
    return padded(static_cast<unsigned>(tile_keys)) + 1;
}

struct PaddedKeys {
    Key* s_keys;
    __device__ Key& operator[](int place) const {
        return s_keys[padded(static_cast<unsigned>(place))];
    }
};

// How many of the first `diagonal` keys of a merge come from its left run, keys[begin, middle). The
// right run is keys[middle, end). Of equal keys those of the left run come first.
template <typename Keys, typename Place>
__device__ __forceinline__ Place merge_path(Keys keys, Place begin, Place middle, Place end,
                                            Place diagonal) {
    Place low = max(diagonal - (end - middle), Place{0});
    Place high = min(diagonal, middle - begin);
    while (low < high) {
        const Place i = low + ((high - low) >> 1);
        if (keys[middle + diagonal - 1 - i] < keys[begin + i]) {
            high = i;
        } else {
            low = i + 1;
        }
    }
    return low;
}

// Merges until `merged` is full. Each step loads one key: the one that follows the key it took. So
// the place after the last key is read, too.
__device__ __forceinline__ void merge_keys(PaddedKeys keys, int left, int left_end, int right,
                                           int right_end, Key (&merged)[kKeysPerThread]) {
    Key left_key = keys[left], right_key = keys[right];
#pragma unroll
    for (int k = 0; k < kKeysPerThread; ++k) {
        const bool takes_right = right < right_end && (left >= left_end || right_key < left_key);
        merged[k] = takes_right ? right_key : left_key;
        const Key next = keys[takes_right ? ++right : ++left];
        if (takes_right) {
            right_key = next;
        } else {
            left_key = next;
        }
    }
}

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
