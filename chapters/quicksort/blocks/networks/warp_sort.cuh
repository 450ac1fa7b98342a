// SPDX-License-Identifier: MIT
// A warp sorts up to 512 keys of shared memory alone, by a network in its registers: no other warp
// waits for it.
#pragma once

#include <cuda_runtime.h>

#include "blocks/networks/wide_access.cuh"
#include "limit/01_multiway_partition/multiway.cuh"
#include "limit/03_register_network/register_network.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

// A number that all lanes know already. The compiler sees that they agree, and need not expect that
// the lanes go different ways.
__device__ __forceinline__ int same_in_warp(int number) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    return __reduce_max_sync(0xffffffff, number);
#else
    return number;
#endif
}

// The steps of a bitonic merge within a thread, for keys [kBegin, kBegin + kCount).
template <int kBegin, int kCount, int kKeys>
__device__ __forceinline__ void merge_in_thread(Key (&keys)[kKeys]) {
    if constexpr (kCount == 3) {
        order(keys[kBegin], keys[kBegin + 2]);
        order(keys[kBegin], keys[kBegin + 1]);
        order(keys[kBegin + 1], keys[kBegin + 2]);
    } else if constexpr (kCount == 5) {
        constexpr int kPairs[9][2] = {{0, 3}, {1, 4}, {0, 2}, {1, 3}, {0, 1},
                                      {2, 4}, {1, 2}, {3, 4}, {2, 3}};
#pragma unroll
        for (int i = 0; i < 9; ++i) order(keys[kBegin + kPairs[i][0]], keys[kBegin + kPairs[i][1]]);
    } else if constexpr (kCount > 1) {
        constexpr int kHalf = kCount / 2;
#pragma unroll
        for (int i = 0; i < kHalf; ++i) order(keys[kBegin + i], keys[kBegin + kHalf + i]);
        merge_in_thread<kBegin, kHalf>(keys);
        merge_in_thread<kBegin + kHalf, kHalf>(keys);
    }
}

// Merges the sorted keys of `half` lanes with those of as many others.
template <typename AnyExchange, int kKeys>
__device__ __forceinline__ void merge_lanes(Key (&keys)[kKeys], int half) {
    const int lane = threadIdx.x % 32;
    compare_lanes<true, AnyExchange>(keys, 2 * half - 1, lane & half);
#pragma unroll 1
    for (int stride = half / 2; stride > 0; stride /= 2) {
        compare_lanes<false, AnyExchange>(keys, stride, lane & stride);
    }
    merge_in_thread<0, kKeys>(keys);
}

// Sorts the 32 kKeys keys of a warp; kKeys is 5, 2^k or 3 2^k. Lane l then has those from place
// kKeys l on.
template <typename AnyExchange, int kKeys>
__device__ __forceinline__ void sort_warp(Key (&keys)[kKeys]) {
    sort_registers(keys);
#pragma unroll 1
    for (int half = 1; half < 32; half *= 2) merge_lanes<AnyExchange>(keys, half);
}

// A warp sorts up to 32 kKeys keys of shared memory. Their room begins at 16 bytes and is a whole
// number of 16 bytes.
template <int kKeys, typename AnyExchange>
__device__ __forceinline__ void sort_by_warp(Key* s_keys, int count, Key* sorted) {
    const int lane = threadIdx.x % 32;
    Key keys[kKeys];
#pragma unroll
    for (int j = 0; j < kKeys; ++j) {
        keys[j] = j * 32 < count - lane ? s_keys[j * 32 + lane] : kLargestKey;
    }
    sort_warp<AnyExchange>(keys);
    __syncwarp();  // all lanes have read s_keys
    Key* s_own = s_keys + lane * kKeys;
    const int own = count - lane * kKeys;
#pragma unroll
    for (int j = 0; j < kKeys; ++j) {
        if constexpr (kKeys % kWide == 0) {
            if (j % kWide == 0 && j < own) store_wide(s_own + j, keys + j);
        } else if constexpr (kKeys % 2 == 0) {
            if (j % 2 > 0 || j >= own) continue;
            *reinterpret_cast<int2*>(s_own + j) = make_int2(keys[j], keys[j + 1]);
        } else {
            if (j < own) s_own[j] = keys[j];
        }
    }
    __syncwarp();  // the keys are in order
    // Read again: otherwise, the compiler would keep the first loop's conditions all the time.
    const int left = __shfl_sync(0xffffffff, count, 0) - lane;
#pragma unroll
    for (int j = 0; j < kKeys; ++j) {
        if (j * 32 < left) sorted[j * 32 + lane] = s_keys[j * 32 + lane];
    }
}

}  // namespace quicksort
