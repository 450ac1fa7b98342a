// SPDX-License-Identifier: MIT
// How a tile comes and goes, for the stages that build on 23: its keys are read by four, pairs by
// two, put into their runs in shared memory, and each run leaves by a bulk copy.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cuda/ptx>

#include "device/multiway.cuh"
#include "device/search_trees.cuh"
#include "device/wide_access.cuh"
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
template <typename Tree, int kBits>
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
template <typename Tree, int kBits, bool kPlain, int kKeys>
__device__ __forceinline__ void rank_cells(const Key (&keys)[kKeys], int count, bool twins,
                                           Key* s_tree, Key* s_splitters, unsigned* s_counts,
                                           unsigned (&places)[kKeys]) {
#pragma unroll
    for (int k = 0; k < kKeys; k += 4) {
        Tree::template descend<kBits, 4>(s_tree, keys + k, places + k);
        if (!kPlain) {
            const int i = k * kThreads + static_cast<int>(threadIdx.x);
            if (twins) skip_twins<Tree, kBits>(s_splitters, keys + k, places + k);
            leave_out<kThreads>(i, count, 1 << kBits, places + k);
        }
        count_four(s_counts, places + k);
    }
}

template <typename Tree, int kBits, int kKeys>
__device__ __forceinline__ void rank_cells(const Key (&keys)[kKeys], int count, bool twins,
                                           Key* s_tree, Key* s_splitters, unsigned* s_counts,
                                           unsigned (&places)[kKeys]) {
    if (twins || count < kThreads * kKeys) {
        rank_cells<Tree, kBits, false>(keys, count, twins, s_tree, s_splitters, s_counts, places);
    } else {
        rank_cells<Tree, kBits, true>(keys, count, false, s_tree, s_splitters, s_counts, places);
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

// Unchanged from stage limit/08_bulk_copies.
// Stores two keys at once, at 8 bytes.
__device__ inline void store_two(const Key* s_keys, Key* to) {
    *reinterpret_cast<int2*>(to) = *reinterpret_cast<const int2*>(s_keys);
}

// How many keys the run of a part can take in shared memory: its keys, and up to kWide - 1 on each
// side. A multiple of kWide, and 0 without keys.
__device__ __forceinline__ unsigned room_of_run(unsigned count) {
    return count > 0 ? (count + 2 * (kWide - 1)) / kWide * kWide : 0;
}

// As in stage limit/08_bulk_copies, for keys of either kind.
// Stores a run. It begins as many keys behind a multiple of 16 bytes as its target: up to three
// keys on each side, or one pair, are no part of the bulk copy. Devices below compute capability
// 9.0 have none.
__device__ inline void store_run(const Key* s_run, Key* to, unsigned count) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    const unsigned head = -reinterpret_cast<std::uintptr_t>(to) / sizeof(Key) % kWide;
    if (count >= head + kWide) {
        const unsigned body = (count - head) / kWide * kWide, tail = (count - head) % kWide;
        const unsigned end = count - tail;
        cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, to + head,
                                 s_run + head, body * static_cast<unsigned>(sizeof(Key)));
        if (head & 1) to[0] = s_run[0];
        if (head & 2) store_two(s_run + (head & 1), to + (head & 1));
        if (tail & 2) store_two(s_run + end, to + end);
        if (tail & 1) to[count - 1] = s_run[count - 1];
        return;
    }
#endif
    for (unsigned i = 0; i < count; ++i) to[i] = s_run[i];
}

// Lets the bulk copies that come after the next barrier see what this thread has stored in shared
// memory.
__device__ __forceinline__ void show_to_bulk_copies() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
#endif
}

// Waits until the bulk copies of this thread have read shared memory.
__device__ __forceinline__ void wait_for_bulk_copies() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    cuda::ptx::cp_async_bulk_commit_group();
    cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>());
#endif
}

}  // namespace quicksort
