// SPDX-License-Identifier: MIT
// K-means, stage limit/06: sums of cells.
// Idea: the points never move, so they are sorted by the cells of a grid once (blocks/cell_sort).
// From then on, the points of a cell have the same number and the same sums in every iteration. A
// cell with one candidate is added as a whole. Only the points of cut cells, those with several
// candidates, are read.
// Compared with limit/05_pair_tests: no table and no columns. sum_whole_cells_kernel adds cells,
// and makes tasks of the cut ones. A warp labels a task; the last block moves the centroids.
// Limit now: reading the numbers and sums of a million cells, and testing each.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/cell_sort/cell_sort.cuh"
#include "blocks/grid/grid.cuh"
#include "blocks/iterations/queue.cuh"
#include "blocks/iterations/sorted_run.cuh"
#include "blocks/task_list/task_list.cuh"
#include "common/cuda/cuda_check.hpp"
#include "limit/01_fused_sums/fused_sums.cuh"
#include "limit/02_thread_columns/columns.cuh"
#include "limit/06_cell_sums/cell_sums.cuh"
#include "limit/06_cell_sums/sum_tasks.cuh"
#include "problem/kmeans.hpp"

using course::cuda_check;
using kmeans::Cells, kmeans::CellSort, kmeans::CellSums, kmeans::SortedPoints, kmeans::Sum;
using kmeans::Input, kmeans::Output, kmeans::Phase, kmeans::PhaseTimer, kmeans::State;
using kmeans::kTaskThreads, kmeans::kTaskWarps, kmeans::SortedRun, kmeans::Tasks, kmeans::Word;

// One thread per cell. A warp has a strip of 32 cells of a row.
template <class Key>
__global__ void __launch_bounds__(kTaskThreads, 1)
    sum_whole_cells_kernel(SortedPoints<Key> sorted, CellSums sums, Tasks tasks, int k,
                           State state) {
    __shared__ int2 s_centroids[kmeans::kMaxColumns];
    __shared__ Word s_partial[kmeans::fused::kWordsPerSum * kmeans::kMaxColumns * kTaskWarps];
    if (state.progress->done) return;  // no iteration is left
    const int thread = threadIdx.x, lane = thread % 32;
    if (thread < k) s_centroids[thread] = state.centroids[thread];
    __syncthreads();  // all centroids must be copied before a thread reads them
    const Cells& cells = sorted.cells;
    const int strips = (cells.columns - 1) / 32 + 1;  // of a row
    Sum mine = {0, 0, 0};
    for (int i = blockIdx.x * kTaskWarps + thread / 32; i < sorted.rows() * strips;
         i += gridDim.x * kTaskWarps) {
        const int row = i / strips, first = i % strips * 32, column = first + lane;
        const kmeans::Box strip = kmeans::box_of_cells(cells, row, row + 1, first, first + 32);
        const unsigned int candidates = kmeans::candidates_by_warp(strip, s_centroids, k);
        const unsigned int* starts = sorted.starts_of(row);
        const bool exists = column < cells.columns;
        const unsigned int points = exists ? starts[column + 1] - starts[column] : 0;
        unsigned int left = 0;  // of these candidates, those of the cell
        if (points > 0) {
            const kmeans::Box box = kmeans::box_of_cells(cells, row, row + 1, column, column + 1);
            left = kmeans::candidates_among(candidates, box, s_centroids);
        }
        const bool cut = (left & (left - 1)) != 0;
        tasks.append(starts, row, column, cut ? column + 1 : column);
        Sum whole = {0, 0, 0};
        if (points > 0 && !cut)
            whole = kmeans::sum_of(sums, starts - sorted.starts + column, points);
        kmeans::add_by_label(whole, left, mine);
    }
    kmeans::add_block_sums<kmeans::kMaxColumns>(mine, cells.low, s_partial, k, state.sums);
}

// Sorts the rows of points, and runs all iterations.
template <class Key>
void run_iterations(const Input& input, SortedRun& run, const Cells& cells, const CellSums& sums,
                    const Tasks& tasks, PhaseTimer& timer) {
    const SortedPoints<Key> sorted = run.sort.sort_rows<Key>(cells, sums);
    run.sort.end_preparation();
    const std::int64_t useful =
        kmeans::max_tasks(input.count(), run.sort.max_cells()) / kTaskWarps + 1;
    const int blocks = kmeans::blocks_at_once(kmeans::sum_tasks_kernel<Key>, kTaskThreads, useful);
    const int cell_blocks =
        kmeans::blocks_at_once(sum_whole_cells_kernel<Key>, kTaskThreads, cells.columns);
    timer.note_grid(blocks, kTaskThreads);
    const State state = run.state();
    run.queue.run(input.max_iterations, kmeans::IterationQueue::kBatch, [&] {
        sum_whole_cells_kernel<<<cell_blocks, kTaskThreads>>>(sorted, sums, tasks, input.k(),
                                                              state);
        cuda_check(cudaGetLastError());
        kmeans::sum_tasks_kernel<<<blocks, kTaskThreads>>>(sorted, tasks, input.k(), state);
        cuda_check(cudaGetLastError());
    });
}

void find_clusters(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    const int k = input.k();
    if (!CellSort::takes(count, k)) return kmeans::fused::find_clusters(input, output, timer);
    timer.begin(Phase::kSetup);
    SortedRun run(input);
    kmeans::CellSumsMemory d_cell_sums(run.sort.words());
    kmeans::TasksMemory d_tasks(kmeans::max_tasks(count, run.sort.max_cells()));

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
