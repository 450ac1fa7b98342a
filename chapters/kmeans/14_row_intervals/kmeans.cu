// SPDX-License-Identifier: MIT
// K-means, stage 14: intervals of rows.
// Idea: a centroid's cluster is convex, so in a row of cells it owns one interval of columns. With
// the sums of all cells before each cell, those of an interval are two readings and a difference.
// Nobody looks at a cell any more that is not cut.
// Compared with 13_cell_sums: share_rows_kernel finds one interval per row and centroid instead of
// testing each cell; the columns between intervals become tasks.
// Limit now: two launches per iteration that wait for each other, and the latency of memory.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "device/cell_runs.cuh"
#include "device/cell_sort.cuh"
#include "device/cell_sums.cuh"
#include "device/cells.cuh"
#include "device/fused_sums.cuh"
#include "device/queue.cuh"
#include "device/row_intervals.cuh"
#include "device/sorted_run.cuh"
#include "device/tasks.cuh"
#include "device/two_stage.cuh"
#include "problem/kmeans.hpp"

using course::cuda_check;
using kmeans::add_block_sums, kmeans::Box, kmeans::Cells, kmeans::CellSort, kmeans::SortedPoints;
using kmeans::CellSums, kmeans::CellSumsMemory, kmeans::Duel, kmeans::share_row;
using kmeans::end_iteration, kmeans::is_last_block, kmeans::sum_tasks;
using kmeans::Input, kmeans::Output, kmeans::Phase, kmeans::PhaseTimer;
using kmeans::IterationQueue, kmeans::SortedRun, kmeans::State, kmeans::Sum, kmeans::Tasks,
    kmeans::TasksMemory;
using kmeans::kAllLanes, kmeans::kMaxColumns, kmeans::kTaskThreads, kmeans::kTaskWarps;
using kmeans::fused::kWordsPerSum, kmeans::fused::Word;

// A warp finds intervals of one centroid, lane l those in which the centroid beats number l. Then a
// warp has one row, and lane c the interval of centroid c.
template <class Key>
__global__ void __launch_bounds__(kTaskThreads, 1)
    share_rows_kernel(SortedPoints<Key> sorted, CellSums before, Tasks tasks, int k, State state) {
    __shared__ int2 s_centroids[kMaxColumns];
    __shared__ int s_left[kTaskWarps][kMaxColumns], s_right[kTaskWarps][kMaxColumns];
    __shared__ Word s_partial[kWordsPerSum * kMaxColumns * kTaskWarps];
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

// One warp per task.
template <class Key>
__global__ void __launch_bounds__(kTaskThreads, 1)
    sum_tasks_kernel(SortedPoints<Key> sorted, Tasks tasks, int k, State state) {
    if (state.progress->done) return;
    sum_tasks(sorted, tasks, state.centroids, k, state.sums);
    if (!is_last_block(state.progress)) return;
    end_iteration(state, k);
    if (threadIdx.x == 0) *tasks.number = 0;
}

// Sorts the rows of points, and runs all iterations.
template <class Key>
void run_iterations(const Input& input, SortedRun& run, const Cells& cells, const CellSums& before,
                    const Tasks& tasks, PhaseTimer& timer) {
    const SortedPoints<Key> sorted = run.sort.sort_rows<Key>(cells, before);
    kmeans::scan_sums_kernel<<<cells.columns, kmeans::kMaxSide>>>(cells.columns, before);
    cuda_check(cudaGetLastError());
    run.sort.end_preparation();
    const std::int64_t lists = std::int64_t{cells.columns} * (input.k() + 1);
    const std::int64_t useful = kmeans::max_tasks(input.count(), lists) / kTaskWarps + 1;
    const int blocks = kmeans::blocks_at_once(sum_tasks_kernel<Key>, kTaskThreads, useful);
    const int row_blocks =
        kmeans::blocks_at_once(share_rows_kernel<Key>, kTaskThreads, cells.columns);
    timer.note_grid(blocks, kTaskThreads);
    const State state = run.state();
    run.queue.run(input.max_iterations, IterationQueue::kBatch, [&] {
        share_rows_kernel<<<row_blocks, kTaskThreads>>>(sorted, before, tasks, input.k(), state);
        cuda_check(cudaGetLastError());
        sum_tasks_kernel<<<blocks, kTaskThreads>>>(sorted, tasks, input.k(), state);
        cuda_check(cudaGetLastError());
    });
}

void find_clusters(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    const int k = input.k();
    if (!CellSort::takes(count, k)) return kmeans::fused::find_clusters(input, output, timer);
    timer.begin(Phase::kSetup);
    SortedRun run(input);
    CellSumsMemory d_cell_sums(run.sort.words());
    TasksMemory d_tasks(kmeans::max_tasks(count, run.sort.max_rows() * (k + 1)));

    timer.begin(Phase::kCopyIn);
    run.copy_in();

    timer.begin(Phase::kKernels);
    const Cells cells = run.sort_by_rows();
    const auto iterate =
        CellSort::has_short_keys(cells) ? run_iterations<unsigned int> : run_iterations<Word>;
    iterate(input, run, cells, d_cell_sums.sums(), d_tasks.tasks(), timer);
    run.label_points(cells);

    timer.begin(Phase::kCopyOut);
    run.copy_out(output);
    timer.end();
    timer.declare_work(
        {.bytes = (kmeans::kBytesPerPointToSort + kmeans::kBytesPerSortedPoint) * count +
                  kmeans::kBytesPerLabelledPoint * count});
}

int main(int argc, char** argv) {
    return kmeans::run_stage(argc, argv, STAGE_NAME, find_clusters, kmeans::Layout::kPoints,
                             CellSort::kDeviceBytesPerPoint);
}
