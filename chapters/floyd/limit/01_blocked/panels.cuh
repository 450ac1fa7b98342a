// SPDX-License-Identifier: MIT
// The first two phases of a round of 32 steps: what the third one needs of the pivots' rows and
// columns, its two panels.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "limit/01_blocked/matrices.cuh"

namespace floyd {

inline constexpr int kPivots = 32;  // of a round; the side of a tile, too

// Phase 1: takes the tile on the diagonal through the round's steps. Only the rows of the pivots
// leave the kernel, row k as it is at step k. A negative cycle whose largest vertex is pivot k has
// made the distance from k to itself negative by then: the flag of this round is negative[round +
// 1], and all later rounds hand it on.
static __global__ void relax_diagonal_kernel(Matrices matrices, int round, Distance* pivot_rows,
                                             int* negative) {
    __shared__ Distance s_tile[kPivots][kPivots];
    const int row = threadIdx.y, column = threadIdx.x;
    if (negative[round] != 0) {
        if (row == 0 && column == 0) negative[round + 1] = 1;
        return;
    }
    const std::int64_t first = static_cast<std::int64_t>(round) * kPivots;
    s_tile[row][column] = matrices.distances[(first + row) * matrices.stride + first + column];
    for (int k = 0; k < kPivots; ++k) {
        __syncthreads();  // a step reads what the step before it wrote; it changes no row or column
                          // k
        if (s_tile[k][k] < 0) {
            if (row == 0 && column == 0) negative[round + 1] = 1;
            return;
        }
        if (row == k) pivot_rows[k * kPivots + column] = s_tile[k][column];
        const Distance through = s_tile[row][k] + s_tile[k][column];
        if (through < min(s_tile[row][column], kMaxDistance + 1)) s_tile[row][column] = through;
    }
}

// Phase 2: takes the columns of the pivots through the round's steps, in all rows. A warp has a
// row, and a lane a column. `to_pivots` is a copy of the result, by pivots.
static __global__ void relax_columns_kernel(Matrices matrices, int round,
                                            const Distance* pivot_rows, Distance* to_pivots,
                                            const int* negative) {
    __shared__ Distance s_pivot_rows[kPivots][kPivots], s_to[kPivots][kPivots + 1];
    if (negative[round + 1] != 0) return;
    const int lane = threadIdx.x, warp = threadIdx.y;
    const std::int64_t first_row = static_cast<std::int64_t>(blockIdx.x) * kPivots;
    const std::int64_t cell = (first_row + warp) * matrices.stride + round * kPivots + lane;
    s_pivot_rows[warp][lane] = pivot_rows[warp * kPivots + lane];
    Distance distance = matrices.distances[cell];
    Vertex hop = matrices.next_hops[cell];
    __syncthreads();  // all warps read all pivot rows
    for (int k = 0; k < kPivots; ++k) {
        const Distance through = __shfl_sync(kAllLanes, distance, k) + s_pivot_rows[k][lane];
        const Vertex first_hop = __shfl_sync(kAllLanes, hop, k);
        if (through < min(distance, kMaxDistance + 1)) {
            distance = through;
            hop = first_hop;
        }
    }
    matrices.distances[cell] = distance;
    matrices.next_hops[cell] = hop;
    s_to[lane][warp] = distance;
    __syncthreads();  // a warp now stores the distances of all rows to one pivot
    to_pivots[warp * matrices.stride + first_row + lane] = s_to[warp][lane];
}

}  // namespace floyd
