// SPDX-License-Identifier: MIT
// K-means, stage limit/07: intervals of rows.
// Idea: a centroid's cluster is convex, so in a row of cells it owns one interval of columns. With
// the sums of all cells before each cell, those of an interval are two readings and a difference.
// Nobody looks at a cell any more that is not cut. Now an iteration takes about as long as its
// launches, so many iterations are recorded as a graph, which is one launch.
// Compared with limit/06_cell_sums: share_rows_kernel finds one interval per row and centroid
// instead of testing each cell; the columns between intervals become tasks. The launches of the
// iterations are captured while the GPU sorts the points.
// Limit now: two kernels per iteration that wait for each other, and the latency of memory.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/cell_sort/cell_sort.cuh"
#include "blocks/grid/grid.cuh"
#include "blocks/iterations/queue.cuh"
#include "blocks/iterations/sorted_run.cuh"
#include "blocks/task_list/task_list.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/graph.hpp"
#include "common/cuda/stream.hpp"
#include "limit/01_fused_sums/fused_sums.cuh"
#include "limit/02_thread_columns/columns.cuh"
#include "limit/06_cell_sums/sum_tasks.cuh"
#include "limit/07_row_intervals/row_intervals.cuh"
#include "problem/kmeans.hpp"

using course::cuda_check, course::Graph, course::Stream;
using kmeans::Cells, kmeans::CellSort, kmeans::CellSums, kmeans::SortedPoints;
using kmeans::Input, kmeans::Output, kmeans::Phase, kmeans::PhaseTimer, kmeans::State;
using kmeans::kTaskThreads, kmeans::kTaskWarps, kmeans::SortedRun, kmeans::Tasks, kmeans::Word;

constexpr std::int64_t kMaxIterations = 32;  // of a graph

// Sorts the rows of points, and queues all iterations. The graph must live until they have ended.
template <class Key>
Graph run_iterations(const Input& input, SortedRun& run, const Cells& cells, const CellSums& before,
                     const Tasks& tasks, const Stream& stream, PhaseTimer& timer) {
    const SortedPoints<Key> sorted = run.sort.sort_rows<Key>(cells, before);
    kmeans::scan_sums_kernel<<<cells.columns, kmeans::kMaxSide>>>(cells.columns, before);
    cuda_check(cudaGetLastError());
    run.sort.end_preparation();
    const std::int64_t lists = std::int64_t{cells.columns} * (input.k() + 1);
    const std::int64_t useful = kmeans::max_tasks(input.count(), lists) / kTaskWarps + 1;
    const int blocks = kmeans::blocks_at_once(kmeans::sum_tasks_kernel<Key>, kTaskThreads, useful);
    const int row_blocks =
        kmeans::blocks_at_once(kmeans::share_rows_kernel<Key>, kTaskThreads, cells.columns);
    timer.note_grid(blocks, kTaskThreads);
    const State state = run.state();
    // As few graphs as there must be, all of the same length.
    const std::int64_t graphs = (input.max_iterations - 1) / kMaxIterations + 1;
    const std::int64_t iterations = (input.max_iterations - 1) / graphs + 1;
    Graph graph(stream, [&] {
        for (std::int64_t i = 0; i < iterations; ++i) {
            kmeans::share_rows_kernel<<<row_blocks, kTaskThreads, 0, stream.get()>>>(
                sorted, before, tasks, input.k(), state);
            cuda_check(cudaGetLastError());
            kmeans::sum_tasks_kernel<<<blocks, kTaskThreads, 0, stream.get()>>>(sorted, tasks,
                                                                                input.k(), state);
            cuda_check(cudaGetLastError());
        }
    });
    run.queue.run(graphs, 1, [&] { graph.launch(stream); });
    return graph;
}

void find_clusters(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    const int k = input.k();
    if (!CellSort::takes(count, k)) return kmeans::fused::find_clusters(input, output, timer);
    timer.begin(Phase::kSetup);
    SortedRun run(input);
    const Stream stream;
    kmeans::CellSumsMemory d_cell_sums(run.sort.words());
    kmeans::TasksMemory d_tasks(kmeans::max_tasks(count, run.sort.max_rows() * (k + 1)));

    timer.begin(Phase::kCopyIn);
    run.copy_in();

    timer.begin(Phase::kKernels);
    const Cells cells = run.sort_by_rows();
    const auto iterate =
        CellSort::has_short_keys(cells) ? run_iterations<unsigned int> : run_iterations<Word>;
    const Graph graph =
        iterate(input, run, cells, d_cell_sums.sums(), d_tasks.tasks(), stream, timer);
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
