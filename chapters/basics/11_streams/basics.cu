// SPDX-License-Identifier: MIT
// Basics, stage 11: copies overlap with kernels.
// Idea: the matrix is cut into slices. Each slice is copied and added on one of two streams. While
// the kernel of one slice runs, the copy of the next slice is already on its way.
// Compared with 10_pinned_memory: slices and streams. The copies count as kernels_ms here, so
// compare total_ms.
// Rule (streams): work in one stream runs in order; work in different streams may overlap. Overlap
// saves at most the shorter of both times. Here this is the kernel, one part in eighty.
// Limit now: the bus between host and device, which is busy from the beginning to the end.
// Thesis 2.1: streams and asynchronous copies.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/stream.hpp"
#include "problem/basics.hpp"

using basics::Input, basics::Output, basics::Phase, basics::PhaseTimer;
using course::cuda_check, course::DeviceBuffer, course::Stream;

constexpr int kWarpSize = 32;
constexpr int kBlockSize = 8 * kWarpSize;
constexpr unsigned kAllLanes = 0xFFFFFFFF;
constexpr int kRows = 256;  // of a block
constexpr int kBlocks = 8;  // of a multiprocessor, at least
constexpr int kBatch = 4;  // loads of a thread that are on their way at the same time
constexpr int kSlices = 16;  // of the matrix, at most
constexpr int kStreams = 2;

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

// The matrix lies in pinned memory from the start.
const basics::HostMemory kPinnedMemory{[](std::size_t bytes) {
                                           void* memory = nullptr;
                                           cuda_check(cudaMallocHost(&memory, bytes));
                                           return memory;
                                       },
                                       [](void* memory) { cudaFreeHost(memory); }};

void add_cells(const Input& input, Output& output, PhaseTimer& timer) {
    const int n = input.n;
    const std::int64_t quads = (n + 3) / 4;  // of a row
    const int slice_rows = (n + kSlices - 1) / kSlices;
    timer.begin(Phase::kSetup);
    DeviceBuffer<int4> d_cells(n * quads);
    DeviceBuffer<int> d_row_sums(n), d_column_sums(n);
    const std::size_t row_bytes = n * sizeof(int);
    const std::size_t pitch = quads * sizeof(int4);  // bytes from one row to the next
    if (row_bytes < pitch) cuda_check(cudaMemset(d_cells.data(), 0, d_cells.bytes()));
    Stream streams[kStreams];

    timer.begin(Phase::kKernels);
    cuda_check(cudaMemset(d_row_sums.data(), 0, d_row_sums.bytes()));
    cuda_check(cudaMemset(d_column_sums.data(), 0, d_column_sums.bytes()));
    // Both streams add to the sums. They wait for the default stream, which clears them.
    for (int slice = 0; slice * slice_rows < n; ++slice) {
        const int first_row = slice * slice_rows;
        const int rows = std::min(slice_rows, n - first_row);
        const Stream& stream = streams[slice % kStreams];
        const int* h_slice = input.cells.data() + std::int64_t{first_row} * n;
        int4* d_slice = d_cells.data() + first_row * quads;
        cuda_check(cudaMemcpy2DAsync(d_slice, pitch, h_slice, row_bytes, row_bytes, rows,
                                     cudaMemcpyHostToDevice, stream.get()));
        const dim3 blocks((quads + kBlockSize - 1) / kBlockSize, (rows + kRows - 1) / kRows);
        add_parts_kernel<<<blocks, kBlockSize, 0, stream.get()>>>(
            d_slice, d_row_sums.data() + first_row, d_column_sums.data(), rows, n);
        cuda_check(cudaGetLastError());
    }

    timer.begin(Phase::kCopyOut);
    cuda_check(cudaMemcpy(output.row_sums.data(), d_row_sums.data(), d_row_sums.bytes(),
                          cudaMemcpyDeviceToHost));
    cuda_check(cudaMemcpy(output.column_sums.data(), d_column_sums.data(), d_column_sums.bytes(),
                          cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid((quads + kBlockSize - 1) / kBlockSize * ((slice_rows + kRows - 1) / kRows),
                    kBlockSize);
    timer.declare_work(basics::work_of_passes(input, 1));
}

int main(int argc, char** argv) {
    return basics::run_stage(argc, argv, STAGE_NAME, add_cells, kPinnedMemory);
}
