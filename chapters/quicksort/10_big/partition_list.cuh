// SPDX-License-Identifier: MIT
// The partition of one list by many blocks.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "09_small_sublists_shared/segment_sort.cuh"
#include "problem/quicksort.hpp"
#include "problem/segments.cuh"

namespace quicksort {

// Shared by the blocks that partition one list; all zero before and after.
struct Counters {
    unsigned long long left, right;  // keys already placed in the two parts
    unsigned int blocks_done;
};

// Keys [begin, pivot) are less than the key at `pivot`; keys (pivot, end) are not.
struct Partition {
    std::int64_t begin, pivot, end;
};

// Partitions from[begin, end) into `to`. The pivot goes to `keys`, the list that the sort ends in.
static __global__ void partition_list_kernel(const Key* from, Key* to, Key* keys,
                                             std::int64_t begin, std::int64_t end, int tile_keys,
                                             Counters* counters, Partition* partition) {
    extern __shared__ Key s_keys[];
    __shared__ std::int64_t s_left_begin, s_right_begin;
    const int thread = threadIdx.x;
    const Key pivot = from[begin];
    const std::int64_t tile_begin = begin + 1 + static_cast<std::int64_t>(blockIdx.x) * tile_keys;
    const std::int64_t tile_end = min(tile_begin + tile_keys, end);
    const int count = static_cast<int>(tile_end - tile_begin);
    Key* s_parts = s_keys + count;
    int2 mine = make_int2(0, 0);  // keys less than the pivot, and the others
    for (int i = thread; i < count; i += kBlockSize) {
        const Key key = from[tile_begin + i];
        s_keys[i] = key;
        if (key < pivot) {
            ++mine.x;
        } else {
            ++mine.y;
        }
    }
    int2 total;
    const int2 before = scan_over_block(mine, total);
    int left = before.x;
    int right = total.x + before.y;
    for (int i = thread; i < count; i += kBlockSize) {
        const Key key = s_keys[i];
        s_parts[key < pivot ? left++ : right++] = key;
    }
    if (thread == 0) {
        s_left_begin = begin + atomicAdd(&counters->left, total.x);
        s_right_begin = end - atomicAdd(&counters->right, total.y) - total.y;
    }
    __syncthreads();  // the loops below read s_parts and the block's two places
    for (int i = thread; i < total.x; i += kBlockSize) to[s_left_begin + i] = s_parts[i];
    for (int i = thread; i < total.y; i += kBlockSize) to[s_right_begin + i] = s_parts[total.x + i];
    if (thread == 0) {
        __threadfence();  // who sees this block as done sees its counts and keys too
        if (atomicAdd(&counters->blocks_done, 1) == gridDim.x - 1) {
            __threadfence();
            const std::int64_t place = begin + atomicExch(&counters->left, 0);
            keys[place] = pivot;  // `from` may be `keys`, but no block reads it any more
            *partition = {begin, place, end};
            *counters = {0, 0, 0};
        }
    }
}

}  // namespace quicksort
