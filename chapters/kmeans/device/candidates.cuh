// SPDX-License-Identifier: MIT
// Unchanged from stage 08_cell_table: the centroids that may be the nearest in a cell.
#pragma once

#include <cuda_runtime.h>

#include "device/cells.cuh"
#include "device/columns.cuh"
#include "device/fused_sums.cuh"

namespace kmeans {

// The centroids that may be the nearest of a point in this cell, as bits. Take the centroid b that
// is nearest to the cell's centre, and any other centroid a. The difference of their squared
// distances from a point is linear in the point's coordinates, so it is least in a corner of the
// cell. If a does not win there, it wins nowhere in the cell.
__device__ inline unsigned int candidates_of(const Cells& cells, int cell, const int2* centroids,
                                             int k) {
    const Box box = cells.box_of(cell);
    const int b = fused::nearest_of(box.centre(), centroids, k);
    unsigned int candidates = 1u << b;
    for (int a = 0; a < k; ++a) {
        const int2 corner = make_int2(centroids[a].x > centroids[b].x ? box.high.x : box.low.x,
                                      centroids[a].y > centroids[b].y ? box.high.y : box.low.y);
        if (counts_as_nearer(corner, a, b, centroids)) candidates |= 1u << a;
    }
    return candidates;
}

// One thread per cell.
__global__ inline void find_candidates_kernel(Table table, const int2* __restrict__ centroids,
                                              int k) {
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
