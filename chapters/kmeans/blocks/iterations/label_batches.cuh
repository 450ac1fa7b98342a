// SPDX-License-Identifier: MIT
// The labels at the end, by the table of cells and by lines, of several points per lane.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/grid/grid.cuh"
#include "common/cuda/cuda_check.hpp"
#include "limit/02_thread_columns/columns.cuh"
#include "limit/03_cell_table/cell_table.cuh"
#include "limit/05_pair_tests/lines.cuh"

namespace kmeans {

using course::cuda_check;

// Loads points[0], points[1], points[64], points[65] and so on, as pairs, as long as there are
// `count`. Returns how many.
template <int N>
__device__ int load_batch(int2 (&loaded)[N], const int2* points, std::int64_t count) {
    int number = 0;
#pragma unroll
    for (int i = 0; i < N; i += 2) {
        if (32 * i + 1 < count) {
            const int4 pair = __ldcs(reinterpret_cast<const int4*>(&points[32 * i]));
            loaded[i] = make_int2(pair.x, pair.y);
            loaded[i + 1] = make_int2(pair.z, pair.w);
            number = i + 2;
        } else if (32 * i < count) {  // the last point of an odd number
            loaded[i] = points[32 * i];
            number = i + 1;
        }
    }
    return number;
}

constexpr int kLabelThreads = 512, kLabelBlocks = 2, kLabelWarps = kLabelThreads / 32;
constexpr int kLabelPairs = 4;  // of points, per lane and batch
constexpr int kLabelBatch = 2 * 32 * kLabelPairs;  // points of a warp

// Writes all labels, as label_points_kernel does, but by lines where two centroids share a cell. A
// lane loads its next points before it works on these. The codes of the table are in dynamic shared
// memory.
__global__ void __launch_bounds__(kLabelThreads, kLabelBlocks)
    label_batches_kernel(const int2* __restrict__ points, std::int64_t count, Table table,
                         Lines lines, const int2* __restrict__ centroids, int k,
                         int* __restrict__ labels) {
    alignas(16) extern __shared__ unsigned char s_codes[];
    __shared__ Line s_lines[Lines::kMax];
    __shared__ int2 s_centroids[kMaxColumns];
    const int thread = threadIdx.x, lane = thread % 32;
    const Cells& cells = table.cells;
    for (int i = thread; i < cells.count() / 16; i += kLabelThreads) {
        reinterpret_cast<uint4*>(s_codes)[i] = reinterpret_cast<const uint4*>(table.codes)[i];
    }
    for (int i = thread; i < lines.count; i += kLabelThreads) s_lines[i] = lines.lines[i];
    if (thread < k) s_centroids[thread] = centroids[thread];
    __syncthreads();  // all must be copied before a thread uses it
    const auto label_of = [&](int2 point) {
        const uint2 offsets = offsets_of(point.x, point.y, cells.low);
        const int code = s_codes[cells.cell(offsets.x, offsets.y)];
        if (code < lines.first_code) return code;
        if (code == kSeveral) return nearest_in_cell(offsets.x, offsets.y, table, s_centroids);
        return s_lines[code - lines.first_code].label_of(offsets.x, offsets.y);
    };
    const std::int64_t stride = gridDim.x * kLabelWarps * kLabelBatch;
    std::int64_t first =
        (blockIdx.x * kLabelWarps + thread / 32) * std::int64_t{kLabelBatch} + 2 * lane;
    int2 batch[2 * kLabelPairs], next[2 * kLabelPairs];
    int number = load_batch(batch, points + first, count - first);
    for (; first < count; first += stride) {
        const int next_number = load_batch(next, points + first + stride, count - first - stride);
        int found[2 * kLabelPairs];
#pragma unroll  // or the batch would be in local memory
        for (int i = 0; i < 2 * kLabelPairs; ++i) found[i] = i < number ? label_of(batch[i]) : 0;
#pragma unroll
        for (int i = 0; i < 2 * kLabelPairs; i += 2) {
            int* pair = &labels[first + 32 * i];
            if (i + 1 < number) {
                *reinterpret_cast<int2*>(pair) = make_int2(found[i], found[i + 1]);
            } else if (i < number) {  // the last point of an odd number
                *pair = found[i];
            }
        }
#pragma unroll
        for (int i = 0; i < 2 * kLabelPairs; ++i) batch[i] = next[i];
        number = next_number;
    }
}

// Writes the label of each point by a table and by lines, which must have no owners yet. Waits for
// nothing.
inline void label_points(const int2* d_points, std::int64_t count, const Table& table,
                         const Lines& lines, const int2* d_centroids, int k, int* d_labels) {
    find_candidates_kernel<<<(table.cells.count() - 1) / kCellBlock + 1, kCellBlock>>>(
        table, d_centroids, k, lines);
    cuda_check(cudaGetLastError());
    const int bytes = table.cells.count();
    cuda_check(cudaFuncSetAttribute(label_batches_kernel,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    const std::int64_t useful = (count - 1) / (kLabelWarps * kLabelBatch) + 1;
    const int blocks = blocks_at_once(label_batches_kernel, kLabelThreads, useful, bytes);
    label_batches_kernel<<<blocks, kLabelThreads, bytes>>>(d_points, count, table, lines,
                                                           d_centroids, k, d_labels);
    cuda_check(cudaGetLastError());
}

}  // namespace kmeans
