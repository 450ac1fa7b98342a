// SPDX-License-Identifier: MIT
// Matmul, stage 02: coalesced.
// Idea: the lanes of a warp have neighbouring columns. So they read neighbouring cells of B, and
// all of them the same cell of A.
// Compared with 01_cell_per_thread: rows and columns have changed places in the block.
// Limit now: loads. Each product needs two of them, and the same cells are read by many warps.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>

#include "problem/on_device.cuh"

using matmul::Input, matmul::Output, matmul::PhaseTimer;

// A block has 8 rows, one per warp, and 32 columns, one per lane.
constexpr int kRows = 8;
constexpr int kColumns = 32;

__global__ void multiply_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                float* __restrict__ c, int m, int n, int k) {
    const int row = blockIdx.y * kRows + threadIdx.y;
    const int column = blockIdx.x * kColumns + threadIdx.x;
    if (row >= m || column >= n) return;
    float sum = 0.0f;
    for (int p = 0; p < k; ++p) {
        sum += a[static_cast<std::int64_t>(row) * k + p] *
               b[static_cast<std::int64_t>(p) * n + column];
    }
    c[static_cast<std::int64_t>(row) * n + column] = sum;
}

void multiply(const Input& input, Output& output, PhaseTimer& timer) {
    const dim3 blocks((input.n + kColumns - 1) / kColumns, (input.m + kRows - 1) / kRows);
    const auto launch = [&](const float* a, const float* b, float* c) {
        multiply_kernel<<<blocks, dim3(kColumns, kRows)>>>(a, b, c, input.m, input.n, input.k);
    };
    matmul::multiply_on_device(input, output, timer, blocks, kRows * kColumns, launch);
}

int main(int argc, char** argv) { return matmul::run_stage(argc, argv, STAGE_NAME, multiply); }
