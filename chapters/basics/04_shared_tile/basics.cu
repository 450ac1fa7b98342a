// SPDX-License-Identifier: MIT
// Basics, stage 04: tiles in shared memory.
// Idea: a block copies a tile of the matrix into shared memory, which all its threads can read.
// From there it adds the rows and the columns of the tile. The matrix is read once.
// Compared with 03_parts_of_columns: one kernel instead of two. Its threads walk along rows again,
// but in shared memory, which has no sectors.
// Rule (reuse): data that is used twice should cross the device's memory once.
// Limit now: bank conflicts. Shared memory has 32 banks; neighbouring words lie in neighbouring
// banks. The lanes that add rows read words that lie 32 words apart: all in one bank. The request
// takes one pass, a wavefront, for each lane.
// Thesis 2.1: shared memory.
#include <cuda_runtime.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/basics.hpp"

using basics::Input, basics::Output, basics::Phase, basics::PhaseTimer;
using course::cuda_check, course::DeviceBuffer;

constexpr int kTile = 32;
constexpr int kBlockSize = 2 * kTile;  // one thread per row and one per column of a tile

// One block per tile of kTile * kTile cells. All threads copy the tile into shared memory. Then
// each adds a row or a column of the tile.
__global__ void add_tiles_kernel(const int* __restrict__ cells, int* __restrict__ row_sums,
                                 int* __restrict__ column_sums, int n) {
    __shared__ int s_tile[kTile][kTile];
    const int thread = threadIdx.x;
    const int first_row = blockIdx.y * kTile;
    const int first_column = blockIdx.x * kTile;
    const int copied = thread % kTile;  // a column of the tile
    for (int i = thread / kTile; i < kTile; i += kBlockSize / kTile) {
        const int row = first_row + i;
        const int column = first_column + copied;
        const bool exists = row < n && column < n;  // the last tiles reach beyond the matrix
        s_tile[i][copied] = exists ? cells[static_cast<std::int64_t>(row) * n + column] : 0;
    }
    __syncthreads();  // a thread adds what other threads have copied
    const bool adds_row = thread % 2 == 0;
    const int line = thread / 2;
    int sum = 0;
    if (adds_row) {
#pragma unroll 1  // nvcc would merge four loads of 4 bytes into one of 16, and hide their cost
        for (int i = 0; i < kTile; ++i) sum += s_tile[line][i];
        if (first_row + line < n) atomicAdd(&row_sums[first_row + line], sum);
    } else {
#pragma unroll 1
        for (int i = 0; i < kTile; ++i) sum += s_tile[i][line];
        if (first_column + line < n) atomicAdd(&column_sums[first_column + line], sum);
    }
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
    const int tiles = (n + kTile - 1) / kTile;
    add_tiles_kernel<<<dim3(tiles, tiles), kBlockSize>>>(d_cells.data(), d_row_sums.data(),
                                                         d_column_sums.data(), n);
    cuda_check(cudaGetLastError());

    timer.begin(Phase::kCopyOut);
    cuda_check(cudaMemcpy(output.row_sums.data(), d_row_sums.data(), d_row_sums.bytes(),
                          cudaMemcpyDeviceToHost));
    cuda_check(cudaMemcpy(output.column_sums.data(), d_column_sums.data(), d_column_sums.bytes(),
                          cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid(std::int64_t{tiles} * tiles, kBlockSize);
    timer.declare_work(basics::work_of_passes(input, 1));
}

int main(int argc, char** argv) { return basics::run_stage(argc, argv, STAGE_NAME, add_cells); }
