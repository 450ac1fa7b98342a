// SPDX-License-Identifier: MIT
// A task is the points of a few neighbouring cells: one warp labels them and adds them up.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "03_int2/labels_and_sums.cuh"
#include "blocks/cell_sort/cell_sort.cuh"
#include "blocks/grid/grid.cuh"
#include "blocks/iterations/queue.cuh"
#include "blocks/task_list/task_list.cuh"
#include "limit/01_fused_sums/fused_sums.cuh"
#include "limit/02_thread_columns/columns.cuh"
#include "limit/03_cell_table/cell_table.cuh"

namespace kmeans {

constexpr int kPointsPerLane = kTaskPoints / 32;
constexpr int kTaskThreads = 1024;
constexpr int kTaskWarps = kTaskThreads / 32;
static_assert(kTaskWarps >= kMaxColumns, "one warp per centroid");
constexpr int kNobody = -1;  // the label of a point that does not exist

// The box of the cells in rows [row, row_end) and columns [column, column_end), cut off at the
// grid.
__device__ inline Box box_of_cells(const Cells& cells, int row, int row_end, int column,
                                   int column_end) {
    const int last_row = min(row_end, cells.columns) - 1;
    const int last_column = min(column_end, cells.columns) - 1;
    return {cells.box_of((row << cells.bits) + column).low,
            cells.box_of((last_row << cells.bits) + last_column).high};
}

// The centroids that may be the nearest of a point in a box, as bits: candidates_of() by a warp,
// lane c for centroid c. Every lane of the warp must call this.
__device__ inline unsigned int candidates_by_warp(const Box& box, const int2* centroids, int k) {
    const int lane = threadIdx.x % 32;
    const int2 mine = centroids[min(lane, k - 1)], centre = box.centre();
    // Rounding is harmless: every b is right, but a near one leaves few candidates. Floats that are
    // not negative are ordered as their bits are.
    const float dx = static_cast<float>(mine.x) - static_cast<float>(centre.x);
    const float dy = static_cast<float>(mine.y) - static_cast<float>(centre.y);
    const float distance = __fmaf_rn(dx, dx, __fmul_rn(dy, dy));
    const unsigned int bits = lane < k ? __float_as_uint(distance) : 0xffffffff;
    const unsigned int least = __reduce_min_sync(kAllLanes, bits);
    const int b = __ffs(static_cast<int>(__ballot_sync(kAllLanes, bits == least))) - 1;
    const int2 other = centroids[b];
    const int2 corner = make_int2(mine.x > other.x ? box.high.x : box.low.x,
                                  mine.y > other.y ? box.high.y : box.low.y);
    const bool wins = lane < k && (lane == b || counts_as_nearer(corner, lane, b, centroids));
    return __ballot_sync(kAllLanes, wins);
}

// Sums over a warp of the offsets of at most kTaskPoints points of a row: u, v in the row, number.
template <class Key>
__device__ Sum sum_over_warp(const SortedPoints<Key>& sorted, const Key (&keys)[kPointsPerLane],
                             const int (&labels)[kPointsPerLane], int label) {
    // 256 offsets of a narrow grid fit 32 bits. Those of a wide one are added in halves.
    constexpr bool kNarrow = sizeof(Key) == 4;
    unsigned int u_low = 0, v_low = 0, u_high = 0, v_high = 0, number = 0;
#pragma unroll
    for (int i = 0; i < kPointsPerLane; ++i) {
        if (labels[i] != label) continue;
        const unsigned int u = sorted.u_of(keys[i]), v = sorted.v_in_row(keys[i]);
        u_low += kNarrow ? u : u & 0xffff;
        v_low += kNarrow ? v : v & 0xffff;
        u_high += u >> 16;
        v_high += v >> 16;
        ++number;
    }
    Sum sum = {__reduce_add_sync(kAllLanes, u_low), __reduce_add_sync(kAllLanes, v_low),
               __reduce_add_sync(kAllLanes, number)};
    if (!kNarrow) {
        sum.x += static_cast<std::int64_t>(__reduce_add_sync(kAllLanes, u_high)) << 16;
        sum.y += static_cast<std::int64_t>(__reduce_add_sync(kAllLanes, v_high)) << 16;
    }
    return sum;
}

// Labels the points of a task and adds them to `mine`: lane c has the sums of label c, of offsets
// from the corner of the cells. Every lane of the warp must call this.
template <class Key>
__device__ void sum_task(const SortedPoints<Key>& sorted, Task task, const int2* centroids, int k,
                         Sum& mine) {
    const int lane = threadIdx.x % 32, row = task.row();
    const int number = static_cast<int>(task.end() - task.begin());
    Key keys[kPointsPerLane];  // all loads are under way while the warp looks for candidates
#pragma unroll
    for (int i = 0; i < kPointsPerLane; ++i) {
        if (32 * i + lane < number) keys[i] = sorted.keys[task.begin() + 32 * i + lane];
    }
    const Box box =
        box_of_cells(sorted.cells, row, row + 1, task.first_column(), task.column_end());
    const unsigned int candidates = candidates_by_warp(box, centroids, k);
    int labels[kPointsPerLane];
    std::uint64_t least[kPointsPerLane];
#pragma unroll
    for (int i = 0; i < kPointsPerLane; ++i) {
        least[i] = ~std::uint64_t{0};
        labels[i] = 32 * i + lane < number ? __ffs(static_cast<int>(candidates)) - 1 : kNobody;
    }
    if ((candidates & (candidates - 1)) != 0) {
        for (unsigned int rest = candidates; rest != 0; rest &= rest - 1) {
            const int c = __ffs(static_cast<int>(rest)) - 1;
            const int2 centroid = centroids[c];
#pragma unroll
            for (int i = 0; i < kPointsPerLane; ++i) {
                if (labels[i] == kNobody) continue;
                const std::uint64_t distance =
                    squared_distance(sorted.point_of(keys[i], row), centroid);
                if (distance < least[i]) {  // of equally near centroids, the first one stays
                    least[i] = distance;
                    labels[i] = c;
                }
            }
        }
    }
    for (unsigned int rest = candidates; rest != 0; rest &= rest - 1) {
        const int label = __ffs(static_cast<int>(rest)) - 1;
        const Sum sum = sum_over_warp(sorted, keys, labels, label);
        if (lane != label) continue;
        mine.x += sum.x;
        mine.y += sum.y + (static_cast<std::int64_t>(row) << sorted.cells.shift) * sum.count;
        mine.count += sum.count;
    }
}

// All tasks of a list, or of what a block does of it: neighbours in the list are often equally
// long, so they go to different multiprocessors. Every thread of the grid calls this, in blocks of
// kTaskThreads.
template <class Key>
__device__ void sum_tasks(const SortedPoints<Key>& sorted, const Tasks& tasks,
                          const int2* centroids, int k, Word* sums) {
    __shared__ int2 s_centroids[kMaxColumns];
    __shared__ Word s_partial[fused::kWordsPerSum * kMaxColumns * kTaskWarps];
    const int thread = threadIdx.x;
    if (thread < k) s_centroids[thread] = centroids[thread];
    __syncthreads();  // all centroids must be copied before a thread reads them
    const unsigned int number = *tasks.number, stride = gridDim.x * kTaskWarps;
    Sum mine = {0, 0, 0};
    for (unsigned int i = threadIdx.x / 32 * gridDim.x + blockIdx.x; i < number; i += stride) {
        sum_task(sorted, tasks.list[i], s_centroids, k, mine);
    }
    add_block_sums<kMaxColumns>(mine, sorted.cells.low, s_partial, k, sums);
}

// One warp per task. The last block ends the iteration.
template <class Key>
__global__ void __launch_bounds__(kTaskThreads, 1)
    sum_tasks_kernel(SortedPoints<Key> sorted, Tasks tasks, int k, State state) {
    if (state.progress->done) return;
    sum_tasks(sorted, tasks, state.centroids, k, state.sums);
    if (!is_last_block(state.progress)) return;
    end_iteration(state, k);
    if (threadIdx.x == 0) *tasks.number = 0;
}

}  // namespace kmeans
