// SPDX-License-Identifier: MIT
// Basics, stage 01: the first kernels.
// Idea: the loop over the rows becomes a grid of threads, one thread per row. A second kernel has
// one thread per column.
// Compared with 00_cpu: the matrix is copied to the device, two kernels add, the sums come back.
// Rule: a warp is 32 threads that execute one load together, a request. The device moves whole
// sectors of 32 bytes. The lanes of a row request lie n cells apart: they need 32 sectors for 128
// bytes. The lanes of a column request lie side by side: they need 4.
// Limit now: seven eighths of what the row kernel moves is not used by the request that asked.
// Thesis 2.1 and 2.2 (the machine), not of its chapters.
#include <cuda_runtime.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/basics.hpp"

using basics::Input, basics::Output, basics::Phase, basics::PhaseTimer;
using course::cuda_check, course::DeviceBuffer;

constexpr int kBlockSize = 256;

// One thread per row: it walks along its row.
__global__ void add_rows_kernel(const int* __restrict__ cells, int* __restrict__ row_sums, int n) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;  // the last block may have more threads than rows are left
    int sum = 0;
    for (int column = 0; column < n; ++column) {
        sum += cells[static_cast<std::int64_t>(row) * n + column];
    }
    row_sums[row] = sum;
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
    const int blocks = (n + kBlockSize - 1) / kBlockSize;
    add_rows_kernel<<<blocks, kBlockSize>>>(d_cells.data(), d_row_sums.data(), n);
    cuda_check(cudaGetLastError());
    add_columns_kernel<<<blocks, kBlockSize>>>(d_cells.data(), d_column_sums.data(), n);
    cuda_check(cudaGetLastError());

    timer.begin(Phase::kCopyOut);
    cuda_check(cudaMemcpy(output.row_sums.data(), d_row_sums.data(), d_row_sums.bytes(),
                          cudaMemcpyDeviceToHost));
    cuda_check(cudaMemcpy(output.column_sums.data(), d_column_sums.data(), d_column_sums.bytes(),
                          cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid(blocks, kBlockSize);
    timer.declare_work(basics::work_of_passes(input, 2));
}

int main(int argc, char** argv) { return basics::run_stage(argc, argv, STAGE_NAME, add_cells); }
