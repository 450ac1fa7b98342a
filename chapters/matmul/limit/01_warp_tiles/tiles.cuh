// SPDX-License-Identifier: MIT
// Tiles of C, who computes which cells of them, and how a block brings its chunks of A and B.
#pragma once

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace matmul {

constexpr int kGroup = 4;  // neighbouring cells, which one load of 16 bytes takes
constexpr int kPadding = 4;  // after each row of A's chunk, as in stage 06
constexpr int kTogether = 8;  // rows of tiles whose blocks run at about the same time

// A block computes a tile of rows x columns cells, in chunks of `depth` steps. A thread has
// own_rows x own_columns cells, in groups of 4 per side. The lanes of a warp form a rectangle, so
// that a warp has a tile of its own. `ring` chunks are in shared memory, and `blocks` blocks should
// fit a multiprocessor.
template <int rows, int columns, int depth, int own_rows, int own_columns, int lane_rows, int ring,
          int blocks>
struct Shape {
    static constexpr int kTileRows = rows, kTileColumns = columns, kDepth = depth;
    static constexpr int kRows = own_rows, kColumns = own_columns;
    static constexpr int kLaneRows = lane_rows, kLaneColumns = 32 / lane_rows;
    static constexpr int kWarpRows = kLaneRows * kRows, kWarpColumns = kLaneColumns * kColumns;
    static constexpr int kWarpsAcross = kTileColumns / kWarpColumns;
    static constexpr int kBlockSize = 32 * (kTileRows / kWarpRows) * kWarpsAcross;
    static constexpr int kRing = ring, kBlocks = blocks;
    static constexpr int kStride = kTileRows + kPadding;  // of A's chunk, which is transposed
    static constexpr int kCellsOfA = kDepth * kStride, kCellsOfB = kDepth * kTileColumns;
    static constexpr int kRingBytes = kRing * (kCellsOfA + kCellsOfB) * 4;
};

// Where a block's tile begins in C.
struct Tile {
    int row, column;
};

// The tiles in an order for the L2 cache: down kTogether rows of tiles, then the next column. So
// the blocks that run at one time read few rows of A and few columns of B.
template <class S>
__device__ Tile tile_of(int block, int m, int n) {
    const int down = (m + S::kTileRows - 1) / S::kTileRows;
    const int across = (n + S::kTileColumns - 1) / S::kTileColumns;
    const int first = block / (kTogether * across) * kTogether;
    const int rows = min(kTogether, down - first);
    const int within = block % (kTogether * across);
    return {(first + within % rows) * S::kTileRows, within / rows * S::kTileColumns};
}

// A thread's first cell in the tile. Its other groups follow, a warp's groups apart.
template <class S>
__device__ Tile corner_of_thread() {
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    return {warp / S::kWarpsAcross * S::kWarpRows + lane / S::kLaneColumns * kGroup,
            warp % S::kWarpsAcross * S::kWarpColumns + lane % S::kLaneColumns * kGroup};
}

// What a thread brings of each chunk: groups of A, through registers, because they are transposed;
// and groups of B, by asynchronous copies. k is a multiple of the depth, and n of 4. Past the last
// row of A and the last columns of B, the last ones are taken again; nobody stores what they give.
template <class S>
class Bringer {
  public:
    __device__ Bringer(const float* a, const float* b, int m, int n, int k, Tile tile, float* s_a,
                       float* s_b)
        : n_(n) {
        const int thread = static_cast<int>(threadIdx.x);
        constexpr int kAcrossA = S::kDepth / kGroup;  // groups
#pragma unroll
        for (int q = 0; q < kGroupsOfA; ++q) {
            const int row = (q * S::kBlockSize + thread) / kAcrossA;
            a_[q] = a + static_cast<std::int64_t>(min(tile.row + row, m - 1)) * k +
                    thread % kAcrossA * kGroup;
        }
        const int column = thread % kAcrossB * kGroup;
        b_ = b + static_cast<std::int64_t>(thread / kAcrossB) * n +
             min(tile.column + column, n - kGroup);
        to_a_ = s_a + thread % kAcrossA * kGroup * S::kStride + thread / kAcrossA;
        to_b_ = s_b + thread / kAcrossB * S::kTileColumns + column;
    }

    // Begins to bring the next chunk into this slot of the ring. Its copies need a commit.
    __device__ void begin(int slot) {
#pragma unroll
        for (int q = 0; q < kGroupsOfB; ++q) {
            __pipeline_memcpy_async(to_b_ + slot * S::kCellsOfB + q * kStepOfB * S::kTileColumns,
                                    b_ + static_cast<std::int64_t>(q * kStepOfB) * n_, 16);
        }
        b_ += static_cast<std::int64_t>(S::kDepth) * n_;
#pragma unroll
        for (int q = 0; q < kGroupsOfA; ++q) {
            four_[q] = *reinterpret_cast<const float4*>(a_[q]);
            a_[q] += S::kDepth;
        }
    }

    // Stores the cells of A, which have come by now.
    __device__ void end(int slot) const {
#pragma unroll
        for (int q = 0; q < kGroupsOfA; ++q) {
            float* const to =
                to_a_ + slot * S::kCellsOfA + q * (S::kBlockSize / (S::kDepth / kGroup));
            to[0] = four_[q].x;
            to[S::kStride] = four_[q].y;
            to[2 * S::kStride] = four_[q].z;
            to[3 * S::kStride] = four_[q].w;
        }
    }

  private:
    static constexpr int kAcrossB = S::kTileColumns / kGroup;
    static constexpr int kStepOfB = S::kBlockSize / kAcrossB;  // rows that all threads copy at once
    static constexpr int kGroupsOfA = S::kTileRows * S::kDepth / kGroup / S::kBlockSize;
    static constexpr int kGroupsOfB = S::kDepth * kAcrossB / S::kBlockSize;

    const float *a_[kGroupsOfA], *b_;
    float *to_a_, *to_b_;
    float4 four_[kGroupsOfA];
    int n_;
};

// What one step of a thread takes from shared memory.
template <class S>
struct Operands {
    float rows[S::kRows], columns[S::kColumns];
};

// Reads those of step p. The pointers are the slot's, and point to the thread's corner.
template <class S>
__device__ void read_operands(const float* s_a, const float* s_b, int p, Operands<S>& operands) {
#pragma unroll
    for (int i = 0; i < S::kRows; i += kGroup) {
        *reinterpret_cast<float4*>(operands.rows + i) = *reinterpret_cast<const float4*>(
            s_a + p * S::kStride + i / kGroup * S::kLaneRows * kGroup);
    }
#pragma unroll
    for (int j = 0; j < S::kColumns; j += kGroup) {
        *reinterpret_cast<float4*>(operands.columns + j) = *reinterpret_cast<const float4*>(
            s_b + p * S::kTileColumns + j / kGroup * S::kLaneColumns * kGroup);
    }
}

// Stores a thread's sums into C, which has m rows of n cells, as far as they lie in it.
template <class S>
__device__ void store_sums(const float (&sums)[S::kRows][S::kColumns], float* c, int m, int n,
                           Tile tile, Tile corner) {
#pragma unroll
    for (int i = 0; i < S::kRows; ++i) {
        const int row = tile.row + corner.row + i % kGroup + i / kGroup * S::kLaneRows * kGroup;
        if (row >= m) continue;
#pragma unroll
        for (int j = 0; j < S::kColumns; j += kGroup) {
            const int column = tile.column + corner.column + j * S::kLaneColumns;
            float* const to = c + static_cast<std::int64_t>(row) * n + column;
            if (n % kGroup == 0) {
                if (column < n) {
                    *reinterpret_cast<float4*>(to) =
                        make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
                }
            } else {
#pragma unroll
                for (int at = 0; at < kGroup; ++at) {
                    if (column + at < n) to[at] = sums[i][j + at];
                }
            }
        }
    }
}

}  // namespace matmul
