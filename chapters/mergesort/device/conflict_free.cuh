// SPDX-License-Identifier: MIT
// Merges in shared memory whose loads do not depend on one another. From stage 16 on. For keys that
// are only keys: not stable, because a network exchanges equal keys.
// Of a pair of runs the left one lies forwards and the right one backwards, in [begin, end). Both
// have a multiple of kKeys keys; the last ones may be copies of the largest key. A thread merges a
// window of kKeys keys, and a search tells it which keys of either run these are. Register j takes
// the one whose place is j modulo kKeys: there is exactly one. The registers, read in a circle,
// rise and then fall, so half of a bitonic network sorts them. (Berney and
// Sitchinava gather in this way.)
#pragma once

#include <cuda_runtime.h>

#include "problem/mergesort.hpp"

namespace mergesort {

// One word in kKeys + 1 stays empty, so the same registers of 32 threads lie in 32 banks.
template <int kKeys>
__host__ __device__ constexpr int row_place(int place) {
    return place + static_cast<int>(static_cast<unsigned>(place) / kKeys);
}

__device__ __forceinline__ void order(Key& first, Key& second) {
    const Key smaller = min(first, second);
    second = max(first, second);
    first = smaller;
}

// Sorts a bitonic sequence, also one that begins somewhere in its circle.
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

// How many of the first `diagonal` keys of a pair come from its left run of left_count keys.
template <int kKeys>
__device__ __forceinline__ int reversed_path(const Key* s_keys, int begin, int left_count, int end,
                                             int diagonal) {
    int low = max(diagonal - (end - begin - left_count), 0), high = min(diagonal, left_count);
    while (low < high) {
        const int i = (low + high) >> 1;
        if (s_keys[row_place<kKeys>(end - diagonal + i)] < s_keys[row_place<kKeys>(begin + i)]) {
            high = i;
        } else {
            low = i + 1;
        }
    }
    return low;
}

// Loads the window of a pair that begins after `rank` keys and sorts it. path, next_path: how many
// keys of the left run come before the window, and before its end.
template <int kKeys>
__device__ __forceinline__ void gather_window(const Key* s_keys, int begin, int end, int rank,
                                              int path, int next_path, Key (&own)[kKeys]) {
    constexpr int kRow = kKeys + 1;
    const int turn = path % kKeys, left = next_path - path;
    // The rows in which the window's keys of either run begin. Registers below `turn` find theirs
    // one row later.
    const int left_row = row_place<kKeys>(begin + path - turn);
    const int right_row = row_place<kKeys>(end - (rank - path) - kKeys - turn);
    const bool wraps = turn + left > kKeys;  // the keys of the left run lie in two rows
    const int first = wraps ? turn + left - kKeys : turn, second = wraps ? turn : turn + left;
    const Key* s_first = s_keys + kRow + (wraps ? left_row : right_row);
    const Key* s_second = s_keys + (wraps ? right_row + kRow : left_row);
    const Key* s_third = s_keys + (wraps ? left_row : right_row);
#pragma unroll
    for (int j = 0; j < kKeys; ++j) {
        const Key* s_row = j < first ? s_first : j < second ? s_second : s_third;
        own[j] = s_row[j];
    }
    merge_registers(own);
}

// Stores a window of a run that lies in [begin, end), forwards or backwards.
template <int kKeys>
__device__ __forceinline__ void store_window(Key* s_keys, int begin, int end, bool backwards,
                                             const Key (&own)[kKeys]) {
    const int window = static_cast<int>(threadIdx.x) * kKeys;
    const int place = row_place<kKeys>(backwards ? end - (window - begin) - kKeys : window);
    Key* s_first = s_keys + place + (backwards ? kKeys - 1 : 0);
    const int step = backwards ? -1 : 1;
#pragma unroll
    for (int k = 0; k < kKeys; ++k) s_first[k * step] = own[k];
}

// A thread's part in a round: its window lies in a pair whose left run ends at `middle`. The merged
// run takes the pair's place; it lies backwards if it is the right one of its next pair. All
// threads of the block call; those without a pair have begin == end. s_paths: one per thread.
template <int kKeys>
__device__ __forceinline__ void merge_window(Key* s_keys, int* s_paths, int begin, int middle,
                                             int end, bool backwards, Key (&own)[kKeys]) {
    const int thread = threadIdx.x, window = thread * kKeys;
    int path = 0;
    if (begin < end) {
        path = reversed_path<kKeys>(s_keys, begin, middle - begin, end, window - begin);
        s_paths[thread] = path;
    }
    __syncthreads();  // the next thread's path
    if (begin < end) {
        const int next_path = window + kKeys < end ? s_paths[thread + 1] : middle - begin;
        gather_window(s_keys, begin, end, window - begin, path, next_path, own);
    }
    __syncthreads();  // all threads have read
    if (begin < end) store_window(s_keys, begin, end, backwards, own);
    __syncthreads();
}

// Merges sorted runs of `run` keys, a power of two, until the block has one. Each thread has kKeys
// neighbouring keys of a run.
template <int kKeys, int kThreads>
__device__ __forceinline__ void merge_runs_of_tile(Key* s_keys, int* s_paths, int run,
                                                   Key (&own)[kKeys]) {
    const int window = static_cast<int>(threadIdx.x) * kKeys;
    const int begin = window & ~(run - 1);
    store_window(s_keys, begin, begin + run, (window & run) != 0, own);
    __syncthreads();
#pragma unroll 1
    for (; run < kThreads * kKeys; run *= 2) {
        const int pair = window & ~(2 * run - 1);
        merge_window(s_keys, s_paths, pair, pair + run, pair + 2 * run, (window & 2 * run) != 0,
                     own);
    }
}

}  // namespace mergesort
