// SPDX-License-Identifier: MIT
// Basics, stage 07: registers instead of shared memory.
// Idea: a lane needs only its own column, so the column's sum stays in a register. A row's sum is a
// sum over a warp, one instruction on GPUs from the A100 on. There is no tile and no barrier.
// Compared with 06_whole_warps: the kernel, and blocks of one warp, as warps share nothing now.
// Rule (registers): shared memory is for what threads exchange. What one thread needs belongs in
// its registers.
// Limit now: latency. A multiprocessor has room for 64 warps, but for no more than 32 blocks: half
// of it stays empty.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/basics.hpp"

using basics::Input, basics::Output, basics::Phase, basics::PhaseTimer;
using course::cuda_check, course::DeviceBuffer;

constexpr int kWarpSize = 32;
constexpr int kBlockSize = kWarpSize;
constexpr unsigned kAllLanes = 0xFFFFFFFF;
constexpr int kRows = 256;  // of a block

// One warp per kWarpSize columns and kRows rows: it walks down. Each lane keeps the sum of its
// column in a register. The sum of a row is a sum over the lanes; lane i keeps that of row i of a
// group of 32 rows, so that one request adds 32 of them.
__global__ void add_parts_kernel(const int* __restrict__ cells, int* __restrict__ row_sums,
                                 int* __restrict__ column_sums, int n) {
    const int lane = threadIdx.x % kWarpSize;
    const int column = blockIdx.x * kBlockSize + threadIdx.x;
    const int end = min((blockIdx.y + 1) * kRows, n);
    int column_sum = 0;
    for (int first_row = blockIdx.y * kRows; first_row < end; first_row += kWarpSize) {
        int row_sum = 0;
        for (int i = 0; i < kWarpSize; ++i) {
            const int row = first_row + i;
            // Lanes beyond the matrix stay, because all lanes take part in the sum over a warp.
            const bool exists = row < end && column < n;
            const int cell = exists ? cells[static_cast<std::int64_t>(row) * n + column] : 0;
            column_sum += cell;
            const int sum = __reduce_add_sync(kAllLanes, cell);
            if (lane == i) row_sum = sum;
        }
        if (first_row + lane < end) atomicAdd(&row_sums[first_row + lane], row_sum);
    }
    if (column < n) atomicAdd(&column_sums[column], column_sum);
}

void add_cells(const Input& input, Output& output, PhaseTimer& timer) {
    const int n = input.n;
    timer.begin(Phase::kSetup);
    DeviceBuffer<int> d_cells(input.count()), d_row_sums(n), d_column_sums(n);

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_cells.data(), input.cells.data(), d_cells.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    cuda_check(cudaMemset(d_row_sums.data(), 0, d_row_sums.bytes()));
    cuda_check(cudaMemset(d_column_sums.data(), 0, d_column_sums.bytes()));
    const dim3 blocks((n + kBlockSize - 1) / kBlockSize, (n + kRows - 1) / kRows);
    add_parts_kernel<<<blocks, kBlockSize>>>(d_cells.data(), d_row_sums.data(),
                                             d_column_sums.data(), n);
    cuda_check(cudaGetLastError());

    timer.begin(Phase::kCopyOut);
    cuda_check(cudaMemcpy(output.row_sums.data(), d_row_sums.data(), d_row_sums.bytes(),
                          cudaMemcpyDeviceToHost));
    cuda_check(cudaMemcpy(output.column_sums.data(), d_column_sums.data(), d_column_sums.bytes(),
                          cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid(std::int64_t{blocks.x} * blocks.y, kBlockSize);
    timer.declare_work(basics::work_of_passes(input, 1));
}

int main(int argc, char** argv) { return basics::run_stage(argc, argv, STAGE_NAME, add_cells); }
