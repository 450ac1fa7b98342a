// SPDX-License-Identifier: MIT
// The columns that belong to one centroid, in each row of cells.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/cell_sort/cell_sort.cuh"
#include "blocks/cell_sort/sort_tiles.cuh"
#include "blocks/grid/grid.cuh"
#include "blocks/iterations/queue.cuh"
#include "blocks/task_list/task_list.cuh"
#include "limit/01_fused_sums/fused_sums.cuh"
#include "limit/02_thread_columns/columns.cuh"
#include "limit/06_cell_sums/sum_tasks.cuh"

namespace kmeans {

// Where centroid c beats another one, l. The squared distance of a point (x, y) from l less that
// from c is a - 2 dx x with a = |l|^2 - |c|^2 - 2 dy y, d = l - c. It fits 64 bits: |l|^2 and |c|^2
// are at most 2^61, and dx and dy at most 2^31.
class Duel {
  public:
    // `wins_ties`: c counts as nearer than l if both are equally near.
    __device__ Duel(int2 c, int2 l, bool wins_ties)
        : dx_(std::int64_t{l.x} - c.x), dy_(std::int64_t{l.y} - c.y) {
        constant_ = std::int64_t{l.x} * l.x + std::int64_t{l.y} * l.y - std::int64_t{c.x} * c.x -
                    std::int64_t{c.y} * c.y - (wins_ties ? 0 : 1);
        reciprocal_ = __frcp_rn(__ll2float_rn(2 * dx_));
    }

    // Keeps of columns [left, right) those in which c beats l at all points with y in [y_low,
    // y_high]. It may keep too few, never too many.
    __device__ void narrow(const Cells& cells, int y_low, int y_high, int& left, int& right) const {
        const std::int64_t a = constant_ - 2 * dy_ * (dy_ > 0 ? y_high : y_low);  // the least
        if (dx_ == 0) {
            if (a < 0) right = 0;
            return;
        }
        // The root of a - 2 dx x. Four roundings are together less than 2^-21 of it. Coordinates
        // are at most 2^30.
        constexpr float kBound = (1 << 30) + (1 << 12);
        const float root = __fmul_rn(__ll2float_rn(a), reciprocal_);
        const int x = static_cast<int>(fminf(fmaxf(root, -kBound), kBound));
        const std::int64_t slack = 4 + (abs(x) >> 21), u = std::int64_t{x} - cells.low.x;
        const std::int64_t columns = cells.columns, zero = 0;
        if (dx_ > 0) {  // points up to the root
            const std::int64_t full = (u - slack + 1) >> cells.shift;
            right = min(right, static_cast<int>(min(max(full, zero), columns)));
        } else {  // points from the root on
            const std::int64_t full = (u + slack + (1u << cells.shift) - 1) >> cells.shift;
            left = max(left, static_cast<int>(min(max(full, zero), columns)));
        }
    }

  private:
    std::int64_t dx_, dy_, constant_;
    float reciprocal_;
};

// In a row, centroid c owns columns [left, right), which lane c has: none if left >= right. Adds
// these to the sums of lane c. The columns between become tasks. `before` are the sums of the cells
// before each cell of a row. Every lane of a warp must call this.
template <class Key>
__device__ void share_row(const SortedPoints<Key>& sorted, const CellSums& before, int row,
                          int left, int right, const Tasks& tasks, Sum& mine) {
    const int lane = threadIdx.x % 32, columns = sorted.cells.columns;
    const unsigned int* starts = sorted.starts_of(row);
    const bool owns = left < right;
    if (owns) {
        const Word *u = before.u + (starts - sorted.starts),
                   *v = before.v + (starts - sorted.starts);
        const Word u_sum = u[right] - u[left], v_sum = v[right] - v[left];
        mine.x += u_sum;
        mine.y += v_sum;
        mine.count += starts[right] - starts[left];
    }
    const unsigned int owners = __ballot_sync(kAllLanes, owns);
    int gap = 0, gap_end = owns ? left : 0;  // the gap before the columns of this lane
    for (unsigned int rest = owners; rest != 0; rest &= rest - 1) {
        const int other = __ffs(static_cast<int>(rest)) - 1;
        const int its_left = __shfl_sync(kAllLanes, left, other);
        const int its_right = __shfl_sync(kAllLanes, right, other);
        if (its_left < gap_end) gap = max(gap, its_right);
    }
    // The last gap belongs to the first lane that owns nothing.
    const int last = __reduce_max_sync(kAllLanes, owns ? right : 0);
    if (lane == __ffs(static_cast<int>(~owners)) - 1) {
        gap = last;
        gap_end = columns;
    }
    tasks.append(starts, row, gap, gap_end);
    if (owners == kAllLanes) tasks.append(starts, row, last, lane == 0 ? columns : last);
}

// A warp finds intervals of one centroid, lane l those in which the centroid beats number l. Then a
// warp has one row, and lane c the interval of centroid c.
template <class Key>
__global__ void __launch_bounds__(kTaskThreads, 1)
    share_rows_kernel(SortedPoints<Key> sorted, CellSums before, Tasks tasks, int k, State state) {
    __shared__ int2 s_centroids[kMaxColumns];
    __shared__ int s_left[kTaskWarps][kMaxColumns], s_right[kTaskWarps][kMaxColumns];
    __shared__ Word s_partial[fused::kWordsPerSum * kMaxColumns * kTaskWarps];
    if (state.progress->done) return;  // no iteration is left
    const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
    if (thread < k) s_centroids[thread] = state.centroids[thread];
    __syncthreads();  // all centroids must be copied before a thread reads them
    const Cells& cells = sorted.cells;
    const int rows = sorted.rows(), groups = kTaskWarps / k, c = warp % k;
    const Duel duel(s_centroids[c], s_centroids[min(lane, k - 1)], c < lane);
    const bool fights = lane < k && lane != c;
    Sum mine = {0, 0, 0};
    // Neighbouring rows are often cut alike, so they belong to different blocks.
    for (int first = blockIdx.x; first < rows; first += kTaskWarps * gridDim.x) {
        const int number = min(kTaskWarps, (rows - 1 - first) / static_cast<int>(gridDim.x) + 1);
        for (int i = warp / k; i < number && warp < groups * k; i += groups) {
            const Box box = cells.box_of((first + i * gridDim.x) << cells.bits);
            int left = 0, right = cells.columns;
            if (fights) duel.narrow(cells, box.low.y, box.high.y, left, right);
            left = __reduce_max_sync(kAllLanes, left);
            right = __reduce_min_sync(kAllLanes, right);
            if (lane == 0) s_left[i][c] = left;
            if (lane == 0) s_right[i][c] = right;
        }
        __syncthreads();  // all intervals must be written before a warp reads those of its row
        if (warp < number) {
            const int left = lane < k ? s_left[warp][lane] : 0;
            const int right = lane < k ? s_right[warp][lane] : 0;
            share_row(sorted, before, first + warp * gridDim.x, left, right, tasks, mine);
        }
        __syncthreads();  // all intervals must have been read before a warp writes new ones
    }
    add_block_sums<kMaxColumns>(mine, cells.low, s_partial, k, state.sums);
}

// Of the sums of cells, those of all cells before each one in its row. One block per row.
__global__ void __launch_bounds__(kMaxSide) scan_sums_kernel(int columns, CellSums sums) {
    __shared__ Word s_warps[32];
    const int column = threadIdx.x;
    const std::int64_t cell = static_cast<std::int64_t>(blockIdx.x) * (columns + 1) + column;
    const Word u = column < columns ? sums.u[cell] : 0, v = column < columns ? sums.v[cell] : 0;
    const Word u_before = scan_block(u, s_warps), v_before = scan_block(v, s_warps);
    if (column >= columns) return;
    sums.u[cell] = u_before;
    sums.v[cell] = v_before;
    if (column < columns - 1) return;
    sums.u[cell + 1] = u_before + u;
    sums.v[cell + 1] = v_before + v;
}

}  // namespace kmeans
