// SPDX-License-Identifier: MIT
// Basics, stage 09: more bytes in flight.
// Idea: each lane loads four cells with one instruction (int4), and asks for four rows before it
// uses the first: 64 bytes instead of 4 are on their way for each lane that waits.
// Compared with 08_occupancy: quads and batches. An int4 must lie at a multiple of 16 bytes, so
// the rows of the device's matrix are padded to whole quads.
// Rule (Little's law): bytes in flight = bandwidth * latency. The device moves 4.3 TB/s and a load
// takes some 0.8 us: about 3.4 MB must be on their way at any time, 26 KB per multiprocessor.
// Limit now: the memory. The kernel reads at the speed of a plain copy; a faster way to add the
// cells cannot exist. The copy to the device takes hundreds of times as long.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/basics.hpp"

using basics::Input, basics::Output, basics::Phase, basics::PhaseTimer;
using course::cuda_check, course::DeviceBuffer;

constexpr int kWarpSize = 32;
constexpr int kBlockSize = 8 * kWarpSize;
constexpr unsigned kAllLanes = 0xFFFFFFFF;
constexpr int kRows = 256;  // of a block
constexpr int kBlocks = 8;  // of a multiprocessor, at least
constexpr int kBatch = 4;  // loads of a thread that are on their way at the same time

// One warp per 4 * kWarpSize columns and kRows rows. A quad is four neighbouring cells of a row. A
// row of the device's matrix consists of whole quads; cells beyond the last column are 0.
__global__ void __launch_bounds__(kBlockSize, kBlocks)
    add_parts_kernel(const int4* __restrict__ cells, int* __restrict__ row_sums,
                     int* __restrict__ column_sums, int rows, int columns) {
    const int lane = threadIdx.x % kWarpSize;
    const int quads = (columns + 3) / 4;
    const int quad = blockIdx.x * kBlockSize + threadIdx.x;
    const int end = min((blockIdx.y + 1) * kRows, rows);
    int column_sums_of_quad[4] = {};
    for (int first_row = blockIdx.y * kRows; first_row < end; first_row += kWarpSize) {
        int row_sum = 0;
        for (int i = 0; i < kWarpSize; i += kBatch) {
            int4 batch[kBatch];
            for (int b = 0; b < kBatch; ++b) {
                const int row = first_row + i + b;
                const bool exists = row < end && quad < quads;
                batch[b] = exists ? cells[static_cast<std::int64_t>(row) * quads + quad]
                                  : make_int4(0, 0, 0, 0);
            }
            for (int b = 0; b < kBatch; ++b) {
                const int4 cell = batch[b];
                column_sums_of_quad[0] += cell.x;
                column_sums_of_quad[1] += cell.y;
                column_sums_of_quad[2] += cell.z;
                column_sums_of_quad[3] += cell.w;
                const int sum = __reduce_add_sync(kAllLanes, cell.x + cell.y + cell.z + cell.w);
                if (lane == i + b) row_sum = sum;
            }
        }
        if (first_row + lane < end) atomicAdd(&row_sums[first_row + lane], row_sum);
    }
    for (int k = 0; k < 4; ++k) {
        const int column = 4 * quad + k;
        if (column < columns) atomicAdd(&column_sums[column], column_sums_of_quad[k]);
    }
}

void add_cells(const Input& input, Output& output, PhaseTimer& timer) {
    const int n = input.n;
    const std::int64_t quads = (n + 3) / 4;  // of a row
    timer.begin(Phase::kSetup);
    DeviceBuffer<int4> d_cells(n * quads);
    DeviceBuffer<int> d_row_sums(n), d_column_sums(n);
    const std::size_t row_bytes = n * sizeof(int);
    const std::size_t pitch = quads * sizeof(int4);  // bytes from one row to the next
    if (row_bytes < pitch) cuda_check(cudaMemset(d_cells.data(), 0, d_cells.bytes()));

    timer.begin(Phase::kCopyIn);
    cuda_check(cudaMemcpy2D(d_cells.data(), pitch, input.cells.data(), row_bytes, row_bytes, n,
                            cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    cuda_check(cudaMemset(d_row_sums.data(), 0, d_row_sums.bytes()));
    cuda_check(cudaMemset(d_column_sums.data(), 0, d_column_sums.bytes()));
    const dim3 blocks((quads + kBlockSize - 1) / kBlockSize, (n + kRows - 1) / kRows);
    add_parts_kernel<<<blocks, kBlockSize>>>(d_cells.data(), d_row_sums.data(),
                                             d_column_sums.data(), n, n);
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
