// SPDX-License-Identifier: MIT
// A warp adds floats to a float in a given order, with the rounding of one addition after another.
#pragma once

#include <cuda_runtime.h>

namespace storms {

// The sum over the lanes below this one.
template <typename T>
__device__ __forceinline__ T sum_below(T own) {
    T sum = own;
    for (unsigned away = 1; away < 32; away *= 2) {
        const T other = __shfl_up_sync(~0u, sum, away);
        if (threadIdx.x % 32 >= away) sum += other;
    }
    return sum - own;
}

// The same of several numbers per thread: every kThreads-th of a list in shared memory, from the
// thread's own on. Writes the sum of the whole warp to `total`.
template <int kThreads, int kSlots>
__device__ __forceinline__ int sum_slots_below(const int (&s_list)[kSlots], int& total) {
    int sum = 0;
    for (int j = 0; j < kSlots / kThreads; ++j) sum += s_list[kThreads * j + threadIdx.x];
    const int below = sum_below(sum);
    if (threadIdx.x % 32 == 31) total = below + sum;
    return below;
}

// `first` and then all lanes' terms, which are positive: those of lane 0 first. A lane guesses the
// bits that it starts with, adds, and sees how many floats further it comes. The sum of these
// numbers over the lanes below is the next guess: right for at least one more lane each time.
template <int kTerms>
__device__ __forceinline__ float sum_in_order(float first, const float (&terms)[kTerms]) {
    float sum = 0;
    for (const float term : terms) sum += term;
    unsigned guess = __float_as_uint(first + sum_below(sum));
    while (true) {
        float end = __uint_as_float(guess);
        for (const float term : terms) end += term;
        const unsigned start = __float_as_uint(first) + sum_below(__float_as_uint(end) - guess);
        if (__all_sync(~0u, start == guess)) return __shfl_sync(~0u, end, 31);
        guess = start;
    }
}

}  // namespace storms
