// SPDX-License-Identifier: MIT
// Buckets that are too long for the registers of a warp.
#pragma once

#include <cuda_runtime.h>

#include "blocks/networks/bitonic_sort.cuh"
#include "blocks/networks/warp_sort.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

// A long bucket is one with keys that are there often: most of it equals its largest key. If a
// warp can sort the others, it writes the equal ones to their places behind them, moves the others
// to the front of the sub-bucket, and returns how many there are; else it returns -1.
template <int kLongest>
__device__ __forceinline__ int split_off_largest(Key* s_bucket, int count, Key* to) {
    const int lane = threadIdx.x % 32;
    Key largest = s_bucket[0];
    for (int i = lane; i < count; i += 32) largest = max(largest, s_bucket[i]);
    for (int distance = 16; distance > 0; distance /= 2) {
        largest = max(largest, __shfl_xor_sync(0xffffffff, largest, distance));
    }
    int less = 0;
    for (int i = lane; i < count; i += 32) less += s_bucket[i] < largest;
    for (int distance = 16; distance > 0; distance /= 2) {
        less += __shfl_xor_sync(0xffffffff, less, distance);
    }
    if (less > kLongest) return -1;
    int moved = 0;
    for (int first = 0; first < count && moved < less; first += 32) {
        const int i = first + lane;
        const Key key = i < count ? s_bucket[i] : largest;
        const unsigned smaller = __ballot_sync(0xffffffff, key < largest);
        __syncwarp();  // all lanes have read
        if (key < largest) s_bucket[moved + __popc(smaller & ((1u << lane) - 1))] = key;
        moved += __popc(smaller);
        __syncwarp();  // no lane reads what another one has overwritten
    }
    for (int i = less + lane; i < count; i += 32) to[i] = largest;
    return less;
}

// Sorts those of 32 buckets in shared memory that have more than kLongest keys, which the registers
// of a warp hold. Lane b knows how many keys bucket b owns, where its room begins, and how many
// keys are in those before. The largest keys of a bucket often need no sort; if the others are too
// many all the same, the whole block sorts it. Never inlined: the registers that it needs are no
// concern of the caller's ordinary buckets.
template <int kThreads, int kLongest, typename AnyExchange>
__device__ __noinline__ void sort_long_buckets(int own, int room, int place, Key* s_keys,
                                               Key* sorted) {
    constexpr int kBuckets = 32;
    __shared__ unsigned s_left;  // one bit for each bucket that needs the block
    if (threadIdx.x == 0) s_left = 0;
    __syncthreads();  // s_left is clear
    for (int b = threadIdx.x / 32; b < kBuckets; b += kThreads / 32) {
        const int count = __shfl_sync(0xffffffff, own, b);
        Key* s_bucket = s_keys + __shfl_sync(0xffffffff, room, b);
        Key* to = sorted + __shfl_sync(0xffffffff, place, b);
        if (count <= kLongest) continue;
        const int less = split_off_largest<kLongest>(s_bucket, count, to);
        if (less > 0) sort_by_warp<kLongest / 32, AnyExchange>(s_bucket, less, to);
        if (less < 0 && threadIdx.x % 32 == 0) atomicOr(&s_left, 1u << b);
    }
    __syncthreads();  // s_left is complete
    for (int b = 0; b < kBuckets; ++b) {
        if ((s_left >> b & 1) == 0) continue;
        const int count = __shfl_sync(0xffffffff, own, b);
        Key* s_bucket = s_keys + __shfl_sync(0xffffffff, room, b);
        Key* to = sorted + __shfl_sync(0xffffffff, place, b);
        sort_by_block(s_bucket, count);
        for (int i = threadIdx.x; i < count; i += kThreads) to[i] = s_bucket[i];
    }
}

}  // namespace quicksort
