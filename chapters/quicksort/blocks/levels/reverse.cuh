// SPDX-License-Identifier: MIT
// A list backwards.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "blocks/networks/wide_access.cuh"
#include "common/cuda/cuda_check.hpp"
#include "problem/quicksort.hpp"

namespace quicksort {

inline constexpr int kReverseThreads = 256, kReversed = 8;  // times kWide keys of a thread

// Writes the list backwards, as many neighbours at once as lie in 16 bytes, if `count` is a
// multiple of these.
static __global__ void __launch_bounds__(kReverseThreads)
    reverse_kernel(const Key* __restrict__ from, Key* __restrict__ to, std::int64_t count) {
    const std::int64_t first = std::int64_t{blockIdx.x} * kReverseThreads * kReversed;
    Key keys[kReversed][kWide];
#pragma unroll
    for (int k = 0; k < kReversed; ++k) {
        const std::int64_t i = kWide * (first + k * kReverseThreads + threadIdx.x);
        if (count % kWide == 0 && i < count) load_once(from + i, keys[k]);
    }
#pragma unroll
    for (int k = 0; k < kReversed; ++k) {
        const std::int64_t i = kWide * (first + k * kReverseThreads + threadIdx.x);
        if (count % kWide == 0 && i < count) {
            Key backwards[kWide];
#pragma unroll
            for (int j = 0; j < kWide; ++j) backwards[j] = keys[k][kWide - 1 - j];
            store_wide(to + (count - kWide - i), backwards);
        } else {
            for (std::int64_t j = i; j < min(i + kWide, count); ++j) to[count - 1 - j] = from[j];
        }
    }
}

// keys and to: two lists of `count` keys.
inline void launch_reverse(const Key* keys, Key* to, std::int64_t count) {
    constexpr std::int64_t kOfBlock = kReverseThreads * kReversed * kWide;
    reverse_kernel<<<static_cast<unsigned>((count - 1) / kOfBlock + 1), kReverseThreads>>>(keys, to,
                                                                                           count);
    course::cuda_check(cudaGetLastError());
}

}  // namespace quicksort
