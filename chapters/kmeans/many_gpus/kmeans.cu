// SPDX-License-Identifier: MIT
// K-means, stage many_gpus: many GPUs.
// Idea: each rank, a process with its own GPU, keeps a slice of the points. Once per iteration, an
// all-reduce adds the sums of the clusters, three integers each. Then all ranks move the centroids
// alike. Sums of integers do not depend on the number of ranks; nor do the labels.
// Compared with limit/07_row_intervals: slices of the points; a kernel of its own ends an
// iteration. With several ranks a graph has fewer iterations, because the host takes longer to
// record an all-reduce than a kernel. For more than 32 centroids, ranks read their slices in every
// iteration, as in stage limit/01.
// Limit now: the latency of an iteration, to which the all-reduce adds some 6 us.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>
#include <span>

#include "blocks/cell_sort/cell_sort.cuh"
#include "blocks/grid/grid.cuh"
#include "blocks/iterations/queue.cuh"
#include "blocks/iterations/sorted_run.cuh"
#include "blocks/task_list/task_list.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/graph.hpp"
#include "common/cuda/stream.hpp"
#include "common/ranks/nccl_ranks.hpp"
#include "common/ranks/warm_up.hpp"
#include "limit/01_fused_sums/fused_sums.cuh"
#include "limit/02_thread_columns/columns.cuh"
#include "limit/06_cell_sums/sum_tasks.cuh"
#include "limit/07_row_intervals/row_intervals.cuh"
#include "problem/kmeans.hpp"

using course::cuda_check, course::Graph, course::nccl_check, course::NcclRanks, course::Stream;
using kmeans::Cells, kmeans::CellSort, kmeans::CellSums, kmeans::SortedPoints;
using kmeans::Input, kmeans::Output, kmeans::Phase, kmeans::PhaseTimer, kmeans::State;
using kmeans::kTaskThreads, kmeans::kTaskWarps, kmeans::SortedRun, kmeans::Tasks, kmeans::Word;

// Of a graph. While two GPUs sort 160 M points, the host can record ten with all-reduces.
constexpr std::int64_t kMaxIterations = 32, kMaxIterationsOfRanks = 10;

// One warp per task.
template <class Key>
__global__ void __launch_bounds__(kTaskThreads, 1)
    sum_tasks_kernel(SortedPoints<Key> sorted, Tasks tasks, int k, State state, bool one_rank) {
    if (state.progress->done) return;
    kmeans::sum_tasks(sorted, tasks, state.centroids, k, state.sums);
    if (!kmeans::is_last_block(state.progress)) return;
    if (one_rank) kmeans::end_iteration(state, k);
    if (threadIdx.x == 0) *tasks.number = 0;
}

// The sums are those of all ranks.
__global__ void __launch_bounds__(kTaskThreads) end_iteration_kernel(int k, State state) {
    if (!state.progress->done) kmeans::end_iteration(state, k);
}

// The sums become those of all ranks.
void add_up(NcclRanks& ranks, Word* d_sums, int k, cudaStream_t stream) {
    if (ranks.count() == 1) return;
    nccl_check(ncclAllReduce(d_sums, d_sums, kmeans::fused::kWordsPerSum * k, ncclUint64, ncclSum,
                             ranks.communicator(), stream));
}

// Sorts the rows of points, and queues all iterations. The graph must live until they have ended.
template <class Key>
Graph run_iterations(const Input& input, std::int64_t count, SortedRun& run, const Cells& cells,
                     const CellSums& before, const Tasks& tasks, const Stream& stream,
                     PhaseTimer& timer) {
    NcclRanks& ranks = NcclRanks::of(timer);
    const SortedPoints<Key> sorted = run.sort.sort_rows<Key>(cells, before);
    kmeans::scan_sums_kernel<<<cells.columns, kmeans::kMaxSide>>>(cells.columns, before);
    cuda_check(cudaGetLastError());
    run.sort.end_preparation();
    const std::int64_t lists = std::int64_t{cells.columns} * (input.k() + 1);
    const std::int64_t useful = kmeans::max_tasks(count, lists) / kTaskWarps + 1;
    const int blocks = kmeans::blocks_at_once(sum_tasks_kernel<Key>, kTaskThreads, useful);
    const int row_blocks =
        kmeans::blocks_at_once(kmeans::share_rows_kernel<Key>, kTaskThreads, cells.columns);
    timer.note_grid(blocks, kTaskThreads);
    const State state = run.state();
    const auto queue_iteration = [&] {
        kmeans::share_rows_kernel<<<row_blocks, kTaskThreads, 0, stream.get()>>>(
            sorted, before, tasks, input.k(), state);
        cuda_check(cudaGetLastError());
        sum_tasks_kernel<<<blocks, kTaskThreads, 0, stream.get()>>>(sorted, tasks, input.k(), state,
                                                                    ranks.count() == 1);
        cuda_check(cudaGetLastError());
        if (ranks.count() == 1) return;
        add_up(ranks, state.sums, input.k(), stream.get());
        end_iteration_kernel<<<1, kTaskThreads, 0, stream.get()>>>(input.k(), state);
        cuda_check(cudaGetLastError());
    };
    // As few graphs as there must be, all of the same length.
    const std::int64_t most = ranks.count() == 1 ? kMaxIterations : kMaxIterationsOfRanks;
    const std::int64_t graphs = (input.max_iterations - 1) / most + 1;
    const std::int64_t iterations = (input.max_iterations - 1) / graphs + 1;
    Graph graph(stream, [&] {  // recorded while the GPU sorts
        for (std::int64_t i = 0; i < iterations; ++i) queue_iteration();
    });
    run.queue.run(graphs, 1, [&] { graph.launch(stream); });
    return graph;
}

void cluster_sorted(const Input& input, Output& output, PhaseTimer& timer, course::Slice own) {
    SortedRun run(input, own.begin, own.size());
    const Stream stream;
    kmeans::CellSumsMemory d_cell_sums(run.sort.words());
    kmeans::TasksMemory d_tasks(
        kmeans::max_tasks(own.size(), run.sort.max_rows() * (input.k() + 1)));

    timer.begin(Phase::kCopyIn);
    run.copy_in();
    course::warm_up(NcclRanks::of(timer));  // else the first all-reduces would be slow

    timer.begin(Phase::kKernels);
    const Cells cells = run.sort_by_rows();
    const auto iterate =
        CellSort::has_short_keys(cells) ? run_iterations<unsigned int> : run_iterations<Word>;
    const Graph graph =
        iterate(input, own.size(), run, cells, d_cell_sums.sums(), d_tasks.tasks(), stream, timer);
    run.label_points(cells);

    timer.begin(Phase::kCopyOut);
    run.copy_out(output);
    timer.declare_work(
        {.bytes = input.count() * (kmeans::kBytesPerPointToSort + kmeans::kBytesPerSortedPoint +
                                   kmeans::kBytesPerLabelledPoint)});
}

void find_clusters(const Input& input, Output& output, PhaseTimer& timer) {
    NcclRanks& ranks = NcclRanks::of(timer);
    const course::Slice own = ranks.slice(input.count());
    timer.begin(Phase::kSetup);
    ranks.communicator();  // made here, not while the kernels are timed
    const bool some_empty = input.count() < ranks.count();
    if (some_empty || !CellSort::takes((input.count() - 1) / ranks.count() + 1, input.k())) {
        const auto add = [&](Word* d_sums) { add_up(ranks, d_sums, input.k(), nullptr); };
        kmeans::fused::cluster_slice(input, output, timer, own.begin, own.size(), add);
    } else {
        cluster_sorted(input, output, timer, own);
    }
    ranks.gather(std::span(output.labels));
    timer.end();
}

int main(int argc, char** argv) {
    return kmeans::run_stage(argc, argv, STAGE_NAME, find_clusters, kmeans::Layout::kPoints,
                             CellSort::kDeviceBytesPerPoint);
}
