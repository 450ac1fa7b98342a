// SPDX-License-Identifier: MIT
// The panels of rounds of 64 or 128 steps: the first two phases of limit/01_blocked with more cells
// per thread, and with the keys of limit/03_tagged_keys made where the distances are at hand.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/cuda/shared_memory.hpp"
#include "limit/01_blocked/matrices.cuh"
#include "limit/02_register_tiles/four_words.cuh"
#include "limit/03_tagged_keys/keys.cuh"

namespace floyd {

// Two neighbouring words in one access, as elements of an array.
__device__ __forceinline__ void load_two(const int* from, int* to) {
    const int2 words = *reinterpret_cast<const int2*>(from);
    to[0] = words.x;
    to[1] = words.y;
}

// Elements of an array as four neighbouring words, in one access.
__device__ __forceinline__ void store_four(const int* from, int* to) {
    *reinterpret_cast<int4*>(to) = make_int4(from[0], from[1], from[2], from[3]);
}

// A distance that is to be added to another one.
__device__ __forceinline__ Distance as_factor(Distance distance) {
    return distance > kMaxDistance ? kInfinity : distance;
}

// How the cells of a tile of kSide x kSide are given to kThreads threads: kRows x kColumns squares
// of 4 x 4 cells per thread, kRowsApart and kColumnsApart from one square to the next.
template <int kTileSide>
struct Shape {
    static constexpr int kSide = kTileSide;
    static constexpr int kRows = kSide / 64, kColumns = 2;
    static constexpr int kRowsApart = kSide / kRows, kColumnsApart = kSide / kColumns;
    static constexpr int kThreads = kRowsApart / 4 * (kColumnsApart / 4);
};

// Four distances that all threads of the block add to others.
__device__ __forceinline__ void publish(const Distance* cells, Distance* s_factors) {
    Distance factors[4];
    for (int i = 0; i < 4; ++i) factors[i] = as_factor(cells[i]);
    store_four(factors, s_factors);
}

// Phase 1: takes the tile on the diagonal through the round's steps: see stage limit/01. For one
// block of Shape<kPivots>::kThreads threads. Two steps, k and k + 1, have one barrier: the owners
// of rows and columns k and k + 1 publish them from before step k. All threads take row and column
// k + 1, as far as they need them, through step k themselves.
template <int kPivots>
__device__ __forceinline__ void relax_diagonal(Matrices matrices, int round, Distance* pivot_rows,
                                               int* negative) {
    using Tile = Shape<kPivots>;
    constexpr int kRows = 4 * Tile::kRows, kColumns = 4 * Tile::kColumns;  // of a thread
    // Of two pairs of steps, in turn.
    __shared__ __align__(16) Distance s_row[2][2][kPivots], s_column[2][2][kPivots];
    const int y = 4 * (threadIdx.x / (Tile::kColumnsApart / 4));
    const int x = 4 * (threadIdx.x % (Tile::kColumnsApart / 4));
    const std::int64_t first = static_cast<std::int64_t>(round) * kPivots;
    Distance cells[kRows][kColumns];
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
        const std::int64_t row = first + y + i / 4 * Tile::kRowsApart + i % 4;
#pragma unroll
        for (int v = 0; v < Tile::kColumns; ++v) {
            load_four(
                &matrices.distances[row * matrices.stride + first + x + v * Tile::kColumnsApart],
                &cells[i][4 * v]);
        }
        for (int j = 0; j < kColumns; ++j) cells[i][j] = as_cell(cells[i][j]);
    }
#pragma unroll
    for (int square = 0; square < Tile::kColumns; ++square) {
        const int u = square * Tile::kRows / Tile::kColumns;
        const int first_k = square * Tile::kColumnsApart;
        // The owners' part of steps k and k + 1. `e` is k % 4, known to the compiler, so that cells
        // stay in registers.
        const auto publish_steps = [&](int k, int e) {
            if (y == k - e - u * Tile::kRowsApart) {
#pragma unroll
                for (int i = 0; i < 2; ++i) {
#pragma unroll
                    for (int v = 0; v < Tile::kColumns; ++v) {
                        publish(&cells[4 * u + e + i][4 * v],
                                &s_row[e / 2][i][x + v * Tile::kColumnsApart]);
                    }
                }
            }
            if (x == k - e - first_k) {
#pragma unroll
                for (int i = 0; i < kRows; i += 4) {
#pragma unroll
                    for (int j = 0; j < 2; ++j) {
                        const int c = 4 * square + e + j;
                        const Distance column[4] = {cells[i][c], cells[i + 1][c], cells[i + 2][c],
                                                    cells[i + 3][c]};
                        publish(column, &s_column[e / 2][j][y + i / 4 * Tile::kRowsApart]);
                    }
                }
            }
        };
        publish_steps(first_k, 0);
        for (int four = first_k; four < first_k + Tile::kColumnsApart; four += 4) {
#pragma unroll
            for (int e = 0; e < 4; e += 2) {
                const int k = four + e, half = e / 2, next = (e + 2) % 4;
                // All read what the owners have published. All have read the other half, which the
                // next owners write below.
                __syncthreads();
                Distance corner[2][2];  // from k and k + 1 to k and k + 1
                load_two(&s_row[half][0][k], corner[0]);
                load_two(&s_row[half][1][k], corner[1]);
                const Distance forth = corner[0][1], back = corner[1][0];
                if (min(min(corner[0][0], corner[1][1]), forth + back) < 0) {
                    if (threadIdx.x == 0) negative[round + 1] = 1;
                    return;
                }
                Distance from[2][kColumns], to[2][kRows];
#pragma unroll
                for (int step = 0; step < 2; ++step) {
#pragma unroll
                    for (int v = 0; v < Tile::kColumns; ++v) {
                        load_four(&s_row[half][step][x + v * Tile::kColumnsApart],
                                  &from[step][4 * v]);
                    }
#pragma unroll
                    for (int i = 0; i < kRows; i += 4) {
                        load_four(&s_column[half][step][y + i / 4 * Tile::kRowsApart],
                                  &to[step][i]);
                    }
                }
                // A sum with infinity is not infinity, but with a third distance it is still larger
                // than any path: two finite ones in a row are a walk without a negative cycle.
#pragma unroll
                for (int c = 0; c < kColumns; ++c) from[1][c] = min(back + from[0][c], from[1][c]);
#pragma unroll
                for (int i = 0; i < kRows; ++i) to[1][i] = min(to[0][i] + forth, to[1][i]);
                const auto relax = [&](bool for_next_steps) {
#pragma unroll
                    for (int i = 0; i < kRows; ++i) {
#pragma unroll
                        for (int c = 0; c < kColumns; ++c) {
                            const bool is_next = (i / 4 == u && i % 4 / 2 == next / 2) ||
                                                 (c / 4 == square && c % 4 / 2 == next / 2);
                            if (is_next != for_next_steps) continue;
                            cells[i][c] = min(to[0][i] + from[0][c], cells[i][c]);
                            cells[i][c] = min(to[1][i] + from[1][c], cells[i][c]);
                        }
                    }
                };
                // The rows and columns of the next steps come first: the other cells hide the way
                // through shared memory.
                relax(true);
                if (k + 2 < first_k + Tile::kColumnsApart) publish_steps(k + 2, next);
                relax(false);
                if (y != 0) continue;
#pragma unroll
                for (int step = 0; step < 2; ++step) {
#pragma unroll
                    for (int v = 0; v < Tile::kColumns; ++v) {
                        store_four(&from[step][4 * v],
                                   &pivot_rows[(k + step) * kPivots + x + v * Tile::kColumnsApart]);
                    }
                }
            }
        }
    }
}

template <int kPivots>
__global__ void __launch_bounds__(Shape<kPivots>::kThreads)
    relax_diagonal_kernel(Matrices matrices, int round, Distance* pivot_rows, int* negative) {
    if (negative[round] != 0) {
        if (threadIdx.x == 0) negative[round + 1] = 1;
        return;
    }
    relax_diagonal<kPivots>(matrices, round, pivot_rows, negative);
}

inline constexpr int kStripRows = 8;  // of a block of the second phase, one row per warp

// Bytes of dynamic shared memory of the second phase: for the rows of the pivots, later for the
// block's result.
template <int kPivots>
inline constexpr std::size_t kStripBytes = kPivots* kPivots * sizeof(Distance);

// The rows of the pivots from before the round, and their keys, for 32 columns. In their own
// columns nothing becomes less in the third phase: infinity, so that nobody waits for the strip
// there.
template <int kPivots>
__device__ __forceinline__ void copy_pivot_rows(Matrices matrices, int round, Panel from,
                                                std::int64_t first_column) {
    constexpr int kEach = kPivots / kStripRows;  // pivots of a warp
    __shared__ Distance s_least[kStripRows][32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const std::int64_t column = first_column + lane;
    const std::int64_t first_pivot = static_cast<std::int64_t>(round) * kPivots;
    Distance distances[kEach], least = kInfinity;
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
        const std::int64_t pivot = first_pivot + warp * kEach + e;
        distances[e] = kInfinity;
        if (column / kPivots != round) {
            distances[e] = matrices.distances[pivot * matrices.stride + column];
        }
        least = min(least, distances[e]);
    }
    s_least[warp][lane] = least;
    __syncthreads();  // all warps read what all found
    for (int other = 0; other < kStripRows; ++other) least = min(least, s_least[other][lane]);
    if (least > kMaxDistance) least = 0;
    if (warp == 0) from.least[column] = least;
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
        const std::int64_t place = (warp * kEach + e) * matrices.stride + column;
        from.distances[place] = distances[e];
        from.keys[place] = key_of<kPivots>(distances[e], least);
    }
}

// Phase 2: takes the columns of the pivots through the round's steps, in all rows: see stage
// limit/01. A warp has a row, and a lane every 32nd column of it. The last blocks copy the rows of
// the pivots. Measured on an H200 with 4096 vertices: two rows per warp make stage limit/07 3 %
// slower, four 8 %.
template <int kPivots>
__global__ void __launch_bounds__(32 * kStripRows)
    relax_columns_kernel(Matrices matrices, int round, const Distance* pivot_rows, Panel to,
                         Panel from, const int* negative) {
    constexpr int kColumns = kPivots / 32;
    extern __shared__ __align__(16) Distance s_words[];
    __shared__ Distance s_least[kStripRows];
    if (negative[round + 1] != 0) return;
    const std::int64_t block_row = static_cast<std::int64_t>(blockIdx.x) * kStripRows;
    if (block_row >= matrices.stride) {
        const std::int64_t block = blockIdx.x - matrices.stride / kStripRows;
        copy_pivot_rows<kPivots>(matrices, round, from, 32 * block);
        return;
    }
    for (int i = 4 * threadIdx.x; i < kPivots * kPivots; i += 4 * 32 * kStripRows) {
        copy_four(&pivot_rows[i], &s_words[i]);
    }
    const int lane = threadIdx.x % 32, own_row = threadIdx.x / 32;
    const std::int64_t first_cell = (block_row + own_row) * matrices.stride + round * kPivots;
    Distance distances[kColumns];
    Vertex hops[kColumns];
    for (int n = 0; n < kColumns; ++n) {
        const std::int64_t cell = first_cell + 32 * n + lane;
        distances[n] = as_cell(matrices.distances[cell]);
        hops[n] = matrices.next_hops[cell];
    }
    __syncthreads();  // all warps read all rows of the pivots
#pragma unroll
    for (int m = 0; m < kColumns; ++m) {
#pragma unroll 4
        for (int owner = 0; owner < 32; ++owner) {
            const Distance* pivot_row = &s_words[(32 * m + owner) * kPivots];
            const Distance to_pivot = as_factor(__shfl_sync(kAllLanes, distances[m], owner));
            const Vertex first_hop = __shfl_sync(kAllLanes, hops[m], owner);
            for (int n = 0; n < kColumns; ++n) {
                const Distance through = to_pivot + pivot_row[32 * n + lane];
                if (through < distances[n]) {
                    distances[n] = through;
                    hops[n] = first_hop;
                }
            }
        }
    }
    __syncthreads();  // s_words now holds the block's result, by pivots
    Distance least = kInfinity;
    for (int n = 0; n < kColumns; ++n) {
        const std::int64_t cell = first_cell + 32 * n + lane;
        const Distance distance = as_factor(distances[n]);
        matrices.distances[cell] = distance;
        matrices.next_hops[cell] = hops[n];
        s_words[(32 * n + lane) * (kStripRows + 1) + own_row] = distance;
        least = min(least, distance);
    }
    least = __reduce_min_sync(kAllLanes, least);
    if (lane == 0) s_least[own_row] = least > kMaxDistance ? 0 : least;
    __syncthreads();  // neighbouring threads now store what neighbouring rows have for one pivot
    for (int i = threadIdx.x; i < kPivots * kStripRows; i += 32 * kStripRows) {
        const int k = i / kStripRows, row = i % kStripRows;
        const Distance distance = s_words[k * (kStripRows + 1) + row];
        const std::int64_t place = k * matrices.stride + block_row + row;
        to.distances[place] = distance;
        to.keys[place] = key_of<kPivots>(distance, s_least[row]) + k + 1;
        if (k == 0) to.least[block_row + row] = s_least[row];
    }
}

// The second phase's copy of the pivots' rows alone, for a rank that gets these rows from another.
template <int kPivots>
__global__ void __launch_bounds__(32 * kStripRows)
    copy_pivot_rows_kernel(Matrices rows, int round, Panel from, const int* negative) {
    if (negative[round + 1] == 0) copy_pivot_rows<kPivots>(rows, round, from, 32 * blockIdx.x);
}

// Lets the second phase use its shared memory: 64 KB with 128 pivots. Throws NoDeviceError
// where a block cannot have so much.
template <int kPivots>
void allow_strips() {
    course::allow_dynamic_shared(relax_columns_kernel<kPivots>, kStripBytes<kPivots>,
                                 "stages limit/01 to limit/03 need less");
}

// Launches the second phase.
template <int kPivots>
void launch_columns(Matrices matrices, int round, const Distance* pivot_rows, Panel to, Panel from,
                    const int* negative, cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>(matrices.stride / kStripRows + matrices.stride / 32);
    relax_columns_kernel<kPivots><<<blocks, 32 * kStripRows, kStripBytes<kPivots>, stream>>>(
        matrices, round, pivot_rows, to, from, negative);
    course::cuda_check(cudaGetLastError());
}

}  // namespace floyd
