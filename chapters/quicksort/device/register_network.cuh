// SPDX-License-Identifier: MIT
// The network of stage 18, for the stages that build on it: a block sorts 16 keys per thread in
// registers. Unchanged from stage 18_register_network.
#pragma once

#include <cuda_runtime.h>

#include "device/multiway.cuh"
#include "device/network_steps.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

// A step of a merge, within a warp: compares each key with one of the lane whose number differs in
// the bits of `mask`. It is in the same register, or, if mirrored, in the same one from the end.
template <bool kMirrored, int kKeys>
__device__ __forceinline__ void compare_lanes(Key (&keys)[kKeys], int mask, bool upper) {
#pragma unroll
    for (int j = 0; j < (kKeys + 1) / 2; ++j) {
        const int k = kKeys - 1 - j;  // in the middle of an odd number, j itself
        const Key first = __shfl_xor_sync(0xffffffff, keys[kMirrored ? k : j], mask);
        const Key second = j < k ? __shfl_xor_sync(0xffffffff, keys[kMirrored ? j : k], mask) : 0;
        keys[j] = keep(keys[j], first, upper);
        if (j < k) keys[k] = keep(keys[k], second, upper);
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
