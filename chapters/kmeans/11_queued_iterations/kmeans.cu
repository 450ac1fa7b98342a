// SPDX-License-Identifier: MIT
// K-means, stage 11: queued iterations.
// Idea: the last block of an iteration to end moves the centroids and decides whether to go on. So
// the host need not wait: it queues many iterations, and those behind the last one return at once.
// Compared with 10_pair_tests: end_iteration replaces move_centroids_kernel and the host's test.
// Limit now: reading the points; with 32 centroids, the requests to shared memory.
// Not of the thesis.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "device/cells.cuh"
#include "device/columns.cuh"
#include "device/fused_sums.cuh"
#include "device/lines.cuh"
#include "device/pair_sums.cuh"
#include "device/queue.cuh"
#include "device/two_stage.cuh"
#include "problem/kmeans.hpp"

using course::cuda_check, course::DeviceBuffer;
using kmeans::choose_cells, kmeans::kCellBlock, kmeans::label_points_kernel, kmeans::choose_shape;
using kmeans::IterationQueue, kmeans::Input, kmeans::Output, kmeans::Phase, kmeans::PhaseTimer;
using kmeans::kMaxColumns, kmeans::rounded, kmeans::Shape, kmeans::find_candidates_kernel;
using kmeans::Lines, kmeans::LinesMemory, kmeans::PackedColumns, kmeans::Progress, kmeans::State;
using kmeans::sum_columns, kmeans::threads_of, kmeans::Table, kmeans::TableMemory;
using kmeans::WideColumns, kmeans::fused::kWordsPerSum, kmeans::fused::Word;

// The last block of an iteration calls this: moves the centroids, clears what the next iteration
// adds to, and decides whether there is one. The other blocks' sums were added in the L2 cache.
__device__ void end_iteration(const State& state, int k) {
    bool moved = false;
    const int c = threadIdx.x;
    if (c < k) {
        Word* sum = &state.sums[kWordsPerSum * c];
        const std::int64_t x = __ldcg(&sum[0]), y = __ldcg(&sum[1]), size = __ldcg(&sum[2]);
        sum[0] = sum[1] = sum[2] = 0;
        const int2 old = state.centroids[c];
        int2 mean = old;  // a centroid without points does not move
        if (size > 0) mean = make_int2(static_cast<int>(x / size), static_cast<int>(y / size));
        moved = mean.x != old.x || mean.y != old.y;
        state.sizes[c] = size;
        state.before[c] = old;
        state.centroids[c] = mean;
    }
    const bool converged = __syncthreads_or(moved) == 0;
    if (c > 0) return;
    Progress& progress = *state.progress;
    progress.blocks = 0;
    progress.converged = converged;
    ++progress.iterations;
    progress.done =
        progress.iterations == state.max_iterations || (converged && !state.all_iterations);
}

template <class Columns, int K>
__global__ void __launch_bounds__(threads_of(K), K <= 4 ? 2 : 1)
    sum_columns_kernel(const int2* __restrict__ points, std::int64_t count, int k, Table table,
                       Lines lines, State state) {
    __shared__ bool s_last;
    if (state.progress->done) return;
    sum_columns<Columns, K>(points, count, state.centroids, k, table, lines, state.sums,
                            state.progress->iterations % 2 != 0);
    __threadfence();  // the sums of this block must arrive before it counts as ended
    __syncthreads();
    if (threadIdx.x == 0) s_last = atomicAdd(&state.progress->blocks, 1) == gridDim.x - 1;
    __syncthreads();
    if (s_last) end_iteration(state, k);
}

template <class Columns>
auto kernel_for(int k) {
    if (k > 8) return k > 16 ? sum_columns_kernel<Columns, 32> : sum_columns_kernel<Columns, 16>;
    return k > 4 ? sum_columns_kernel<Columns, 8> : sum_columns_kernel<Columns, 4>;
}

void find_clusters(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    const int k = input.k();
    if (k > kMaxColumns) return kmeans::fused::find_clusters(input, output, timer);
    timer.begin(Phase::kSetup);
    DeviceBuffer<int2> d_points(count), d_centroids(k), d_before(k);
    DeviceBuffer<int> d_labels(count);
    DeviceBuffer<std::int64_t> d_sizes(k);
    DeviceBuffer<Word> d_sums(kWordsPerSum * k);
    IterationQueue queue;
    TableMemory d_table;
    LinesMemory d_lines;

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_points.data(), input.points.data(), d_points.bytes(), cudaMemcpyHostToDevice));
    cuda_check(cudaMemcpy(d_centroids.data(), input.centroids.data(), d_centroids.bytes(),
                          cudaMemcpyHostToDevice));
    cuda_check(cudaMemset(d_sums.data(), 0, d_sums.bytes()));

    timer.begin(Phase::kKernels);
    const Table table = d_table.over(choose_cells(d_points.data(), count, d_centroids.data(), k));
    const int cells = table.cells.count();
    // With wider boxes, this stage does what stage 08 does.
    const bool packed =
        std::max(table.cells.width(), table.cells.height()) <= PackedColumns::kMaxOffset;
    const auto kernel = packed ? kernel_for<PackedColumns>(k) : kernel_for<WideColumns>(k);
    const int column_bytes = packed ? PackedColumns::kBytes : WideColumns::kBytes;
    const Shape shape = choose_shape(kernel, threads_of(k), rounded(k) * column_bytes,
                                     cells + Lines::kBytes, count);
    const Lines lines = d_lines.clear(rounded(k), packed);
    const State state = {queue.d_progress(),  d_sums.data(),  d_centroids.data(),
                         d_before.data(),     d_sizes.data(), input.max_iterations,
                         input.all_iterations};
    queue.run(input.max_iterations, IterationQueue::kBatch, [&] {
        find_candidates_kernel<<<(cells - 1) / kCellBlock + 1, kCellBlock>>>(
            table, d_centroids.data(), k, lines);
        cuda_check(cudaGetLastError());
        kernel<<<shape.blocks, shape.threads, shape.shared_bytes>>>(d_points.data(), count, k,
                                                                    table, lines, state);
        cuda_check(cudaGetLastError());
    });
    // The labels are those of the centroids before the last iteration.
    find_candidates_kernel<<<(cells - 1) / kCellBlock + 1, kCellBlock>>>(table, d_before.data(), k,
                                                                         lines);
    cuda_check(cudaGetLastError());
    label_points_kernel<<<(count - 1) / kmeans::kBlockSize + 1, kmeans::kBlockSize>>>(
        d_points.data(), count, table, d_before.data(), k, d_labels.data());
    cuda_check(cudaGetLastError());

    timer.begin(Phase::kCopyOut);
    const Progress progress = queue.wait();
    output.iterations = progress.iterations;
    output.converged = progress.converged != 0;
    cuda_check(cudaMemcpy(output.centroids.data(), d_centroids.data(), d_centroids.bytes(),
                          cudaMemcpyDeviceToHost));
    cuda_check(cudaMemcpy(output.labels.data(), d_labels.data(), d_labels.bytes(),
                          cudaMemcpyDeviceToHost));
    cuda_check(
        cudaMemcpy(output.sizes.data(), d_sizes.data(), d_sizes.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid(shape.blocks, shape.threads);
    timer.declare_work({.bytes = kmeans::kBytesPerPointInOnePass * count * output.iterations +
                                 kmeans::kBytesPerLabelledPoint * count});
}

int main(int argc, char** argv) { return kmeans::run_stage(argc, argv, STAGE_NAME, find_clusters); }
