// SPDX-License-Identifier: MIT
// A tile whose threads merge an odd number of keys each, from stage 16 on: where its fragments come
// from, how they are copied, and where they lie in shared memory. Nothing is padded.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/multiway_tile.cuh"
#include "device/tile_merge.cuh"
#include "problem/mergesort.hpp"
#include "problem/multiway.hpp"

namespace mergesort {

// So many neighbouring keys of a fragment, or fewer, are copied together by a warp.
inline constexpr int kChunkRows = 4;
inline constexpr int kChunkKeys = 32 * kChunkRows;

struct Chunk {
    std::int64_t source;  // in the list
    int place, count;  // in shared memory
};

// As Tile (device/multiway_tile.cuh), but with places in the lists, not with addresses: a pointer
// that comes from shared memory could point anywhere, so the compiler would keep all later accesses
// behind each store through it. kThreads merge kKeys keys each.
template <int kWays, int kThreads, int kKeys>
struct OddTile {
    // Each fragment may end with a chunk that is not full.
    static constexpr int kMostChunks =
        ((kThreads - kWays / 2) * kKeys + kWays * (kChunkKeys - 1)) / kChunkKeys;
    static constexpr int kOwnChunks = (kMostChunks - 1) / (kThreads / 32) + 1;  // of a warp

    std::int64_t result;
    int starts[kWays + 1];  // of the fragments, if they lie one after the other
    int gaps[kWays];  // of the pairs, by nodes
    Chunk chunks[kThreads / 32 * kOwnChunks];  // the last ones have no keys
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
    const int lane = threadIdx.x, chunks = (length + kChunkKeys - 1) / kChunkKeys;
    int end = length, chunk_end = chunks;
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
    // Each lane lists the chunks of its fragment, and then some without keys.
    const int own_gap = __shfl_sync(0xffffffff, gap, (kWays + lane) / 2 % 32);
    for (int i = 0; lane < kWays && i < chunks; ++i) {
        s_tile.chunks[chunk_end - chunks + i] = {source + i * kChunkKeys,
                                                 end - length + own_gap + i * kChunkKeys,
                                                 min(length - i * kChunkKeys, kChunkKeys)};
    }
    const int listed = __shfl_sync(0xffffffff, chunk_end, kWays - 1);
    for (int i = listed + lane; i < kThreads / 32 * s_tile.kOwnChunks; i += 32) {
        s_tile.chunks[i] = {0, 0, 0};
    }
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

// Loads a tile's fragments into shared memory, to their places of the first round. The loads of
// half of the chunks are on their way before the first key is stored: all would need more
// registers.
template <int kWays, int kThreads, int kKeys>
__device__ __forceinline__ void load_fragments(const Key* __restrict__ from, Key* s_keys,
                                               const OddTile<kWays, kThreads, kKeys>& s_tile) {
    constexpr int kOwn = OddTile<kWays, kThreads, kKeys>::kOwnChunks, kHalf = (kOwn + 1) / 2;
    const int lane = threadIdx.x % 32;
    const Chunk* s_own = s_tile.chunks + threadIdx.x / 32;
#pragma unroll
    for (int half = 0; half < kOwn; half += kHalf) {
        Key loaded[kHalf][kChunkRows];
#pragma unroll
        for (int c = 0; c < min(kHalf, kOwn - half); ++c) {
            const Chunk& chunk = s_own[(half + c) * (kThreads / 32)];
            const Key* source = from + (chunk.source + lane);
            const int count = chunk.count - lane;
#pragma unroll
            for (int row = 0; row < kChunkRows; ++row) {
                if (32 * row < count) loaded[c][row] = source[32 * row];
            }
        }
#pragma unroll
        for (int c = 0; c < min(kHalf, kOwn - half); ++c) {
            const Chunk& chunk = s_own[(half + c) * (kThreads / 32)];
            Key* s_to = s_keys + (chunk.place + lane);
            const int count = chunk.count - lane;
#pragma unroll
            for (int row = 0; row < kChunkRows; ++row) {
                if (32 * row < count) s_to[32 * row] = loaded[c][row];
            }
        }
    }
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

// Stores the first `count` keys of shared memory, by kThreads threads of at most kKeys keys each.
template <int kThreads, int kKeys>
__device__ __forceinline__ void store_tile(Key* __restrict__ to, const Key* s_keys, int count) {
    constexpr int kRows = 8;  // are read before the first is stored
    const int thread = threadIdx.x;
#pragma unroll
    for (int k = 0; k < kKeys; k += kRows) {
        Key row[kRows];
#pragma unroll
        for (int j = 0; j < min(kRows, kKeys - k); ++j) {
            const int i = (k + j) * kThreads + thread;
            if (i < count) row[j] = s_keys[i];
        }
#pragma unroll
        for (int j = 0; j < min(kRows, kKeys - k); ++j) {
            const int i = (k + j) * kThreads + thread;
            if (i < count) to[i] = row[j];
        }
    }
}

}  // namespace mergesort
