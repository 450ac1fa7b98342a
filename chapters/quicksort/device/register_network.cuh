// SPDX-License-Identifier: MIT
// The network of stage 18, for the stages that build on it: a block sorts 16 keys per thread in
// registers. Unchanged from stage 18_register_network.
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

// Batcher's odd-even merge sort: 63 comparisons for 16 keys.
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

// A step of a merge, within a warp: compares each key with one of the thread whose number differs
// in the bits of `mask`. It is in the same register, or, if mirrored, in the same one from the end.
// `upper` threads keep the larger keys.
template <bool kMirrored, int kKeys>
__device__ __forceinline__ void compare_lanes(Key (&keys)[kKeys], int mask, bool upper) {
#pragma unroll
    for (int j = 0; j < kKeys / 2; ++j) {
        const int k = kKeys - 1 - j;
        const Key first = __shfl_xor_sync(0xffffffff, keys[kMirrored ? k : j], mask);
        const Key second = __shfl_xor_sync(0xffffffff, keys[kMirrored ? j : k], mask);
        keys[j] = upper ? max(keys[j], first) : min(keys[j], first);
        keys[k] = upper ? max(keys[k], second) : min(keys[k], second);
    }
}

// Between warps, in shared memory. All kBlock threads of the block call; the first `used` compare.
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
            const Key other = s_keys[row * kBlock + (thread ^ mask)];
            keys[j] = upper ? max(keys[j], other) : min(keys[j], other);
        }
    }
    __syncthreads();  // the next step overwrites s_keys
}

// Sorts the keys of the first `used` threads: 32, 64, 128 … Thread t then has those from 16 t on.
template <int kBlock, int kKeys>
__device__ __forceinline__ void sort_block(Key (&keys)[kKeys], Key* s_keys, int used) {
    const int thread = threadIdx.x;
    const bool sorts = thread < used;
    if (sorts) sort_registers(keys);
#pragma unroll 1
    for (int half = 1; half < used; half *= 2) {  // merges the keys of `half` threads with the next
        if (half >= 32) {
            compare_warps<kBlock, true>(keys, s_keys, used, 2 * half - 1, thread & half);
        } else if (sorts) {
            compare_lanes<true>(keys, 2 * half - 1, thread & half);
        }
#pragma unroll 1
        for (int stride = half / 2; stride > 0; stride /= 2) {
            if (stride >= 32) {
                compare_warps<kBlock, false>(keys, s_keys, used, stride, thread & stride);
            } else if (sorts) {
                compare_lanes<false>(keys, stride, thread & stride);
            }
        }
        if (sorts) merge_registers(keys);
    }
}

// One word in 17 stays empty, so the first keys of 32 threads lie in 32 banks.
__device__ inline int padded(int place) { return place + place / kKeysPerThread; }

}  // namespace quicksort
