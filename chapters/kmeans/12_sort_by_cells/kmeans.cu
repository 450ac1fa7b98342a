// SPDX-License-Identifier: MIT
// K-means, stage 12: points sorted by cells.
// Idea: the points never move, so they are sorted by the cells of a grid once. Then an iteration
// labels cells, not points: a warp finds the candidates of a cell and adds its points. Only in a
// cell with several candidates is there anything to compute for each point.
// Compared with 11_queued_iterations: no table and no columns. The key of a point is its place in a
// row of cells; in a narrow range it has half of the bytes of the point (device/cell_sort.cuh). The
// memory and the copies have moved to device/sorted_run.cuh.
// Limit now: reading the keys, and finding the candidates of a million cells.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "device/cell_runs.cuh"
#include "device/cell_sort.cuh"
#include "device/cells.cuh"
#include "device/fused_sums.cuh"
#include "device/queue.cuh"
#include "device/sorted_run.cuh"
#include "device/tasks.cuh"
#include "device/two_stage.cuh"
#include "problem/kmeans.hpp"

using course::cuda_check;
using kmeans::Cells, kmeans::CellSort, kmeans::SortedPoints;
using kmeans::end_iteration, kmeans::is_last_block, kmeans::sum_tasks;
using kmeans::Input, kmeans::Output, kmeans::Phase, kmeans::PhaseTimer;
using kmeans::IterationQueue, kmeans::SortedRun, kmeans::State, kmeans::Tasks, kmeans::TasksMemory;
using kmeans::kTaskThreads, kmeans::kTaskWarps;
using kmeans::fused::Word;

constexpr int kSide = 32;  // of a square of cells: a block of threads, one warp for each row

// One thread per cell.
template <class Key>
__global__ void __launch_bounds__(kSide* kSide)
    make_tasks_kernel(SortedPoints<Key> sorted, Tasks tasks) {
    const int row = blockIdx.y * kSide + threadIdx.x / kSide;
    const int column = blockIdx.x * kSide + threadIdx.x % kSide;
    if (row >= sorted.cells.columns) return;
    const int end = min(column + 1, sorted.cells.columns);
    tasks.append(sorted.starts_of(row), row, column, end);
}

// One warp per task.
template <class Key>
__global__ void __launch_bounds__(kTaskThreads, 1)
    sum_tasks_kernel(SortedPoints<Key> sorted, Tasks tasks, int k, State state) {
    if (state.progress->done) return;
    sum_tasks(sorted, tasks, state.centroids, k, state.sums);
    if (is_last_block(state.progress)) end_iteration(state, k);
}

// Sorts the rows of points, and runs all iterations.
template <class Key>
void run_iterations(const Input& input, SortedRun& run, const Cells& cells, const Tasks& tasks,
                    PhaseTimer& timer) {
    const SortedPoints<Key> sorted = run.sort.sort_rows<Key>(cells);
    const int squares = (cells.columns - 1) / kSide + 1;
    make_tasks_kernel<<<dim3(squares, squares), kSide * kSide>>>(sorted, tasks);
    cuda_check(cudaGetLastError());
    run.sort.end_preparation();
    const std::int64_t useful =
        kmeans::max_tasks(input.count(), run.sort.max_cells()) / kTaskWarps + 1;
    const int blocks = kmeans::blocks_at_once(sum_tasks_kernel<Key>, kTaskThreads, useful);
    timer.note_grid(blocks, kTaskThreads);
    const State state = run.state();
    run.queue.run(input.max_iterations, IterationQueue::kBatch, [&] {
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
    TasksMemory d_tasks(kmeans::max_tasks(count, run.sort.max_cells()));

    timer.begin(Phase::kCopyIn);
    run.copy_in();

    timer.begin(Phase::kKernels);
    const Cells cells = run.sort_by_rows();
    const auto iterate =
        CellSort::has_short_keys(cells) ? run_iterations<unsigned int> : run_iterations<Word>;
    iterate(input, run, cells, d_tasks.tasks(), timer);
    run.label_points(cells);

    timer.begin(Phase::kCopyOut);
    run.copy_out(output);
    timer.end();
    timer.declare_work({.bytes = kmeans::kBytesPerPointToSort * count +
                                 kmeans::kBytesPerSortedPoint * count * output.iterations +
                                 kmeans::kBytesPerLabelledPoint * count});
}

int main(int argc, char** argv) {
    return kmeans::run_stage(argc, argv, STAGE_NAME, find_clusters, kmeans::Layout::kPoints,
                             CellSort::kDeviceBytesPerPoint);
}
