// SPDX-License-Identifier: MIT
// Basics, stage 02: one warp per row.
// Idea: neighbouring lanes should read neighbouring cells. So the 32 lanes of a warp share a row.
// Each lane has the sum of every 32nd cell; shuffles pass these sums between the lanes.
// Compared with 01_thread_per_line: the row kernel. A request needs 4 sectors instead of 32, and
// there are 32 times as many threads.
// Rule (coalescing): the fewer sectors the lanes of a request touch, the less memory is moved.
// Limit now: the column kernel, whose n threads are too few to keep the memory busy.
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

// One thread per column: it walks down its column.
__global__ void add_columns_kernel(const int* __restrict__ cells, int* __restrict__ column_sums,
                                   int n) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= n) return;
    int sum = 0;
    for (int row = 0; row < n; ++row) {
        sum += cells[static_cast<std::int64_t>(row) * n + column];
    }
    column_sums[column] = sum;
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
    const int column_blocks = (n + kBlockSize - 1) / kBlockSize;
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
