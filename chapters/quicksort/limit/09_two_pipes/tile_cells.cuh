// SPDX-License-Identifier: MIT
// How a long tile gets in order: its keys are read by four, pairs by two, counted in the cells of
// their parts, and put into their runs in shared memory.
#pragma once

#include <cuda_runtime.h>

#include "blocks/networks/wide_access.cuh"
#include "limit/01_multiway_partition/multiway.cuh"
#include "limit/05_sub_buckets/search_tree.cuh"
#include "limit/09_two_pipes/path_tree.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

// Reads `count` keys of a tile: neighbours at once from a whole one, which begins at 16 bytes.
template <int kKeys>
__device__ __forceinline__ void load_tile(const Key* from, int count, Key (&keys)[kKeys]) {
    const int thread = threadIdx.x;
    if (count == kThreads * kKeys) {
#pragma unroll
        for (int k = 0; k < kKeys; k += kWide) {
            load_once(from + kWide * thread + k * kThreads, keys + k);
        }
    } else {
#pragma unroll
        for (int k = 0; k < kKeys; ++k) {
            keys[k] = k * kThreads + thread < count ? from[k * kThreads + thread] : 0;
        }
    }
}

// The first of two twins belongs to the next part.
template <int kBits, typename Tree>
__device__ __forceinline__ void skip_twins(Key* s_splitters, const Key* keys, unsigned* places) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const unsigned part = Tree::template cell_of<kBits>(places[k] / 4),
                       last = (1u << kBits) - 1;
        if (part < last && keys[k] == key_at(s_splitters, places[k])) {
            places[k] = 4 * Tree::template cell_of<kBits>(part + 1);
        }
    }
}

// Ranks the keys of a tile. kPlain: a whole tile without twins, so no branch keeps the compiler
// from overlapping four keys with the next.
template <int kBits, bool kPlain, typename Tree, int kKeys>
__device__ __forceinline__ void rank_cells(const Key (&keys)[kKeys], int count, bool twins,
                                           Key* s_tree, Key* s_splitters, unsigned* s_counts,
                                           unsigned (&places)[kKeys]) {
#pragma unroll
    for (int k = 0; k < kKeys; k += 4) {
        Tree::template descend<kBits, 4>(s_tree, keys + k, places + k);
        if (!kPlain) {
            const int i = k * kThreads + static_cast<int>(threadIdx.x);
            if (twins) skip_twins<kBits, Tree>(s_splitters, keys + k, places + k);
            leave_out<kThreads>(i, count, 1 << kBits, places + k);
        }
        Tree::count(s_counts, places + k);
    }
}

// Puts four keys into their runs; see leave_out(). All beginnings are read before a key is written,
// so that no read waits.
template <bool kWhole>
__device__ __forceinline__ void stage_four(int i, int count, unsigned* s_runs, Key* s_keys,
                                           const Key* keys, const unsigned* places) {
    unsigned bytes[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        bytes[k] = word_at(s_runs, places[k] % 65536) + places[k] / 65536;
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        if (kWhole || i + k * kThreads < count) key_at(s_keys, bytes[k]) = keys[k];
    }
}

// s_runs: four times where the run of a cell begins. places: see count_four().
template <int kKeys>
__device__ __forceinline__ void stage_tile(int count, unsigned* s_runs, Key* s_keys,
                                           const Key (&keys)[kKeys],
                                           const unsigned (&places)[kKeys]) {
    const int thread = threadIdx.x;
    if (count == kThreads * kKeys) {
#pragma unroll
        for (int k = 0; k < kKeys; k += 4) {
            stage_four<true>(0, count, s_runs, s_keys, keys + k, places + k);
        }
    } else {
#pragma unroll
        for (int k = 0; k < kKeys; k += 4) {
            stage_four<false>(k * kThreads + thread, count, s_runs, s_keys, keys + k, places + k);
        }
    }
}

}  // namespace quicksort
