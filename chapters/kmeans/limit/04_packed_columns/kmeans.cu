// SPDX-License-Identifier: MIT
// K-means, stage limit/04: columns of one word.
// Idea: if all points lie in a box of less than 2^21 coordinates on each side, both sums and the
// number of points fit one word of 64 bits. Adding a point is then one load, one addition and one
// store, and half as many more threads fit on a multiprocessor.
// Compared with limit/03_cell_table: PackedColumns; the type of its columns is a parameter of the
// kernel.
// Limit now: points in cells with several candidates. They are few, but more than half of all warps
// have one and wait for it.
// Not of the thesis.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "03_int2/labels_and_sums.cuh"
#include "blocks/grid/grid.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "limit/01_fused_sums/fused_sums.cuh"
#include "limit/02_thread_columns/columns.cuh"
#include "limit/03_cell_table/candidates.cuh"
#include "limit/03_cell_table/cell_table.cuh"
#include "limit/04_packed_columns/packed_columns.cuh"
#include "problem/kmeans.hpp"

using course::cuda_check, course::DeviceBuffer;
using kmeans::Input, kmeans::Output, kmeans::Phase, kmeans::PhaseTimer, kmeans::WideColumns;
using kmeans::fused::kWordsPerSum, kmeans::fused::move_centroids_kernel, kmeans::fused::Word;

constexpr int kMaxThreads = 1024;

// K = rounded(k). Blocks of whole warps.
template <class Columns, int K>
__global__ void __launch_bounds__(kMaxThreads)
    sum_columns_kernel(const int2* __restrict__ points, std::int64_t count,
                       const int2* __restrict__ centroids, int k, kmeans::Table table,
                       Word* __restrict__ sums) {
    alignas(16) extern __shared__ unsigned int s_words[];
    __shared__ int2 s_centroids[K];
    const int thread = threadIdx.x, lane = thread % 32, threads = blockDim.x;
    const Columns columns(s_words, K * threads);
    constexpr int kWords = K * Columns::kBytes / 4;  // per thread
    auto* s_codes = reinterpret_cast<unsigned char*>(s_words + kWords * threads);
    const int2 origin = table.cells.low;
    for (int i = thread; i < kWords * threads; i += threads) s_words[i] = 0;
    for (int i = thread; i < table.cells.count() / 16; i += threads) {
        reinterpret_cast<uint4*>(s_codes)[i] = reinterpret_cast<const uint4*>(table.codes)[i];
    }
    if (thread < k) s_centroids[thread] = centroids[thread];
    __syncthreads();  // all must be written before a thread uses it
    const auto add = [&](int2 point) {
        const unsigned int u = static_cast<unsigned int>(point.x) - origin.x;
        const unsigned int v = static_cast<unsigned int>(point.y) - origin.y;
        int label = s_codes[table.cells.cell(u, v)];
        if (label == kmeans::kSeveral) label = kmeans::nearest_in_cell(u, v, table, s_centroids);
        columns.add(label * threads + thread, u, v);
    };
    const auto* pairs = reinterpret_cast<const int4*>(points);
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * threads;
    const std::int64_t warp_first = static_cast<std::int64_t>(blockIdx.x) * threads + thread - lane;
    kmeans::Sum mine = {0, 0, 0};
    int added = 0;  // the most points in a column
    // All lanes of a warp do the same steps, so that they take columns together.
    for (std::int64_t first = warp_first; first < count / 2; first += stride) {
        if (first + lane < count / 2) {
            const int4 pair = pairs[first + lane];
            add(make_int2(pair.x, pair.y));
            add(make_int2(pair.z, pair.w));
        }
        added += 2;
        if (added + 2 <= Columns::kMaxPoints) continue;
        kmeans::take_columns<K>(columns, mine);
        added = 0;
    }
    if (count % 2 == 1 && blockIdx.x == 0 && thread == 0) add(points[count - 1]);
    kmeans::take_columns<K>(columns, mine);
    kmeans::add_block_sums<K>(mine, origin, reinterpret_cast<Word*>(s_words), k, sums);
}

template <class Columns>
auto kernel_for(int k) {
    if (k > 8) return k > 16 ? sum_columns_kernel<Columns, 32> : sum_columns_kernel<Columns, 16>;
    return k > 4 ? sum_columns_kernel<Columns, 8> : sum_columns_kernel<Columns, 4>;
}

void find_clusters(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    const int k = input.k();
    if (k > kmeans::kMaxColumns) return kmeans::fused::find_clusters(input, output, timer);
    timer.begin(Phase::kSetup);
    std::vector<kmeans::Point> previous;
    output.centroids = input.centroids;
    DeviceBuffer<int2> d_points(count), d_centroids(k), d_before(k);
    DeviceBuffer<int> d_labels(count);
    DeviceBuffer<std::int64_t> d_sizes(k);
    DeviceBuffer<Word> d_sums(kWordsPerSum * k);
    kmeans::TableMemory d_table;
    output.iterations = 0;

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_points.data(), input.points.data(), d_points.bytes(), cudaMemcpyHostToDevice));
    cuda_check(cudaMemcpy(d_centroids.data(), output.centroids.data(), d_centroids.bytes(),
                          cudaMemcpyHostToDevice));
    cuda_check(cudaMemset(d_sums.data(), 0, d_sums.bytes()));

    timer.begin(Phase::kKernels);
    const kmeans::Table table =
        d_table.over(kmeans::choose_cells(d_points.data(), count, d_centroids.data(), k));
    const int cells = table.cells.count();
    // With wider boxes, this stage does what stage limit/03 does.
    const bool packed =
        std::max(table.cells.width(), table.cells.height()) <= kmeans::PackedColumns::kMaxOffset;
    const auto kernel = packed ? kernel_for<kmeans::PackedColumns>(k) : kernel_for<WideColumns>(k);
    const int column_bytes = packed ? kmeans::PackedColumns::kBytes : WideColumns::kBytes;
    const kmeans::Shape shape =
        kmeans::choose_shape(kernel, kMaxThreads, kmeans::rounded(k) * column_bytes, cells, count);
    do {
        kmeans::
            find_candidates_kernel<<<(cells - 1) / kmeans::kCellBlock + 1, kmeans::kCellBlock>>>(
                table, d_centroids.data(), k);
        cuda_check(cudaGetLastError());
        kernel<<<shape.blocks, shape.threads, shape.shared_bytes>>>(
            d_points.data(), count, d_centroids.data(), k, table, d_sums.data());
        cuda_check(cudaGetLastError());
        move_centroids_kernel<<<1, kmeans::fused::kBlockSize>>>(
            d_sums.data(), k, d_centroids.data(), d_before.data(), d_sizes.data());
        cuda_check(cudaGetLastError());
        previous = output.centroids;
        cuda_check(cudaMemcpy(output.centroids.data(), d_centroids.data(), d_centroids.bytes(),
                              cudaMemcpyDeviceToHost));
        output.converged = output.centroids == previous;
    } while (!input.ends_after(++output.iterations, output.converged));
    kmeans::label_points_kernel<<<(count - 1) / kmeans::kBlockSize + 1, kmeans::kBlockSize>>>(
        d_points.data(), count, table, d_before.data(), k, d_labels.data());
    cuda_check(cudaGetLastError());

    timer.begin(Phase::kCopyOut);
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
