// SPDX-License-Identifier: MIT
// Basics, stage 03: each column in parts.
// Idea: a load takes hundreds of clock cycles. Only other warps can use this time, so each
// multiprocessor needs many of them. A column is cut into parts of kRows cells, and each part has
// its own thread.
// Compared with 02_warp_per_row: the column kernel, its grid, and a memset of its sums.
// Rule (latency): a kernel needs enough threads to hide the time that a load takes.
// Limit now: the matrix is read twice.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/basics.hpp"

using basics::Input, basics::Output, basics::Phase, basics::PhaseTimer;
using course::cuda_check, course::DeviceBuffer;

constexpr int kBlockSize = 256;
constexpr int kWarpSize = 32;
constexpr unsigned kAllLanes = 0xFFFFFFFF;
constexpr int kRows = 256;  // of a part of a column

// One warp per row: its lanes read 32 neighbouring cells, then the next 32, and so on.
__global__ void add_rows_kernel(const int* __restrict__ cells, int* __restrict__ row_sums, int n) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / kWarpSize;
    const int lane = threadIdx.x % kWarpSize;
    if (row >= n) return;  // all lanes of a warp have the same row
    int sum = 0;
    for (int column = lane; column < n; column += kWarpSize) {
        sum += cells[static_cast<std::int64_t>(row) * n + column];
    }
    // Each lane gets the value of the lane `distance` above it: 16 sums are left, then 8, 4, 2, 1.
    for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(kAllLanes, sum, distance);
    }
    if (lane == 0) row_sums[row] = sum;
}

// One thread per column and part: it walks down kRows cells of its column. atomicAdd() adds the sum
// of a part to what the other parts have added, whichever comes first.
__global__ void add_columns_kernel(const int* __restrict__ cells, int* __restrict__ column_sums,
                                   int n) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= n) return;
    const int begin = blockIdx.y * kRows;
    const int end = min(begin + kRows, n);
    int sum = 0;
    for (int row = begin; row < end; ++row) {
        sum += cells[static_cast<std::int64_t>(row) * n + column];
    }
    atomicAdd(&column_sums[column], sum);
}

void add_cells(const Input& input, Output& output, PhaseTimer& timer) {
    const int n = input.n;
    timer.begin(Phase::kSetup);
    DeviceBuffer<int> d_cells(input.count()), d_row_sums(n), d_column_sums(n);

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_cells.data(), input.cells.data(), d_cells.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    const int warps_per_block = kBlockSize / kWarpSize;
    const int row_blocks = (n + warps_per_block - 1) / warps_per_block;
    add_rows_kernel<<<row_blocks, kBlockSize>>>(d_cells.data(), d_row_sums.data(), n);
    cuda_check(cudaGetLastError());
    cuda_check(cudaMemset(d_column_sums.data(), 0, d_column_sums.bytes()));
    const dim3 column_blocks((n + kBlockSize - 1) / kBlockSize, (n + kRows - 1) / kRows);
    add_columns_kernel<<<column_blocks, kBlockSize>>>(d_cells.data(), d_column_sums.data(), n);
    cuda_check(cudaGetLastError());

    timer.begin(Phase::kCopyOut);
    cuda_check(cudaMemcpy(output.row_sums.data(), d_row_sums.data(), d_row_sums.bytes(),
                          cudaMemcpyDeviceToHost));
    cuda_check(cudaMemcpy(output.column_sums.data(), d_column_sums.data(), d_column_sums.bytes(),
                          cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid(row_blocks, kBlockSize);
    timer.declare_work(basics::work_of_passes(input, 2));
}

int main(int argc, char** argv) { return basics::run_stage(argc, argv, STAGE_NAME, add_cells); }
