// SPDX-License-Identifier: MIT
// The kernel that fills the table of cells.
#pragma once

#include <cuda_runtime.h>

#include "blocks/grid/grid.cuh"
#include "limit/02_thread_columns/columns.cuh"
#include "limit/03_cell_table/cell_table.cuh"

namespace kmeans {

// One thread per cell.
__global__ void find_candidates_kernel(Table table, const int2* __restrict__ centroids, int k) {
    __shared__ int2 s_centroids[kMaxColumns];
    const int thread = threadIdx.x, cell = blockIdx.x * kCellBlock + thread;
    if (thread < k) s_centroids[thread] = centroids[thread];
    __syncthreads();  // all centroids must be copied before a thread reads them
    if (cell >= table.cells.count()) return;
    const unsigned int candidates = candidates_of(table.cells, cell, s_centroids, k);
    table.masks[cell] = candidates;
    table.codes[cell] =
        __popc(candidates) == 1 ? __ffs(static_cast<int>(candidates)) - 1 : kSeveral;
}

}  // namespace kmeans
