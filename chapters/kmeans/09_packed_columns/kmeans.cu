// SPDX-License-Identifier: MIT
// K-means, stage 09: columns of one word.
// Idea: if all points lie in a box of less than 2^21 coordinates on each side, both sums and the
// number of points fit one word of 64 bits. Adding a point is then one load, one addition and one
// store, and half as many more threads fit on a multiprocessor.
// Compared with 08_cell_table: PackedColumns; the type of its columns is a parameter of the kernel.
// Limit now: points in cells with several candidates. They are few, but more than half of all warps
// have one and wait for it.
// Not of the thesis.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "device/candidates.cuh"
#include "device/cells.cuh"
#include "device/columns.cuh"
#include "device/fused_sums.cuh"
#include "device/two_stage.cuh"
#include "problem/kmeans.hpp"

using course::cuda_check, course::DeviceBuffer;
using kmeans::add_block_sums, kmeans::Point, kmeans::Sum, kmeans::take_columns;
using kmeans::choose_cells, kmeans::kCellBlock, kmeans::label_points_kernel;
using kmeans::choose_shape, kmeans::kMaxColumns, kmeans::rounded, kmeans::Shape;
using kmeans::find_candidates_kernel;
using kmeans::Input, kmeans::Output, kmeans::Phase, kmeans::PhaseTimer;
using kmeans::kSeveral, kmeans::nearest_in_cell;
using kmeans::Table, kmeans::TableMemory, kmeans::WideColumns;
using kmeans::fused::kWordsPerSum, kmeans::fused::Word;
using kmeans::fused::move_centroids_kernel;

constexpr int kMaxThreads = 1024;

// The same as kmeans::WideColumns for offsets below 2^21, in one word: bits 0-27 are the sum of x,
// bits 28-55 that of y, and bits 56-63 the number of points.
struct PackedColumns {
    static constexpr int kBytes = 8;
    static constexpr int kMaxPoints = 128;  // 128 * (2^21 - 1) < 2^28
    static constexpr unsigned int kMaxOffset = (1u << 21) - 1;

    Word* words;

    __device__ PackedColumns(void* memory, int) : words(static_cast<Word*>(memory)) {}

    __device__ void add(int column, unsigned int u, unsigned int v) const {
        words[column] += u | Word{v} << 28 | Word{1} << 56;
    }
    __device__ Sum take(int column) const {
        constexpr Word kMask = (Word{1} << 28) - 1;
        const Word word = words[column];
        words[column] = 0;
        const auto u = static_cast<std::int64_t>(word & kMask);
        const auto v = static_cast<std::int64_t>(word >> 28 & kMask);
        const auto count = static_cast<std::int64_t>(word >> 56);
        return {u, v, count};
    }
};

// K = rounded(k). Blocks of whole warps.
template <class Columns, int K>
__global__ void __launch_bounds__(kMaxThreads)
    sum_columns_kernel(const int2* __restrict__ points, std::int64_t count,
                       const int2* __restrict__ centroids, int k, Table table,
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
        if (label == kSeveral) label = nearest_in_cell(u, v, table, s_centroids);
        columns.add(label * threads + thread, u, v);
    };
    const auto* pairs = reinterpret_cast<const int4*>(points);
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * threads;
    const std::int64_t warp_first = static_cast<std::int64_t>(blockIdx.x) * threads + thread - lane;
    Sum mine = {0, 0, 0};
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
        take_columns<K>(columns, mine);
        added = 0;
    }
    if (count % 2 == 1 && blockIdx.x == 0 && thread == 0) add(points[count - 1]);
    take_columns<K>(columns, mine);
    add_block_sums<K>(mine, origin, reinterpret_cast<Word*>(s_words), k, sums);
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
    std::vector<Point> previous;
    output.centroids = input.centroids;
    DeviceBuffer<int2> d_points(count), d_centroids(k), d_before(k);
    DeviceBuffer<int> d_labels(count);
    DeviceBuffer<std::int64_t> d_sizes(k);
    DeviceBuffer<Word> d_sums(kWordsPerSum * k);
    TableMemory d_table;
    output.iterations = 0;

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_points.data(), input.points.data(), d_points.bytes(), cudaMemcpyHostToDevice));
    cuda_check(cudaMemcpy(d_centroids.data(), output.centroids.data(), d_centroids.bytes(),
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
    const Shape shape = choose_shape(kernel, kMaxThreads, rounded(k) * column_bytes, cells, count);
    do {
        find_candidates_kernel<<<(cells - 1) / kCellBlock + 1, kCellBlock>>>(table,
                                                                             d_centroids.data(), k);
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
    label_points_kernel<<<(count - 1) / kmeans::kBlockSize + 1, kmeans::kBlockSize>>>(
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
