// SPDX-License-Identifier: MIT
// The table of cells: which centroids can be the nearest in each cell, and the labels by it.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "03_int2/labels_and_sums.cuh"
#include "blocks/grid/grid.cuh"
#include "common/cuda/device_buffer.hpp"
#include "limit/01_fused_sums/fused_sums.cuh"

namespace kmeans {

// For each cell, which centroids can be the nearest of a point in it.
struct Table {
    Cells cells;
    unsigned char* codes;  // the nearest centroid of all points in the cell, or kSeveral
    unsigned int* masks;  // bit c is set if c may be the nearest
};

constexpr int kSeveral = 255;
constexpr int kCellBlock = 128;

// The memory of a table for any number of cells.
struct TableMemory {
    course::DeviceBuffer<unsigned char> codes{kMaxCells};
    course::DeviceBuffer<unsigned int> masks{kMaxCells};

    Table over(const Cells& cells) { return {cells, codes.data(), masks.data()}; }
};

// Whether centroid a counts as nearer than b: of equally near ones, the first does.
__device__ inline bool counts_as_nearer(int2 point, int a, int b, const int2* centroids) {
    const std::uint64_t distance_a = squared_distance(point, centroids[a]);
    const std::uint64_t distance_b = squared_distance(point, centroids[b]);
    return distance_a < distance_b || (distance_a == distance_b && a < b);
}

// The nearest of the centroids whose bits are set: of equally near ones, the first.
__device__ inline int nearest_among(unsigned int candidates, int2 point, const int2* centroids) {
    int nearest = 0;
    std::uint64_t least = ~std::uint64_t{0};
    for (; candidates != 0; candidates &= candidates - 1) {
        const int c = __ffs(static_cast<int>(candidates)) - 1;
        const std::uint64_t distance = squared_distance(point, centroids[c]);
        if (distance < least) {
            least = distance;
            nearest = c;
        }
    }
    return nearest;
}

// The nearest centroid of the point with these offsets from the cells, in a cell with several
// candidates.
__device__ inline int nearest_in_cell(unsigned int u, unsigned int v, const Table& table,
                                      const int2* centroids) {
    const int2 point =
        make_int2(static_cast<int>(table.cells.low.x + u), static_cast<int>(table.cells.low.y + v));
    return nearest_among(table.masks[table.cells.cell(u, v)], point, centroids);
}

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
        const int2 mine = centroids[a], other = centroids[b];
        const int2 corner = make_int2(mine.x > other.x ? box.high.x : box.low.x,
                                      mine.y > other.y ? box.high.y : box.low.y);
        if (counts_as_nearer(corner, a, b, centroids)) candidates |= 1u << a;
    }
    return candidates;
}

// Writes all labels. `centroids` are those that the table was made for.
__global__ void label_points_kernel(const int2* __restrict__ points, std::int64_t count,
                                    Table table, const int2* __restrict__ centroids, int k,
                                    int* __restrict__ labels) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const int2 point = points[i];
    const int cell = table.cells.cell(static_cast<unsigned int>(point.x) - table.cells.low.x,
                                      static_cast<unsigned int>(point.y) - table.cells.low.y);
    const int code = table.codes[cell];
    labels[i] = code < k ? code : nearest_among(table.masks[cell], point, centroids);
}

}  // namespace kmeans
