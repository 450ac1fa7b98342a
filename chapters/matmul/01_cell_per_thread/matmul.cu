// SPDX-License-Identifier: MIT
// Matmul, stage 01: one thread per cell.
// Idea: each thread adds the k products of one cell of C. The threads need nothing from each other.
// Compared with 00_cpu: the loops over rows and columns become the grid; the matrices are copied to
// the device and back.
// Limit now: the sectors of A. The lanes of a warp have neighbouring rows, so each lane reads
// another sector of A, in each step of the loop.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>

#include "problem/on_device.cuh"

using matmul::Input, matmul::Output, matmul::PhaseTimer;

// A block has 32 rows, one per lane, and 8 columns, one per warp.
constexpr int kRows = 32;
constexpr int kColumns = 8;

__global__ void multiply_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                float* __restrict__ c, int m, int n, int k) {
    const int row = blockIdx.y * kRows + threadIdx.x;
    const int column = blockIdx.x * kColumns + threadIdx.y;
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
        multiply_kernel<<<blocks, dim3(kRows, kColumns)>>>(a, b, c, input.m, input.n, input.k);
    };
    matmul::multiply_on_device(input, output, timer, blocks, kRows * kColumns, launch);
}

int main(int argc, char** argv) { return matmul::run_stage(argc, argv, STAGE_NAME, multiply); }
