// SPDX-License-Identifier: MIT
// K-means, stage 11: queued iterations.
// Idea: the last block of an iteration to end moves the centroids and decides whether to go on. So
// the host need not wait: it queues many iterations, and those behind the last one return at once.
// Compared with 10_pair_tests: end_iteration replaces move_centroids_kernel and the host's test.
// Limit now: reading the points once per iteration; with 32 centroids, the requests to shared
// memory. Not of the thesis.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/stream.hpp"
#include "device/cells.cuh"
#include "device/columns.cuh"
#include "device/fused_sums.cuh"
#include "device/lines.cuh"
#include "device/two_stage.cuh"
#include "problem/kmeans.hpp"

using course::cuda_check, course::DeviceBuffer, course::Event, course::PinnedBuffer;
using kmeans::add_block_sums, kmeans::choose_shape, kmeans::kMaxColumns, kmeans::rounded;
using kmeans::choose_cells, kmeans::find_candidates_kernel, kmeans::kCellBlock, kmeans::kSeveral;
using kmeans::label_by_line, kmeans::label_points_kernel, kmeans::Lines, kmeans::LinesMemory;
using kmeans::load_pairs, kmeans::nearest_in_cell, kmeans::PackedColumns, kmeans::Shape;
using kmeans::Phase, kmeans::PhaseTimer, kmeans::Sum;
using kmeans::Table, kmeans::TableMemory, kmeans::take_columns, kmeans::WideColumns;
using kmeans::fused::kWordsPerSum, kmeans::fused::Word, kmeans::Input, kmeans::Output;

constexpr std::int64_t kBatch = 32;  // iterations
// Measured on an H200: the most threads per block, and int4 per thread that are in flight.
__host__ __device__ constexpr int threads_of(int k) { return k <= 4 ? 512 : k <= 16 ? 1024 : 640; }
__host__ __device__ constexpr int loads_of(int k) { return k <= 4 || k > 16 ? 4 : 2; }

// How far the iterations have come.
struct Progress {
    std::int64_t iterations, converged, done;
    unsigned int blocks;  // that have ended in this iteration
};

// What an iteration leaves to the next, in device memory, and when the iterations end.
struct State {
    Progress* progress;
    Word* sums;
    int2 *centroids, *before;
    std::int64_t *sizes, max_iterations;
    bool all_iterations;
};

// The last block of an iteration calls this: moves the centroids, clears what the next iteration
// adds to, and decides whether there is one. The other blocks' sums were added in the L2 cache.
__device__ void end_iteration(const State& state, int k, const Lines& lines) {
    bool moved = false;
    const int c = threadIdx.x;
    if (c < k) {
        Word* sum = &state.sums[kWordsPerSum * c];
        const std::int64_t x = __ldcg(&sum[0]), y = __ldcg(&sum[1]), size = __ldcg(&sum[2]);
        sum[0] = sum[1] = sum[2] = 0;
        const int2 old = state.centroids[c];
        int2 centroid = old;
        if (size > 0) centroid = make_int2(static_cast<int>(x / size), static_cast<int>(y / size));
        moved = centroid.x != old.x || centroid.y != old.y;
        state.sizes[c] = size;
        state.before[c] = old;
        state.centroids[c] = centroid;
    }
    for (int i = c; i < Lines::kMax; i += blockDim.x) lines.owners[i] = Lines::kNobody;
    const bool converged = __syncthreads_or(moved) == 0;
    if (c > 0) return;
    Progress& progress = *state.progress;
    progress.blocks = 0;
    progress.converged = converged;
    ++progress.iterations;
    progress.done =
        progress.iterations == state.max_iterations || (converged && !state.all_iterations);
}

// K = rounded(k). Blocks of whole warps.
template <class Columns, int K>
__global__ void __launch_bounds__(threads_of(K), K <= 4 ? 2 : 1)
    sum_columns_kernel(const int2* __restrict__ points, std::int64_t count, int k, Table table,
                       Lines lines, State state) {
    alignas(16) extern __shared__ unsigned int s_words[];
    __shared__ int2 s_centroids[K];
    __shared__ int4 s_lines[Lines::kMax];
    __shared__ bool s_last;
    if (state.progress->done) return;
    const int thread = threadIdx.x, lane = thread % 32, threads = blockDim.x;
    const Columns columns(s_words, K * threads);
    constexpr int kWords = K * Columns::kBytes / 4;  // per thread
    auto* s_codes = reinterpret_cast<unsigned char*>(s_words + kWords * threads);
    const int2 origin = table.cells.low;
    for (int i = thread; i < kWords * threads; i += threads) s_words[i] = 0;
    for (int i = thread; i < table.cells.count() / 16; i += threads) {
        reinterpret_cast<uint4*>(s_codes)[i] = reinterpret_cast<const uint4*>(table.codes)[i];
    }
    for (int i = thread; i < Lines::kMax; i += threads) s_lines[i] = lines.lines[i];
    if (thread < k) s_centroids[thread] = state.centroids[thread];
    __syncthreads();  // all must be written before a thread uses it
    const auto label_of = [&](int code, unsigned int u, unsigned int v) {
        if (code == kSeveral) return nearest_in_cell(u, v, table, s_centroids);
        const int label = label_by_line(s_lines[max(code - (K - 1), 0)], u, v);
        return code < K ? code : label;
    };
    constexpr int kLoads = loads_of(K), kTogether = K > 16 ? kLoads : 1;
    const std::int64_t block_points = 2 * kLoads * threads, stride = gridDim.x * block_points;
    const std::int64_t warp_first = blockIdx.x * block_points + 2 * (thread - lane);
    Sum mine = {0, 0, 0};
    int added = 0;  // the most points in a column
    int4 batch[kLoads], next[kLoads];
    int next_left = load_pairs(next, points, count, warp_first + 2 * lane, origin);
    // All lanes of a warp do the same steps, so that they take columns together.
    for (std::int64_t first = warp_first; first < count; first += stride) {
        const int left = next_left;
        for (int i = 0; i < kLoads; ++i) batch[i] = next[i];
        next_left = load_pairs(next, points, count, first + stride + 2 * lane, origin);
        for (int group = 0; group < kLoads; group += kTogether) {
            unsigned int u[2 * kTogether], v[2 * kTogether];
            int labels[2 * kTogether];  // first their codes
            for (int i = 0; i < 2 * kTogether; ++i) {
                const int4 pair = batch[group + i / 2];
                u[i] = static_cast<unsigned int>(i % 2 == 0 ? pair.x : pair.z) - origin.x;
                v[i] = static_cast<unsigned int>(i % 2 == 0 ? pair.y : pair.w) - origin.y;
                labels[i] = s_codes[table.cells.cell(u[i], v[i])];
            }
            for (int i = 0; i < 2 * kTogether; ++i) labels[i] = label_of(labels[i], u[i], v[i]);
            for (int i = 0; i < 2 * kTogether; ++i) {
                if (2 * (group + i / 2) * threads + i % 2 >= left) break;
                columns.add(labels[i] * threads + thread, u[i], v[i]);
            }
        }
        added += 2 * kLoads;
        if (added + 2 * kLoads <= Columns::kMaxPoints) continue;
        take_columns<K>(columns, origin, mine);
        added = 0;
    }
    take_columns<K>(columns, origin, mine);
    add_block_sums<K>(mine, reinterpret_cast<Word*>(s_words), k, state.sums);
    __threadfence();  // the block's sums must arrive before it counts as ended
    __syncthreads();
    if (thread == 0) s_last = atomicAdd(&state.progress->blocks, 1) == gridDim.x - 1;
    __syncthreads();
    if (s_last) end_iteration(state, k, lines);
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
    DeviceBuffer<Progress> d_progress(1);
    PinnedBuffer<Progress> h_progress(2);
    Event copied[2];
    TableMemory d_table;
    LinesMemory d_lines;

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_points.data(), input.points.data(), d_points.bytes(), cudaMemcpyHostToDevice));
    cuda_check(cudaMemcpy(d_centroids.data(), input.centroids.data(), d_centroids.bytes(),
                          cudaMemcpyHostToDevice));
    cuda_check(cudaMemset(d_sums.data(), 0, d_sums.bytes()));
    cuda_check(cudaMemset(d_progress.data(), 0, d_progress.bytes()));

    timer.begin(Phase::kKernels);
    const Table table = d_table.over(choose_cells(d_points.data(), count, d_centroids.data(), k));
    const int cells = table.cells.count(), cell_blocks = (cells - 1) / kCellBlock + 1;
    // With wider boxes, this stage does what stage 08 does.
    const bool packed =
        std::max(table.cells.width(), table.cells.height()) <= PackedColumns::kMaxOffset;
    const auto kernel = packed ? kernel_for<PackedColumns>(k) : kernel_for<WideColumns>(k);
    const int column_bytes = packed ? PackedColumns::kBytes : WideColumns::kBytes;
    const Shape shape =
        choose_shape(kernel, threads_of(k), rounded(k) * column_bytes, cells, count);
    const Lines lines = d_lines.clear(rounded(k), packed);
    const State state = {d_progress.data(),   d_sums.data(),  d_centroids.data(),
                         d_before.data(),     d_sizes.data(), input.max_iterations,
                         input.all_iterations};
    // A batch of launches is queued while the one before it runs. Those behind the last iteration
    // find it done.
    for (std::int64_t queued = 0, batch = 0; queued < input.max_iterations; ++batch) {
        if (batch >= 2) {
            cuda_check(cudaEventSynchronize(copied[batch % 2].get()));
            if (h_progress.data()[batch % 2].done) break;
        }
        const std::int64_t end = std::min(queued + kBatch, input.max_iterations);
        for (; queued < end; ++queued) {
            find_candidates_kernel<<<cell_blocks, kCellBlock>>>(table, d_centroids.data(), k,
                                                                lines);
            cuda_check(cudaGetLastError());
            kernel<<<shape.blocks, shape.threads, shape.shared_bytes>>>(d_points.data(), count, k,
                                                                        table, lines, state);
            cuda_check(cudaGetLastError());
        }
        cuda_check(cudaMemcpyAsync(&h_progress.data()[batch % 2], d_progress.data(),
                                   d_progress.bytes(), cudaMemcpyDeviceToHost));
        copied[batch % 2].record();
    }
    // The labels are those of the centroids before the last iteration.
    find_candidates_kernel<<<cell_blocks, kCellBlock>>>(table, d_before.data(), k, lines);
    cuda_check(cudaGetLastError());
    label_points_kernel<<<(count - 1) / kmeans::kBlockSize + 1, kmeans::kBlockSize>>>(
        d_points.data(), count, table, d_before.data(), k, d_labels.data());
    cuda_check(cudaGetLastError());

    timer.begin(Phase::kCopyOut);
    Progress progress;
    cuda_check(
        cudaMemcpy(&progress, d_progress.data(), d_progress.bytes(), cudaMemcpyDeviceToHost));
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
