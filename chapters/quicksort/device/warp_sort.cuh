// SPDX-License-Identifier: MIT
// What a warp does alone in stage 20: it sorts by the network of stage 18, and adds up.
#pragma once

#include <cuda_runtime.h>

#include "device/register_network.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

// The sum of `value` over the lanes before this one.
__device__ __forceinline__ int sum_of_lanes_before(int value) {
    const int lane = threadIdx.x % 32;
    int sum = value;
    for (int distance = 1; distance < 32; distance *= 2) {
        const int other = __shfl_up_sync(0xffffffff, sum, distance);
        if (lane >= distance) sum += other;
    }
    return sum - value;
}

// The steps of a bitonic merge within a thread, for keys [kBegin, kBegin + kCount).
template <int kBegin, int kCount, int kKeys>
__device__ __forceinline__ void merge_in_thread(Key (&keys)[kKeys]) {
    if constexpr (kCount == 3) {
        order(keys[kBegin], keys[kBegin + 2]);
        order(keys[kBegin], keys[kBegin + 1]);
        order(keys[kBegin + 1], keys[kBegin + 2]);
    } else if constexpr (kCount > 1) {
        constexpr int kHalf = kCount / 2;
#pragma unroll
        for (int i = 0; i < kHalf; ++i) order(keys[kBegin + i], keys[kBegin + kHalf + i]);
        merge_in_thread<kBegin, kHalf>(keys);
        merge_in_thread<kBegin + kHalf, kHalf>(keys);
    }
}

// Sorts the 32 kKeys keys of a warp; kKeys is 2^k or 3 2^k, and even. Lane l then has those from
// place kKeys l on.
template <int kKeys>
__device__ __forceinline__ void sort_warp(Key (&keys)[kKeys]) {
    const int lane = threadIdx.x % 32;
    sort_registers(keys);
#pragma unroll 1
    for (int half = 1; half < 32; half *= 2) {
        compare_lanes<true>(keys, 2 * half - 1, lane & half);
#pragma unroll 1
        for (int stride = half / 2; stride > 0; stride /= 2) {
            compare_lanes<false>(keys, stride, lane & stride);
        }
        merge_in_thread<0, kKeys>(keys);
    }
}

}  // namespace quicksort
