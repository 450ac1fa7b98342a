// SPDX-License-Identifier: MIT
// The sort of one block, for the stages whose leaves it sorts.
#pragma once

#include <cuda_runtime.h>

#include "problem/quicksort.hpp"

namespace quicksort {

// Imagine the list padded with keys larger than any real key: a pair whose partner lies beyond the
// end is already in order.
__device__ __forceinline__ void compare_exchange(Key* keys, int i, int partner, int count) {
    if (partner >= count) return;
    const Key key = keys[i];
    const Key other = keys[partner];
    if (other < key) {
        keys[i] = other;
        keys[partner] = key;
    }
}

// One block. It has at least half as many threads as std::bit_ceil(count).
// It needs count * sizeof(Key) bytes of dynamic shared memory.
static __global__ void sort_block_kernel(Key* keys, int count) {
    extern __shared__ Key s_keys[];
    const int thread = threadIdx.x;
    for (int i = thread; i < count; i += blockDim.x) s_keys[i] = keys[i];
    __syncthreads();  // the first step reads keys that other threads have loaded
    compare_exchange(s_keys, 2 * thread, 2 * thread + 1, count);
    __syncthreads();
    for (int size = 4; size < 2 * count; size *= 2) {
        const int i = 2 * thread - (thread & (size / 2 - 1));
        compare_exchange(s_keys, i, i ^ (size - 1), count);
        __syncthreads();  // the next step reads keys that other threads wrote in this one
        for (int stride = size / 4; stride > 0; stride /= 2) {
            const int j = thread + (thread & ~(stride - 1));
            compare_exchange(s_keys, j, j + stride, count);
            __syncthreads();
        }
    }
    for (int i = thread; i < count; i += blockDim.x) keys[i] = s_keys[i];
}

}  // namespace quicksort
