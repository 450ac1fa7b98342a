// SPDX-License-Identifier: MIT
// Matmul, stage 04: a column of cells per thread.
// Idea: a thread computes 8 cells of one column. It loads a cell of B from shared memory once and
// keeps it in a register for 8 products.
// Compared with 03_shared_tile: tiles of 64 x 64 cells, chunks of 8 steps, and 8 sums per thread.
// Limit now: the loads of A from shared memory, one per product.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>

#include "problem/on_device.cuh"

using matmul::Input, matmul::Output, matmul::PhaseTimer;

constexpr int kTile = 64;  // the side of a tile
constexpr int kDepth = 8;  // the length of a chunk
constexpr int kCells = 8;  // of a thread, one below the other
constexpr int kBlockSize = kTile * kTile / kCells;  // as many as a chunk of A has cells

__global__ void multiply_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                float* __restrict__ c, int m, int n, int k) {
    __shared__ float s_a[kTile][kDepth], s_b[kDepth][kTile];
    const int tile_row = blockIdx.y * kTile, tile_column = blockIdx.x * kTile;
    const int y = static_cast<int>(threadIdx.x) / kTile * kCells, x = threadIdx.x % kTile;
    float sums[kCells] = {};
    for (int chunk = 0; chunk < k; chunk += kDepth) {
        // Past the edges of A and B stand zeros, so the loop over a chunk needs no test.
        const int row = threadIdx.x / kDepth, from = threadIdx.x % kDepth;
        s_a[row][from] = tile_row + row < m && chunk + from < k
                             ? a[static_cast<std::int64_t>(tile_row + row) * k + chunk + from]
                             : 0.0f;
        const int to = threadIdx.x / kTile;
        s_b[to][x] = chunk + to < k && tile_column + x < n
                         ? b[static_cast<std::int64_t>(chunk + to) * n + tile_column + x]
                         : 0.0f;
        __syncthreads();  // the whole chunk must be there before a thread reads it
        for (int p = 0; p < kDepth; ++p) {
            const float factor = s_b[p][x];
            for (int i = 0; i < kCells; ++i) {
                sums[i] += s_a[y + i][p] * factor;
            }
        }
        __syncthreads();  // no thread may overwrite the chunk while another still reads it
    }
    for (int i = 0; i < kCells; ++i) {
        const int row = tile_row + y + i, column = tile_column + x;
        if (row < m && column < n) c[static_cast<std::int64_t>(row) * n + column] = sums[i];
    }
}

void multiply(const Input& input, Output& output, PhaseTimer& timer) {
    const dim3 blocks((input.n + kTile - 1) / kTile, (input.m + kTile - 1) / kTile);
    const auto launch = [&](const float* a, const float* b, float* c) {
        multiply_kernel<<<blocks, kBlockSize>>>(a, b, c, input.m, input.n, input.k);
    };
    matmul::multiply_on_device(input, output, timer, blocks, kBlockSize, launch);
}

int main(int argc, char** argv) { return matmul::run_stage(argc, argv, STAGE_NAME, multiply); }
