// SPDX-License-Identifier: MIT
// A ring of chunks of keys, which asynchronous copies fill while the threads work on the chunks
// before. For tiles whose side is the length of a round.
#pragma once

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/deep_panels/deep_panels.cuh"
#include "limit/02_register_tiles/four_words.cuh"

namespace floyd {

inline constexpr int kChunk = 16;  // pivots whose keys are copied at a time
inline constexpr int kRing = 4;  // chunks in shared memory

// A chunk of keys to the pivots and from them.
template <int kSide>
struct Chunk {
    int to[kChunk][kSide], from[kChunk][kSide];
};

// The keys of a thread's cells.
template <int kSide>
using TileKeys = int[Shape<kSide>::kRows][Shape<kSide>::kColumns][4][4];

// Starts to copy a chunk of the tile's keys, if there is one. Commits in any case, so that the
// number of groups is the same for all chunks.
template <int kSide>
__device__ __forceinline__ void fetch_chunk(const int* to_keys, const int* from_keys,
                                            std::int64_t stride, int chunk, Chunk<kSide>* s_ring) {
    if (chunk < kSide / kChunk) {
        Chunk<kSide>& s_chunk = s_ring[chunk % kRing];
        for (int i = 4 * threadIdx.x; i < kChunk * kSide; i += 4 * Shape<kSide>::kThreads) {
            const int k = i / kSide, place = i % kSide;
            const std::int64_t pivot = (chunk * kChunk + k) * stride;
            __pipeline_memcpy_async(&s_chunk.to[k][place], &to_keys[pivot + place], sizeof(int4));
            __pipeline_memcpy_async(&s_chunk.from[k][place], &from_keys[pivot + place],
                                    sizeof(int4));
        }
    }
    __pipeline_commit();
}

// Relaxes a thread's cells over the pivots of a chunk.
template <int kSide>
__device__ __forceinline__ void relax_chunk(const Chunk<kSide>& s_chunk, int y, int x,
                                            TileKeys<kSide>& keys) {
    using Tile = Shape<kSide>;
#pragma unroll
    for (int k = 0; k < kChunk; ++k) {
        int to_keys[Tile::kRows][4], from_keys[Tile::kColumns][4];
#pragma unroll
        for (int u = 0; u < Tile::kRows; ++u) {
            load_four(&s_chunk.to[k][y + u * Tile::kRowsApart], to_keys[u]);
        }
#pragma unroll
        for (int v = 0; v < Tile::kColumns; ++v) {
            load_four(&s_chunk.from[k][x + v * Tile::kColumnsApart], from_keys[v]);
        }
#pragma unroll
        for (int i = 0; i < 4 * Tile::kRows; ++i) {
#pragma unroll
            for (int j = 0; j < 4 * Tile::kColumns; ++j) {
                int& key = keys[i / 4][j / 4][i % 4][j % 4];
                key = min(to_keys[i / 4][i % 4] + from_keys[j / 4][j % 4], key);
            }
        }
    }
}

}  // namespace floyd
