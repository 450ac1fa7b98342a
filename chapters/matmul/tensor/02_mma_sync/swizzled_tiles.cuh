// SPDX-License-Identifier: MIT
// Chunks of A and B in shared memory, swizzled, and what a warp computes with them.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "tensor/02_mma_sync/fragments.cuh"

namespace matmul {

constexpr int kTile = 128;  // the side of a tile
constexpr int kDepth = 32;  // the length of a chunk
constexpr int kWarpRows = 64, kWarpColumns = 32;  // of a warp's part of the tile
constexpr int kWarpsAcross = kTile / kWarpColumns;
constexpr int kBlockSize = kTile / kWarpRows * kWarpsAcross * 32;
constexpr int kSteps = 16;  // of one product of fragments
constexpr int kFragmentsDown = kWarpRows / 16, kFragmentsAcross = kWarpColumns / 8;

// The chunk's numbers, in groups of 8: 16 bytes. The eight rows of a matrix that ldmatrix loads
// must lie in different groups of banks, so a group's place in its row is changed by the number of
// the row: a swizzle. Rows of A have 64 bytes, so two of them share the 32 banks; rows of B have
// 256.
struct alignas(128) Chunk {
    static constexpr int kLength = kDepth;
    Number a[kTile][kDepth], b[kDepth][kTile];
};

__device__ inline Number* place_in_a(Chunk& s_chunk, int row, int group) {
    return &s_chunk.a[row][(group ^ (row / 2 % 4)) * kGroup];
}
__device__ inline Number* place_in_b(Chunk& s_chunk, int row, int group) {
    return &s_chunk.b[row][(group ^ (row % 8)) * kGroup];
}

// Adds the products of a chunk to a warp's sums.
template <class AnyChunk>
__device__ void multiply_chunk(AnyChunk& s_chunk, int warp_row, int warp_column,
                               Sums (&sums)[kFragmentsDown][kFragmentsAcross]) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int p = 0; p < AnyChunk::kLength; p += kSteps) {
        RowsFragment rows[kFragmentsDown];
        ColumnsFragment columns[kFragmentsAcross];
#pragma unroll
        for (int i = 0; i < kFragmentsDown; ++i) {
            load_rows(rows[i],
                      place_in_a(s_chunk, warp_row + i * 16 + lane % 16, p / kGroup + lane / 16));
        }
#pragma unroll
        for (int j = 0; j < kFragmentsAcross; j += 2) {
            load_columns(columns[j], columns[j + 1],
                         place_in_b(s_chunk, p + lane % 16, warp_column / kGroup + j + lane / 16));
        }
#pragma unroll
        for (int i = 0; i < kFragmentsDown; ++i) {
#pragma unroll
            for (int j = 0; j < kFragmentsAcross; ++j) add_product(sums[i][j], rows[i], columns[j]);
        }
    }
}

// Stores a warp's sums into C, which has m rows of n cells, as far as they lie in it.
__device__ inline void store_sums(const Sums (&sums)[kFragmentsDown][kFragmentsAcross], Number* c,
                                  int m, int n, int first_row, int first_column) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int i = 0; i < kFragmentsDown; ++i) {
#pragma unroll
        for (int j = 0; j < kFragmentsAcross; ++j) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const int row = first_row + i * 16 + half * 8 + lane / 4;
                const int column = first_column + j * 8 + lane % 4 * 2;
                if (row >= m) continue;
                Number* const to = c + static_cast<std::int64_t>(row) * n + column;
                const float left = sums[i][j].cells[2 * half];
                const float right = sums[i][j].cells[2 * half + 1];
                if (n % 2 == 0 && column < n) {
                    *reinterpret_cast<__nv_bfloat162*>(to) = __floats2bfloat162_rn(left, right);
                } else {
                    if (column < n) to[0] = __float2bfloat16(left);
                    if (column + 1 < n) to[1] = __float2bfloat16(right);
                }
            }
        }
    }
}

}  // namespace matmul
