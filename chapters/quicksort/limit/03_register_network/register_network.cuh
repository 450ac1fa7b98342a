// SPDX-License-Identifier: MIT
// A sorting network whose keys stay in registers: steps within a thread, between the lanes of a
// warp, and, through shared memory, between warps.
#pragma once

#include <cuda_runtime.h>

#include "limit/01_multiway_partition/multiway.cuh"
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

// How lanes exchange keys. Another stage may have another way.
struct Exchange {
    static __device__ __forceinline__ Key keep(Key key, Key other, bool upper) {
        return quicksort::keep(key, other, upper);
    }
};

// A step of a merge, within a warp: compares each key with one of the lane whose number differs in
// the bits of `mask`. It is in the same register, or, if mirrored, in the same one from the end.
template <bool kMirrored, typename AnyExchange = Exchange, int kKeys>
__device__ __forceinline__ void compare_lanes(Key (&keys)[kKeys], int mask, bool upper) {
#pragma unroll
    for (int j = 0; j < (kKeys + 1) / 2; ++j) {
        const int k = kKeys - 1 - j;  // in the middle of an odd number, j itself
        const Key first = __shfl_xor_sync(0xffffffff, keys[kMirrored ? k : j], mask);
        const Key second = j < k ? __shfl_xor_sync(0xffffffff, keys[kMirrored ? j : k], mask) : 0;
        keys[j] = AnyExchange::keep(keys[j], first, upper);
        if (j < k) keys[k] = AnyExchange::keep(keys[k], second, upper);
    }
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

}  // namespace quicksort
