// SPDX-License-Identifier: MIT
// A warp sorts 32 kKeys keys in registers: Batcher's network in each thread, then bitonic merges by
// shuffles, as in stage 18 of quicksort. From stage 17 on. Not stable.
#pragma once

#include <cuda_runtime.h>

#include "device/conflict_free.cuh"
#include "problem/mergesort.hpp"

namespace mergesort {

// Batcher's odd-even merge sort: 63 comparisons for 16 keys.
template <int kKeys>
__device__ __forceinline__ void sort_by_network(Key (&keys)[kKeys]) {
#pragma unroll
    for (int p = 1; p < kKeys; p *= 2) {
#pragma unroll
        for (int q = p; q > 0; q /= 2) {
#pragma unroll
            for (int i = 0; i < kKeys; ++i) {
                const bool first = i + q < kKeys && i >= q % p && (i - q % p) % (2 * q) < q;
                if (first && i / (2 * p) == (i + q) / (2 * p)) order(keys[i], keys[i + q]);
            }
        }
    }
}

// Compares each key with one of the lane whose number differs in the bits of `mask`: in the same
// register or, if mirrored, in the same one from the end. `upper` lanes keep the larger key.
template <bool kMirrored, int kKeys>
__device__ __forceinline__ void compare_lanes(Key (&keys)[kKeys], int mask, bool upper) {
#pragma unroll
    for (int j = 0; j < kKeys / 2; ++j) {
        const int k = kKeys - 1 - j;
        const Key first = __shfl_xor_sync(0xffffffff, keys[kMirrored ? k : j], mask);
        const Key second = __shfl_xor_sync(0xffffffff, keys[kMirrored ? j : k], mask);
        keys[j] = (first < keys[j]) != upper ? first : keys[j];
        keys[k] = (second < keys[k]) != upper ? second : keys[k];
    }
}

// Lane l then has the keys from kKeys l on.
template <int kKeys>
__device__ __forceinline__ void sort_warp(Key (&keys)[kKeys]) {
    const int lane = threadIdx.x % 32;
    sort_by_network(keys);
#pragma unroll 1
    for (int half = 1; half < 32; half *= 2) {  // merges the keys of `half` lanes with the next
        compare_lanes<true>(keys, 2 * half - 1, lane & half);
#pragma unroll 1
        for (int stride = half / 2; stride > 0; stride /= 2) {
            compare_lanes<false>(keys, stride, lane & stride);
        }
        merge_registers(keys);
    }
}

}  // namespace mergesort
