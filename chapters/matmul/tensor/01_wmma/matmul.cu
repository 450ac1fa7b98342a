// SPDX-License-Identifier: MIT
// Matmul, stage tensor/01: tensor cores.
// Idea: a warp multiplies whole matrices of 16 x 16 numbers by one instruction. It holds them as
// fragments, spread over the registers of its lanes in a way that only the hardware knows. The
// numbers are bfloat16, their sums 32-bit floats.
// Compared with 03_shared_tile: a tile of 64 x 64 cells, in whose chunks warps multiply fragments.
// Limit now: the fragments come from shared memory, and all warps wait for each chunk.
// Not of the thesis.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <cstdint>

#include "problem/on_device.cuh"

using matmul::Input, matmul::Output, matmul::PhaseTimer;
using Number = __nv_bfloat16;
namespace wmma = nvcuda::wmma;

constexpr int kSide = 16;  // of the matrices that a warp multiplies
constexpr int kTile = 64;  // the side of a tile
constexpr int kDepth = 32;  // the length of a chunk
constexpr int kOfWarp = 32;  // the side of a warp's part of the tile
constexpr int kFragments = kOfWarp / kSide;  // per side of it
constexpr int kWarps = kTile / kOfWarp;  // per side of the tile
constexpr int kBlockSize = kWarps * kWarps * 32;
// After each row in shared memory: rows of 64 bytes would begin in two places of the banks only.
constexpr int kPadding = 8;

// Brings rows x columns cells, from row `row` and column `column` on, with zeros past the edges.
template <int columns, int stride>
__device__ void bring(const Number* from, int rows, int there_rows, int there_columns, int row,
                      int column, Number* s_to) {
    for (int i = static_cast<int>(threadIdx.x); i < rows * columns; i += kBlockSize) {
        const int r = i / columns, c = i % columns;
        const bool there = row + r < there_rows && column + c < there_columns;
        s_to[r * stride + c] =
            there ? from[static_cast<std::int64_t>(row + r) * there_columns + column + c]
                  : Number(0.0f);
    }
}

__global__ void multiply_kernel(const Number* __restrict__ a, const Number* __restrict__ b,
                                Number* __restrict__ c, int m, int n, int k) {
    constexpr int kStrideA = kDepth + kPadding, kStrideB = kTile + kPadding;
    __shared__ alignas(32) Number s_a[kTile * kStrideA], s_b[kDepth * kStrideB];
    __shared__ alignas(32) float s_c[kTile * kTile];
    const int tile_row = blockIdx.y * kTile, tile_column = blockIdx.x * kTile;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int y = warp / kWarps * kOfWarp, x = warp % kWarps * kOfWarp;
    wmma::fragment<wmma::accumulator, kSide, kSide, kSide, float> sums[kFragments][kFragments];
    for (auto& row : sums) {
        for (auto& sum : row) wmma::fill_fragment(sum, 0.0f);
    }
    for (int chunk = 0; chunk < k; chunk += kDepth) {
        bring<kDepth, kStrideA>(a, kTile, m, k, tile_row, chunk, s_a);
        bring<kTile, kStrideB>(b, kDepth, k, n, chunk, tile_column, s_b);
        __syncthreads();  // the whole chunk must be there before a warp reads it
        for (int p = 0; p < kDepth; p += kSide) {
            wmma::fragment<wmma::matrix_a, kSide, kSide, kSide, Number, wmma::row_major>
                rows[kFragments];
            wmma::fragment<wmma::matrix_b, kSide, kSide, kSide, Number, wmma::row_major>
                columns[kFragments];
            for (int i = 0; i < kFragments; ++i) {
                wmma::load_matrix_sync(rows[i], &s_a[(y + i * kSide) * kStrideA + p], kStrideA);
                wmma::load_matrix_sync(columns[i], &s_b[p * kStrideB + x + i * kSide], kStrideB);
            }
            for (int i = 0; i < kFragments; ++i) {
                for (int j = 0; j < kFragments; ++j) {
                    wmma::mma_sync(sums[i][j], rows[i], columns[j], sums[i][j]);
                }
            }
        }
        __syncthreads();  // no thread may overwrite the chunk while a warp still reads it
    }
    // Nobody knows which cells a lane has, so the sums go through shared memory.
    for (int i = 0; i < kFragments; ++i) {
        for (int j = 0; j < kFragments; ++j) {
            wmma::store_matrix_sync(&s_c[(y + i * kSide) * kTile + x + j * kSide], sums[i][j],
                                    kTile, wmma::mem_row_major);
        }
    }
    __syncthreads();  // the sums of all warps must be there
    for (int i = static_cast<int>(threadIdx.x); i < kTile * kTile; i += kBlockSize) {
        const int row = tile_row + i / kTile, column = tile_column + i % kTile;
        if (row < m && column < n) {
            c[static_cast<std::int64_t>(row) * n + column] = __float2bfloat16(s_c[i]);
        }
    }
}

void multiply(const Input& input, Output& output, PhaseTimer& timer) {
    const dim3 blocks((input.n + kTile - 1) / kTile, (input.m + kTile - 1) / kTile);
    const auto launch = [&](const Number* a, const Number* b, Number* c) {
        multiply_kernel<<<blocks, kBlockSize>>>(a, b, c, input.m, input.n, input.k);
    };
    matmul::multiply_on_device<Number>(input, output, timer, blocks, kBlockSize, launch);
}

int main(int argc, char** argv) {
    return matmul::run_stage(argc, argv, STAGE_NAME, multiply, matmul::Format::kBfloat16);
}
