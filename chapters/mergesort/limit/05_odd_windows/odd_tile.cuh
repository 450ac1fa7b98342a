// SPDX-License-Identifier: MIT
// A tile whose threads merge an odd number of keys each: where its fragments come from, and where
// they lie in shared memory. Nothing is padded.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/tile_copies/tile_copies.cuh"
#include "limit/02_block_sort/block_sort.cuh"
#include "limit/04_eight_ways/multiway_tile.cuh"
#include "problem/mergesort.hpp"
#include "problem/multiway.hpp"

namespace mergesort {

// As Tile (multiway_tile.cuh), but with places in the lists, not with addresses: a pointer
// that comes from shared memory could point anywhere, so the compiler would keep all later accesses
// behind each store through it. kThreads merge kKeys keys each.
template <int kWays, int kThreads, int kKeys>
struct OddTile {
    std::int64_t result;
    int starts[kWays + 1];  // of the fragments, if they lie one after the other
    int gaps[kWays];  // of the pairs, by nodes
    ChunkList<kThreads / 32, (kThreads - kWays / 2) * kKeys, kWays> copies;
};

// The first multiple of a thread's keys after `place`. So each pair has a gap of at least one word.
template <int kKeys>
__device__ __forceinline__ int after_gap(int place) {
    return static_cast<int>(static_cast<unsigned>(place) / kKeys + 1) * kKeys;
}

// The first warp calls. Lanes from kWays on have fragments without keys.
template <int kWays, int kThreads, int kKeys>
__device__ __forceinline__ void place_fragments(std::int64_t source, int length,
                                                std::int64_t result,
                                                OddTile<kWays, kThreads, kKeys>& s_tile) {
    const int lane = threadIdx.x;
    int end = length, chunk_end = chunks_of(length);
    for (int distance = 1; distance < kWays; distance *= 2) {
        const int before = __shfl_up_sync(0xffffffff, end, distance);
        const int chunks_before = __shfl_up_sync(0xffffffff, chunk_end, distance);
        if (lane >= distance) end += before, chunk_end += chunks_before;
    }
    if (lane < kWays) s_tile.starts[lane + 1] = end;
    if (lane == 0) s_tile.starts[0] = 0;
    if (lane == 0) s_tile.result = result;
    __syncwarp();
    int pairs = 1, gap = 0;
    while (2 * pairs <= lane) pairs *= 2;
    for (int i = 1; lane < kWays && i <= lane - pairs; ++i) {
        const int dense = s_tile.starts[i * (kWays / pairs)];
        gap = after_gap<kKeys>(dense + gap) - dense;
    }
    if (lane < kWays) s_tile.gaps[lane] = gap;
    const int own_gap = __shfl_sync(0xffffffff, gap, (kWays + lane) / 2 % 32);
    list_chunks(source, end - length, own_gap, length, chunk_end, s_tile.copies);
}

// The first warp calls. boundaries: see find_cuts_kernel.
template <int kWays, int kThreads, int kKeys>
__device__ __forceinline__ void describe_tile(const Pass& pass, const std::int64_t* boundaries,
                                              std::int64_t tile,
                                              OddTile<kWays, kThreads, kKeys>& s_tile) {
    Fragment own = {};
    if (threadIdx.x < kWays) own = find_fragment<kWays>(pass, boundaries, tile);
    place_fragments(own.begin, static_cast<int>(own.length), own.tile_begin, s_tile);
}

// Fills the gaps of a round: after each pair at least one copy of the largest key.
template <int kWays, int kThreads, int kKeys>
__device__ __forceinline__ void fill_gaps(Key* s_keys,
                                          const OddTile<kWays, kThreads, kKeys>& s_tile,
                                          int pairs) {
    const int pair = threadIdx.x / 32;  // one warp per pair
    if (pair >= pairs) return;
    const int end = s_tile.starts[(pair + 1) * (kWays / pairs)] + s_tile.gaps[pairs + pair];
    const int gap_end = after_gap<kKeys>(end);
    for (int i = end + threadIdx.x % 32; i < gap_end; i += 32) s_keys[i] = kLargestKey;
}

// Loads a tile's fragments into shared memory, to their places of the first round.
template <int kWays, int kThreads, int kKeys>
__device__ __forceinline__ void load_fragments(const Key* __restrict__ from, Key* s_keys,
                                               const OddTile<kWays, kThreads, kKeys>& s_tile) {
    load_chunks(from, s_keys, s_tile.copies);
    fill_gaps(s_keys, s_tile, kWays / 2);
}

// Stores a thread's keys, or the first `count` of them.
template <int kKeys>
__device__ __forceinline__ void store_keys(Key* s_to, const Key (&own)[kKeys], int count = kKeys) {
    if (count >= kKeys) {
#pragma unroll
        for (int k = 0; k < kKeys; ++k) s_to[k] = own[k];
    } else {
#pragma unroll
        for (int k = 0; k < kKeys; ++k) {
            if (k < count) s_to[k] = own[k];
        }
    }
}

// For so many neighbouring threads that share keys, a power of two.
__device__ __forceinline__ void sync_threads(int threads) {
    if (threads <= 32) {
        __syncwarp();
    } else {
        __syncthreads();
    }
}

}  // namespace mergesort
