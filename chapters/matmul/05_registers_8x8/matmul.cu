// SPDX-License-Identifier: MIT
// Matmul, stage 05: 8 x 8 cells in registers.
// Idea: a thread computes a square of 8 x 8 cells. In each step it loads 8 cells of A and 8 of B
// into registers, and uses each of them 8 times.
// Compared with 04_column_per_thread: tiles of 128 x 128 cells, 64 sums per thread, and loops that
// copy four cells per thread.
// Limit now: bank conflicts. Neighbouring lanes read cells of B that are 8 words apart.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>

#include "problem/on_device.cuh"

using matmul::Input, matmul::Output, matmul::PhaseTimer;

constexpr int kTile = 128;  // the side of a tile
constexpr int kDepth = 8;  // the length of a chunk
constexpr int kCells = 8;  // of a thread, per row and per column
constexpr int kThreads = kTile / kCells;  // per side of a tile
constexpr int kBlockSize = kThreads * kThreads;

__global__ void multiply_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                float* __restrict__ c, int m, int n, int k) {
    __shared__ float s_a[kTile][kDepth], s_b[kDepth][kTile];
    const int tile_row = blockIdx.y * kTile, tile_column = blockIdx.x * kTile;
    const int y = static_cast<int>(threadIdx.x) / kThreads * kCells;
    const int x = static_cast<int>(threadIdx.x) % kThreads * kCells;
    float sums[kCells][kCells] = {};
    for (int chunk = 0; chunk < k; chunk += kDepth) {
        // Past the edges of A and B stand zeros, so the loop over a chunk needs no test.
        for (int i = threadIdx.x; i < kTile * kDepth; i += kBlockSize) {
            const int row = i / kDepth, from = i % kDepth;
            s_a[row][from] = tile_row + row < m && chunk + from < k
                                 ? a[static_cast<std::int64_t>(tile_row + row) * k + chunk + from]
                                 : 0.0f;
            const int to = i / kTile, column = i % kTile;
            s_b[to][column] =
                chunk + to < k && tile_column + column < n
                    ? b[static_cast<std::int64_t>(chunk + to) * n + tile_column + column]
                    : 0.0f;
        }
        __syncthreads();  // the whole chunk must be there before a thread reads it
        for (int p = 0; p < kDepth; ++p) {
            float rows[kCells], columns[kCells];
            for (int i = 0; i < kCells; ++i) rows[i] = s_a[y + i][p];
            for (int j = 0; j < kCells; ++j) columns[j] = s_b[p][x + j];
            for (int i = 0; i < kCells; ++i) {
                for (int j = 0; j < kCells; ++j) sums[i][j] += rows[i] * columns[j];
            }
        }
        __syncthreads();  // no thread may overwrite the chunk while another still reads it
    }
    for (int i = 0; i < kCells; ++i) {
        for (int j = 0; j < kCells; ++j) {
            const int row = tile_row + y + i, column = tile_column + x + j;
            if (row < m && column < n) c[static_cast<std::int64_t>(row) * n + column] = sums[i][j];
        }
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
