// SPDX-License-Identifier: MIT
// The two kernels of a network's steps, for lists of any length.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "problem/quicksort.hpp"

namespace quicksort {

// Imagine the list padded with keys larger than any real key: a pair whose partner lies beyond the
// end is already in order.
__device__ __forceinline__ void compare_exchange(Key* keys, std::int64_t i, std::int64_t partner,
                                                 std::int64_t count) {
    if (partner >= count) return;
    const Key key = keys[i];
    const Key other = keys[partner];
    if (other < key) {
        keys[i] = other;
        keys[partner] = key;
    }
}

__device__ __forceinline__ std::int64_t global_thread() {
    return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

// The first step of the merge of two runs of size / 2 keys: compares each key of the first run with
// its mirror image in the second.
static __global__ void compare_mirrored_kernel(Key* keys, std::int64_t count, std::int64_t size) {
    const std::int64_t thread = global_thread();
    const std::int64_t i = 2 * thread - (thread & (size / 2 - 1));
    compare_exchange(keys, i, i ^ (size - 1), count);
}

// Each later step: compares each key with the key one stride further on.
static __global__ void compare_strided_kernel(Key* keys, std::int64_t count, std::int64_t stride) {
    const std::int64_t thread = global_thread();
    const std::int64_t i = thread + (thread & ~(stride - 1));
    compare_exchange(keys, i, i + stride, count);
}

}  // namespace quicksort
