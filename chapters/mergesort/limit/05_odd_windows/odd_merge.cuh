// SPDX-License-Identifier: MIT
// The sort of tiles and the passes, with 33 keys per thread.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "blocks/multiway_cuts/multiway_cuts.cuh"
#include "blocks/tile_copies/tile_copies.cuh"
#include "common/cuda/cuda_check.hpp"
#include "limit/01_tile_merge/padded_merge.cuh"
#include "limit/02_block_sort/block_sort.cuh"
#include "limit/05_odd_windows/odd_tile.cuh"
#include "problem/mergesort.hpp"
#include "problem/multisort.hpp"
#include "problem/multiway.hpp"

namespace mergesort::odd {

inline constexpr int kThreads = 256;
inline constexpr int kKeys = 33;  // per thread
inline constexpr int kTileKeys = kThreads * kKeys;
inline constexpr int kSharedKeys = kTileKeys + kThreads / 32;  // a word after each warp's keys
inline constexpr std::size_t kSharedBytes = kSharedKeys * sizeof(Key);

template <int kWays>
using Tile = OddTile<kWays, kThreads, kKeys>;

// Merges until `merged` is full. kGap: at least one largest key follows the right run. No key is
// greater, so it needs no test for its end. Places count bytes: the compiler then adds nothing but
// the step itself.
template <bool kGap>
__device__ __forceinline__ void merge_keys(const Key* s_keys, int left, int left_end, int right,
                                           int right_end, Key (&merged)[kKeys]) {
    constexpr int kStep = sizeof(Key);
    const char* s_bytes = reinterpret_cast<const char*>(s_keys);
    Key left_key = s_keys[left], right_key = s_keys[right];
    left *= kStep, left_end *= kStep, right *= kStep, right_end *= kStep;
#pragma unroll
    for (int k = 0; k < kKeys; ++k) {
        const bool takes_right =
            (kGap || right < right_end) && (left >= left_end || right_key < left_key);
        merged[k] = takes_right ? right_key : left_key;
        if (k + 1 == kKeys) break;
        const int taken = takes_right ? right : left;
        const Key next = *reinterpret_cast<const Key*>(s_bytes + taken + kStep);
        if (takes_right) {
            right_key = next;
            right += kStep;
        } else {
            left_key = next;
            left += kStep;
        }
    }
}

// One block per tile, in place; the last tile is filled with the largest key. Until a warp's keys
// are one run, a warp waits for no other.
__global__ void __launch_bounds__(kThreads, 5)
    sort_tiles_kernel(Key* __restrict__ list, std::int64_t count) {
    extern __shared__ Key s_keys[];
    const int thread = threadIdx.x, window = thread * kKeys;
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kTileKeys;
    const int tile_count = static_cast<int>(min(count - first, std::int64_t{kTileKeys}));
    Key own[kKeys];
#pragma unroll
    for (int k = 0; k < kKeys; ++k) {
        const int i = k * kThreads + thread;
        own[k] = i < tile_count ? list[first + i] : kLargestKey;
    }
#pragma unroll
    for (int k = 0; k < kKeys; ++k) s_keys[k * kThreads + thread] = own[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kKeys; ++k) own[k] = s_keys[window + k];
    __syncthreads();  // all threads have read
    mergesort::sort_registers(own);
    // A merge reads one key too many: after a warp's keys, a word that no other warp writes.
    Key* s_part = s_keys + thread / 32;
    if (thread % 32 == 0) s_part[(thread / 32 + 1) * 32 * kKeys] = kLargestKey;
#pragma unroll 1
    for (int threads = 1; threads < kThreads; threads *= 2) {  // of a run
        if (threads == 32) s_part = s_keys;
        mergesort::store_keys(s_part + window, own);
        mergesort::sync_threads(2 * threads);
        const int run = threads * kKeys, begin = (thread & ~(2 * threads - 1)) * kKeys;
        const int middle = begin + run, end = middle + run;
        const int path = merge_path(s_part, begin, middle, end, window - begin);
        merge_keys<false>(s_part, begin + path, middle, middle + window - begin - path, end, own);
        mergesort::sync_threads(4 * threads);  // all threads have read
    }
    mergesort::store_keys(s_keys + window, own);
    __syncthreads();
    mergesort::store_tile<kThreads, kKeys>(list + first, s_keys, tile_count);
}

// A round: merges all pairs of fragments, and puts the results into the places of the next round.
template <int kWays>
__device__ __forceinline__ void merge_pairs(Key* s_keys, const Tile<kWays>& s_tile, int pairs,
                                            Key (&own)[kKeys]) {
    const int window = threadIdx.x * kKeys, span = kWays / pairs;
    int pair = 0;
    while (pair + 1 < pairs &&
           window >= s_tile.starts[(pair + 1) * span] + s_tile.gaps[pairs + pair + 1]) {
        ++pair;
    }
    const int gap = s_tile.gaps[pairs + pair];
    const int begin = s_tile.starts[pair * span] + gap;
    const int middle = s_tile.starts[pair * span + span / 2] + gap;
    const int end = s_tile.starts[(pair + 1) * span] + gap;
    Key* const s_to = s_keys + (window - gap + s_tile.gaps[(pairs + pair) / 2]);
    if (window < end) {
        const int path = merge_path(s_keys, begin, middle, end, window - begin);
        merge_keys<true>(s_keys, begin + path, middle, middle + window - begin - path, end, own);
    }
    __syncthreads();  // all threads have read
    mergesort::store_keys(s_to, own, end - window);
    if (pairs > 1) fill_gaps(s_keys, s_tile, pairs / 2);
    __syncthreads();
}

// One block per tile of the result.
template <int kWays>
__global__ void __launch_bounds__(kThreads, 5)
    merge_tiles_kernel(const Key* __restrict__ from, Key* __restrict__ to, Pass pass,
                       const std::int64_t* __restrict__ boundaries) {
    extern __shared__ Key s_keys[];
    __shared__ Tile<kWays> s_tile;
    if (threadIdx.x < 32) describe_tile(pass, boundaries, blockIdx.x, s_tile);
    __syncthreads();
    load_fragments(from, s_keys, s_tile);
    __syncthreads();
    Key own[kKeys];
#pragma unroll 1
    for (int pairs = kWays / 2; pairs > 0; pairs /= 2) merge_pairs(s_keys, s_tile, pairs, own);
    mergesort::store_tile<kThreads, kKeys>(to + s_tile.result, s_keys, s_tile.starts[kWays]);
}

// The cuts of a pass, and its merges.
template <int kWays>
void launch_pass(const Key* from, Key* to, const Pass& pass, std::int64_t* boundaries,
                 cudaStream_t stream) {
    find_cuts_kernel<kWays>
        <<<blocks_for(pass.tiles * kWays, kThreads), kThreads, 0, stream>>>(from, pass, boundaries);
    course::cuda_check(cudaGetLastError());
    merge_tiles_kernel<kWays>
        <<<blocks_for(pass.tiles, 1), kThreads, kSharedBytes, stream>>>(from, to, pass, boundaries);
    course::cuda_check(cudaGetLastError());
}

}  // namespace mergesort::odd
