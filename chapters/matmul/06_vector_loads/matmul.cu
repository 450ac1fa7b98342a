// SPDX-License-Identifier: MIT
// Matmul, stage 06: vector loads.
// Idea: one load takes four cells, from global memory and from shared memory. For that, A lies
// transposed in shared memory, and a thread has two groups of 4 rows and 2 groups of 4 columns,
// so that neighbouring lanes read neighbouring groups.
// Compared with 05_registers_8x8: load_four and read_four, s_a transposed with padded rows, and the
// places of a thread's cells.
// Limit now: the wait for global memory between two barriers.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>

#include "problem/on_device.cuh"

using matmul::Input, matmul::Output, matmul::PhaseTimer;

constexpr int kTile = 128;  // the side of a tile
constexpr int kDepth = 8;  // the length of a chunk
constexpr int kCells = 8;  // of a thread, per row and per column: two groups of 4
constexpr int kThreads = kTile / kCells;  // per side of a tile
constexpr int kBlockSize = kThreads * kThreads;  // times 4: the cells of a chunk of A
constexpr int kApart = kTile / 2;  // from one group to the other
// After each row of s_a. Without it, the lanes that store steps 0 and 4 of a row meet in one bank.
constexpr int kPadding = 4;

// Four neighbouring cells of a row, of which `count` are there; the others are 0. With `whole`, the
// rows begin at multiples of 16 bytes, and one load takes all four.
__device__ float4 load_four(const float* row, int count, bool whole) {
    if (whole && count >= 4) return *reinterpret_cast<const float4*>(row);
    return make_float4(count > 0 ? row[0] : 0.0f, count > 1 ? row[1] : 0.0f,
                       count > 2 ? row[2] : 0.0f, count > 3 ? row[3] : 0.0f);
}

// One load of 16 bytes from shared memory.
__device__ void read_four(const float* s_cells, float* cells) {
    const float4 four = *reinterpret_cast<const float4*>(s_cells);
    cells[0] = four.x;
    cells[1] = four.y;
    cells[2] = four.z;
    cells[3] = four.w;
}

__global__ void multiply_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                float* __restrict__ c, int m, int n, int k) {
    __shared__ alignas(16) float s_a[kDepth][kTile + kPadding];
    __shared__ alignas(16) float s_b[kDepth][kTile];
    const int tile_row = blockIdx.y * kTile, tile_column = blockIdx.x * kTile;
    const int y = static_cast<int>(threadIdx.x) / kThreads * 4;
    const int x = static_cast<int>(threadIdx.x) % kThreads * 4;
    const bool whole_a = k % 4 == 0, whole_b = n % 4 == 0;
    float sums[kCells][kCells] = {};
    for (int chunk = 0; chunk < k; chunk += kDepth) {
        // Past the edges of A and B stand zeros, so the loop over a chunk needs no test.
        const int row = 4 * threadIdx.x / kDepth, from = 4 * threadIdx.x % kDepth;
        const int cells_a = tile_row + row < m ? k - chunk - from : 0;
        const float4 four = load_four(
            a + static_cast<std::int64_t>(tile_row + row) * k + chunk + from, cells_a, whole_a);
        s_a[from + 0][row] = four.x;
        s_a[from + 1][row] = four.y;
        s_a[from + 2][row] = four.z;
        s_a[from + 3][row] = four.w;
        const int to = 4 * threadIdx.x / kTile, column = 4 * threadIdx.x % kTile;
        const int cells_b = chunk + to < k ? n - tile_column - column : 0;
        *reinterpret_cast<float4*>(&s_b[to][column]) = load_four(
            b + static_cast<std::int64_t>(chunk + to) * n + tile_column + column, cells_b, whole_b);
        __syncthreads();  // the whole chunk must be there before a thread reads it
        for (int p = 0; p < kDepth; ++p) {
            float rows[kCells], columns[kCells];
            for (int half = 0; half < 2; ++half) {
                read_four(&s_a[p][y + half * kApart], rows + 4 * half);
                read_four(&s_b[p][x + half * kApart], columns + 4 * half);
            }
            for (int i = 0; i < kCells; ++i) {
                for (int j = 0; j < kCells; ++j) sums[i][j] += rows[i] * columns[j];
            }
        }
        __syncthreads();  // no thread may overwrite the chunk while another still reads it
    }
    for (int i = 0; i < kCells; ++i) {
        for (int j = 0; j < kCells; ++j) {
            const int row = tile_row + y + i % 4 + i / 4 * kApart;
            const int column = tile_column + x + j % 4 + j / 4 * kApart;
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
