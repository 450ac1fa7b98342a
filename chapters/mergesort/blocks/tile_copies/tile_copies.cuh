// SPDX-License-Identifier: MIT
// Copies between global memory and a tile in shared memory: pieces of any lengths come to any
// places, and the first keys of the tile leave.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "problem/mergesort.hpp"

namespace mergesort {

// So many neighbouring keys of a piece, or fewer, are copied together by a warp.
inline constexpr int kChunkRows = 4;
inline constexpr int kChunkKeys = 32 * kChunkRows;

struct Chunk {
    std::int64_t source;  // in the list
    int place, count;  // in shared memory
};

// What kWarps warps copy: kPieces pieces, of kKeys keys together at most.
template <int kWarps, int kKeys, int kPieces>
struct ChunkList {
    // Each piece may end with a chunk that is not full.
    static constexpr int kMost = (kKeys + kPieces * (kChunkKeys - 1)) / kChunkKeys;
    static constexpr int kOwn = (kMost - 1) / kWarps + 1;  // of a warp

    Chunk chunks[kWarps * kOwn];  // the last ones have no keys
};

__device__ __forceinline__ int chunks_of(int length) {
    return (length + kChunkKeys - 1) / kChunkKeys;
}

// The first warp calls: each of the first kPieces lanes lists the chunks of its piece, which comes
// to `place`, and `gap` words further. chunk_end: how many chunks its piece and those of the lanes
// before it have.
template <int kWarps, int kKeys, int kPieces>
__device__ __forceinline__ void list_chunks(std::int64_t source, int place, int gap, int length,
                                            int chunk_end,
                                            ChunkList<kWarps, kKeys, kPieces>& s_list) {
    const int lane = threadIdx.x, chunks = chunks_of(length);
    for (int i = 0; lane < kPieces && i < chunks; ++i) {
        s_list.chunks[chunk_end - chunks + i] = {source + i * kChunkKeys,
                                                 place + gap + i * kChunkKeys,
                                                 min(length - i * kChunkKeys, kChunkKeys)};
    }
    const int listed = __shfl_sync(0xffffffff, chunk_end, kPieces - 1);
    for (int i = listed + lane; i < kWarps * s_list.kOwn; i += 32) s_list.chunks[i] = {0, 0, 0};
}

// All threads call, behind a barrier. The loads of half of the chunks are on their way before the
// first key is stored: all would need more registers.
template <int kWarps, int kKeys, int kPieces>
__device__ __forceinline__ void load_chunks(const Key* __restrict__ from, Key* s_keys,
                                            const ChunkList<kWarps, kKeys, kPieces>& s_list) {
    constexpr int kOwn = ChunkList<kWarps, kKeys, kPieces>::kOwn, kHalf = (kOwn + 1) / 2;
    const int lane = threadIdx.x % 32;
    const Chunk* s_own = s_list.chunks + threadIdx.x / 32;
#pragma unroll
    for (int half = 0; half < kOwn; half += kHalf) {
        Key loaded[kHalf][kChunkRows];
#pragma unroll
        for (int c = 0; c < min(kHalf, kOwn - half); ++c) {
            const Chunk& chunk = s_own[(half + c) * kWarps];
            const Key* source = from + (chunk.source + lane);
            const int count = chunk.count - lane;
#pragma unroll
            for (int row = 0; row < kChunkRows; ++row) {
                if (32 * row < count) loaded[c][row] = source[32 * row];
            }
        }
#pragma unroll
        for (int c = 0; c < min(kHalf, kOwn - half); ++c) {
            const Chunk& chunk = s_own[(half + c) * kWarps];
            Key* s_to = s_keys + (chunk.place + lane);
            const int count = chunk.count - lane;
#pragma unroll
            for (int row = 0; row < kChunkRows; ++row) {
                if (32 * row < count) s_to[32 * row] = loaded[c][row];
            }
        }
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
