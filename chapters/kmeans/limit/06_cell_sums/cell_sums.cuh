// SPDX-License-Identifier: MIT
// The sums of whole cells, which are computed once: by label, and the candidates of each cell.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "03_int2/labels_and_sums.cuh"
#include "blocks/cell_sort/cell_sort.cuh"
#include "blocks/grid/grid.cuh"
#include "limit/02_thread_columns/columns.cuh"
#include "limit/03_cell_table/cell_table.cuh"

namespace kmeans {

// Of a cell with so many points.
__device__ inline Sum sum_of(const CellSums& sums, std::int64_t cell, unsigned int points) {
    return {static_cast<std::int64_t>(sums.u[cell]), static_cast<std::int64_t>(sums.v[cell]),
            points};
}

// The sum of a number of each lane.
__device__ inline std::int64_t sum_over_lanes(std::int64_t number) {
    for (int distance = 16; distance > 0; distance /= 2) {
        number += __shfl_xor_sync(kAllLanes, number, distance);
    }
    return number;
}

// Adds the sums of cells with one candidate, which all lanes have, to those of lane c for label c.
// Every lane of a warp must call this; those without a sum have a count of 0.
__device__ inline void add_by_label(const Sum& sum, unsigned int candidates, Sum& mine) {
    unsigned int rest = __ballot_sync(kAllLanes, sum.count > 0);
    while (rest != 0) {  // mostly, the cells of a warp have the same label
        const int first = __ffs(static_cast<int>(rest)) - 1;
        const unsigned int label = __shfl_sync(kAllLanes, candidates, first);
        const bool same = sum.count > 0 && candidates == label;
        const std::int64_t x = sum_over_lanes(same ? sum.x : 0);
        const std::int64_t y = sum_over_lanes(same ? sum.y : 0);
        const std::int64_t count = sum_over_lanes(same ? sum.count : 0);
        rest &= ~__ballot_sync(kAllLanes, same);
        if (label != 1u << threadIdx.x % 32) continue;
        mine.x += x;
        mine.y += y;
        mine.count += count;
    }
}

// Those of the candidates of a larger box that may be the nearest of a point in this one.
__device__ inline unsigned int candidates_among(unsigned int candidates, const Box& box,
                                                const int2* centroids) {
    if ((candidates & (candidates - 1)) == 0) return candidates;
    const int b = nearest_among(candidates, box.centre(), centroids);
    const int2 other = centroids[b];
    unsigned int left = 1u << b;
    for (; candidates != 0; candidates &= candidates - 1) {
        const int a = __ffs(static_cast<int>(candidates)) - 1;
        const int2 mine = centroids[a];
        const int2 corner = make_int2(mine.x > other.x ? box.high.x : box.low.x,
                                      mine.y > other.y ? box.high.y : box.low.y);
        if (counts_as_nearer(corner, a, b, centroids)) left |= 1u << a;
    }
    return left;
}

}  // namespace kmeans
