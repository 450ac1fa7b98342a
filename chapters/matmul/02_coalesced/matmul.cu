// SPDX-License-Identifier: MIT
// Matmul, stage 02: coalesced.
// Idea: the lanes of a warp have neighbouring columns. So they read neighbouring cells of B, and
// all of them the same cell of A.
// Compared with 01_cell_per_thread: rows and columns have changed places in the block.
// Limit now: loads. Each product needs two of them, and the same cells are read by many warps.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/matmul.hpp"

using course::cuda_check, course::DeviceBuffer;
using matmul::Input, matmul::Output, matmul::Phase, matmul::PhaseTimer;

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
    timer.begin(Phase::kSetup);
    DeviceBuffer<float> d_a(input.a.size()), d_b(input.b.size()), d_c(input.cells());

    timer.begin(Phase::kCopyIn);
    cuda_check(cudaMemcpy(d_a.data(), input.a.data(), d_a.bytes(), cudaMemcpyHostToDevice));
    cuda_check(cudaMemcpy(d_b.data(), input.b.data(), d_b.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    const dim3 blocks((input.n + kColumns - 1) / kColumns, (input.m + kRows - 1) / kRows);
    multiply_kernel<<<blocks, dim3(kColumns, kRows)>>>(d_a.data(), d_b.data(), d_c.data(), input.m,
                                                       input.n, input.k);
    cuda_check(cudaGetLastError());

    timer.begin(Phase::kCopyOut);
    cuda_check(cudaMemcpy(output.c.data(), d_c.data(), d_c.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid(static_cast<std::int64_t>(blocks.x) * blocks.y, kRows * kColumns);
    timer.declare_work(matmul::work_of(input));
}

int main(int argc, char** argv) { return matmul::run_stage(argc, argv, STAGE_NAME, multiply); }
