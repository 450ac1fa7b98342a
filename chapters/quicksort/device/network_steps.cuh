// SPDX-License-Identifier: MIT
// Steps of a sorting network that stage limit/03 runs in registers: those within a thread, and
// those between warps.
#pragma once

#include <cuda_runtime.h>

#include "device/multiway.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

__device__ __forceinline__ void order(Key& first, Key& second) {
    const Key smaller = min(first, second);
    second = max(first, second);
    first = smaller;
}

// Batcher's odd-even merge sort, within a thread: 63 comparisons for 16 keys.
template <int kKeys>
__device__ __forceinline__ void sort_registers(Key (&keys)[kKeys]) {
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

// The last steps of a bitonic merge: those within a thread.
template <int kKeys>
__device__ __forceinline__ void merge_registers(Key (&keys)[kKeys]) {
#pragma unroll
    for (int stride = kKeys / 2; stride > 0; stride /= 2) {
#pragma unroll
        for (int i = 0; i < kKeys; ++i) {
            if ((i & stride) == 0) order(keys[i], keys[i + stride]);
        }
    }
}

// The larger of both keys for `upper` threads, the smaller for the others.
__device__ __forceinline__ Key keep(Key key, Key other, bool upper) {
    return (other < key) != upper ? other : key;  // min and max would be one instruction more
}

// A step between warps, in shared memory: compares each key with one of the thread whose number
// differs in the bits of `mask`. It is in the same register, or, if mirrored, in the same one from
// the end. All kBlock threads of the block call; the first `used` compare.
template <int kBlock, bool kMirrored, int kKeys>
__device__ __forceinline__ void compare_warps(Key (&keys)[kKeys], Key* s_keys, int used, int mask,
                                              bool upper) {
    const int thread = threadIdx.x;
#pragma unroll
    for (int j = 0; j < kKeys; ++j) s_keys[j * kBlock + thread] = keys[j];
    __syncthreads();
    if (thread < used) {
#pragma unroll
        for (int j = 0; j < kKeys; ++j) {
            const int row = kMirrored ? kKeys - 1 - j : j;
            keys[j] = keep(keys[j], s_keys[row * kBlock + (thread ^ mask)], upper);
        }
    }
    __syncthreads();  // the next step overwrites s_keys
}

// The place of one key in 17 stays empty (of one pair in 9), so the first keys of 32 threads lie in
// 32 banks.
__host__ __device__ constexpr int padded(int place) { return place + place / kKeysPerThread; }

}  // namespace quicksort
