// SPDX-License-Identifier: MIT
// K-means, stage 12: points sorted by cells.
// Idea: the points never move, so they are sorted by the cells of a grid once. Then an iteration
// labels cells, not points: a warp finds the candidates of a cell and adds its points. Only in a
// cell with several candidates is there anything to compute for each point.
// Compared with 11_queued_iterations: no table and no columns. The key of a point is its place in a
// row of cells; in a narrow range it has half of the bytes of the point (device/cell_sort.cuh).
// Limit now: reading the keys, and finding the candidates of a million cells.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "device/cell_runs.cuh"
#include "device/cell_sort.cuh"
#include "device/cells.cuh"
#include "device/fused_sums.cuh"
#include "device/queue.cuh"
#include "device/tasks.cuh"
#include "device/two_stage.cuh"
#include "problem/kmeans.hpp"

using course::cuda_check, course::DeviceBuffer;
using kmeans::Cells, kmeans::CellSort, kmeans::SortedPoints;
using kmeans::end_iteration, kmeans::is_last_block, kmeans::sum_tasks;
using kmeans::Input, kmeans::Output, kmeans::Phase, kmeans::PhaseTimer;
using kmeans::IterationQueue, kmeans::Progress, kmeans::State;
using kmeans::kTaskThreads, kmeans::kTaskWarps, kmeans::Tasks;
using kmeans::fused::kWordsPerSum, kmeans::fused::Word;

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
void run_iterations(const Input& input, CellSort& sort, const Cells& cells, const Tasks& tasks,
                    const State& state, IterationQueue& queue, PhaseTimer& timer) {
    const SortedPoints<Key> sorted = sort.sort_rows<Key>(cells);
    const int squares = (cells.columns - 1) / kSide + 1;
    make_tasks_kernel<<<dim3(squares, squares), kSide * kSide>>>(sorted, tasks);
    cuda_check(cudaGetLastError());
    sort.end_preparation();
    const std::int64_t useful = kmeans::max_tasks(input.count(), sort.max_cells()) / kTaskWarps + 1;
    const int blocks = kmeans::blocks_at_once(sum_tasks_kernel<Key>, kTaskThreads, useful);
    timer.note_grid(blocks, kTaskThreads);
    queue.run(input.max_iterations, IterationQueue::kBatch, [&] {
        sum_tasks_kernel<<<blocks, kTaskThreads>>>(sorted, tasks, input.k(), state);
        cuda_check(cudaGetLastError());
    });
}

void find_clusters(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    const int k = input.k();
    if (!CellSort::takes(count, k)) return kmeans::fused::find_clusters(input, output, timer);
    timer.begin(Phase::kSetup);
    DeviceBuffer<int2> d_points(count), d_centroids(k), d_before(k);
    DeviceBuffer<std::int64_t> d_sizes(k);
    DeviceBuffer<Word> d_sums(kWordsPerSum * k);
    IterationQueue queue;
    CellSort sort(count);
    DeviceBuffer<uint4> d_tasks(kmeans::max_tasks(count, sort.max_cells()));
    DeviceBuffer<unsigned int> d_number(1);
    kmeans::TableMemory d_table;

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_points.data(), input.points.data(), d_points.bytes(), cudaMemcpyHostToDevice));
    cuda_check(cudaMemcpy(d_centroids.data(), input.centroids.data(), d_centroids.bytes(),
                          cudaMemcpyHostToDevice));
    cuda_check(cudaMemset(d_sums.data(), 0, d_sums.bytes()));
    cuda_check(cudaMemset(d_number.data(), 0, d_number.bytes()));

    timer.begin(Phase::kKernels);
    const Cells cells = sort.sort_by_rows(d_points.data());
    const Tasks tasks = {d_tasks.data(), d_number.data()};
    const State state = {queue.d_progress(),  d_sums.data(),  d_centroids.data(),
                         d_before.data(),     d_sizes.data(), input.max_iterations,
                         input.all_iterations};
    const auto run =
        CellSort::has_short_keys(cells) ? run_iterations<unsigned int> : run_iterations<Word>;
    run(input, sort, cells, tasks, state, queue, timer);
    // The labels are those of the centroids before the last iteration.
    kmeans::label_points(d_points.data(), count, d_table.over(CellSort::coarser(cells)),
                         d_before.data(), k, sort.d_labels());

    timer.begin(Phase::kCopyOut);
    const Progress progress = queue.wait();
    output.iterations = progress.iterations;
    output.converged = progress.converged != 0;
    output.preparation_ms = sort.preparation_ms();
    cuda_check(cudaMemcpy(output.centroids.data(), d_centroids.data(), d_centroids.bytes(),
                          cudaMemcpyDeviceToHost));
    cuda_check(cudaMemcpy(output.labels.data(), sort.d_labels(), count * sizeof(int),
                          cudaMemcpyDeviceToHost));
    cuda_check(
        cudaMemcpy(output.sizes.data(), d_sizes.data(), d_sizes.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.declare_work({.bytes = kmeans::kBytesPerPointToSort * count +
                                 kmeans::kBytesPerSortedPoint * count * output.iterations +
                                 kmeans::kBytesPerLabelledPoint * count});
}

int main(int argc, char** argv) {
    return kmeans::run_stage(argc, argv, STAGE_NAME, find_clusters, kmeans::Layout::kPoints,
                             CellSort::kDeviceBytesPerPoint);
}
