// SPDX-License-Identifier: MIT
// K-means, stage limit/05: one test for a pair of centroids.
// Idea: most cells with several candidates have two, and the sign of one linear function says which
// one is nearer. Only cells with three need a loop. A lane loads its next points before it works on
// these. Every second iteration goes backwards: it begins with points that L2 still has.
// Compared with limit/04_packed_columns: lines.cuh, steps of several int4, no copy back.
// Limit now: reading the points; with 32 centroids, the requests to shared memory.
// Not of the thesis.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "03_int2/labels_and_sums.cuh"
#include "blocks/grid/grid.cuh"
#include "blocks/iterations/moved_centroids.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "limit/01_fused_sums/fused_sums.cuh"
#include "limit/02_thread_columns/columns.cuh"
#include "limit/03_cell_table/cell_table.cuh"
#include "limit/04_packed_columns/packed_columns.cuh"
#include "limit/05_pair_tests/lines.cuh"
#include "problem/kmeans.hpp"

using course::cuda_check, course::DeviceBuffer;
using kmeans::Input, kmeans::Output, kmeans::Phase, kmeans::PhaseTimer;
using kmeans::kSeveral, kmeans::Line, kmeans::Lines, kmeans::nearest_in_cell, kmeans::Table;
using kmeans::fused::kWordsPerSum, kmeans::fused::Word;

// The most threads per block. Measured on an H200, as is kBatch.
constexpr int threads_of(int k) { return k <= 4 ? 512 : k <= 16 ? 1024 : 640; }

// Adds all points to `sums`. Every thread of the grid calls this. K = rounded(k), and blocks have
// whole warps. `backwards`: from the last point to the first.
template <class Columns, int K>
__device__ void sum_columns(const int2* points, std::int64_t count, const int2* centroids, int k,
                            const Table& table, const Lines& lines, Word* sums, bool backwards) {
    alignas(16) extern __shared__ unsigned int s_words[];
    __shared__ int2 s_centroids[K];
    const int thread = threadIdx.x, lane = thread % 32, threads = blockDim.x;
    constexpr int kWords = K * Columns::kBytes / 4;  // per thread
    auto* s_lines = reinterpret_cast<Line*>(s_words);
    unsigned int* s_columns = s_words + Lines::kBytes / 4;
    auto* s_codes = reinterpret_cast<unsigned char*>(s_columns + kWords * threads);
    const Columns columns(s_columns, K * threads);
    const int2 origin = table.cells.low;
    for (int i = thread; i < kWords * threads; i += threads) s_columns[i] = 0;
    for (int i = thread; i < table.cells.count() / 16; i += threads)
        reinterpret_cast<uint4*>(s_codes)[i] = reinterpret_cast<const uint4*>(table.codes)[i];
    for (int i = thread; i < Lines::kMax; i += threads) {
        s_lines[i].words = lines.lines[i].words;
        if (blockIdx.x == 0) lines.owners[i] = Lines::kNobody;  // for the next iteration
    }
    if (thread < k) s_centroids[thread] = centroids[thread];
    __syncthreads();  // all must be written before a thread uses it
    const auto code_of = [&](uint2 point) { return s_codes[table.cells.cell(point.x, point.y)]; };
    const auto label_of = [&](int code, uint2 point) {
        if (code < K) return code;
        if (code == kSeveral) return nearest_in_cell(point.x, point.y, table, s_centroids);
        return s_lines[code - K].label_of(point.x, point.y);
    };
    const auto add = [&](int label, uint2 point) {
        columns.add(label * threads + thread, point.x, point.y);
    };
    constexpr int kBatch = 4, kBatchPoints = 2 * kBatch;  // pairs and points per lane and step
    const std::int64_t end = count - count % (32 * kBatchPoints);
    std::int64_t first = (std::int64_t{blockIdx.x} * threads + thread - lane) * kBatchPoints;
    std::int64_t stride = std::int64_t{gridDim.x} * threads * kBatchPoints;
    if (backwards) first = end - 32 * kBatchPoints - first, stride = -stride;
    kmeans::Sum mine = {0, 0, 0};
    int added = 0;  // the most points in a column
    int4 next[kBatch];
    uint2 batch[kBatchPoints];
    bool ready = false;
    // All lanes of a warp do the same steps, so that they take columns together.
    for (;; first += stride) {
        const bool full = 0 <= first && first < end;
        for (int i = 0; full && i < kBatch; ++i)
            next[i] = *reinterpret_cast<const int4*>(&points[first + 2 * lane + 64 * i]);
        if (ready) {  // the points before those that are loaded now
            if (K <= 16) {
#pragma unroll  // or the batch would be in local memory
                for (int i = 0; i < kBatchPoints; ++i)
                    add(label_of(code_of(batch[i]), batch[i]), batch[i]);
            } else {  // most warps need a line: all lanes read one, and loads need not wait in turn
                int codes[kBatchPoints], labels[kBatchPoints], greatest = 0;
                for (int i = 0; i < kBatchPoints; ++i) {
                    codes[i] = code_of(batch[i]);
                    greatest = max(greatest, codes[i]);
                }
                for (int i = 0; i < kBatchPoints; ++i) {
                    const Line line = s_lines[max(codes[i] - K, 0)];
                    const int label = line.label_of(batch[i].x, batch[i].y);
                    labels[i] = codes[i] < K ? codes[i] : label;
                }
                for (int i = 0; greatest == kSeveral && i < kBatchPoints; ++i)
                    if (codes[i] == kSeveral) labels[i] = label_of(kSeveral, batch[i]);
                for (int i = 0; i < kBatchPoints; ++i) add(labels[i], batch[i]);
            }
            added += kBatchPoints;
            if (added + kBatchPoints > Columns::kMaxPoints) {
                kmeans::take_columns<K>(columns, mine);
                added = 0;
            }
        }
        if (!full) break;
        // A difference, not a copy: nvcc would let a copy wait for the loads that follow it.
        kmeans::find_offsets(next, origin, batch);
        ready = true;
    }
    for (std::int64_t i = end + thread; blockIdx.x == 0 && i < count; i += threads) {
        const int2 point = points[i];
        const uint2 offsets = kmeans::offsets_of(point.x, point.y, origin);
        add(label_of(code_of(offsets), offsets), offsets);
    }
    kmeans::take_columns<K>(columns, mine);
    kmeans::add_block_sums<K>(mine, origin, reinterpret_cast<Word*>(s_words), k, sums);
}

template <class Columns, int K>
__global__ void __launch_bounds__(threads_of(K), K <= 4 ? 2 : 1)
    sum_columns_kernel(const int2* __restrict__ points, std::int64_t count,
                       const int2* __restrict__ centroids, int k, Table table, Lines lines,
                       Word* __restrict__ sums, bool backwards) {
    sum_columns<Columns, K>(points, count, centroids, k, table, lines, sums, backwards);
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
    output.centroids = input.centroids;
    DeviceBuffer<int2> d_points(count), d_centroids(k), d_before(k);
    DeviceBuffer<int> d_labels(count);
    DeviceBuffer<std::int64_t> d_sizes(k);
    DeviceBuffer<Word> d_sums(kWordsPerSum * k);
    course::PinnedBuffer<int2> h_centroids(k);
    kmeans::TableMemory d_table;
    kmeans::LinesMemory d_lines;
    output.iterations = 0;

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_points.data(), input.points.data(), d_points.bytes(), cudaMemcpyHostToDevice));
    cuda_check(cudaMemcpy(d_centroids.data(), output.centroids.data(), d_centroids.bytes(),
                          cudaMemcpyHostToDevice));
    cuda_check(cudaMemset(d_sums.data(), 0, d_sums.bytes()));

    timer.begin(Phase::kKernels);
    const Table table =
        d_table.over(kmeans::choose_cells(d_points.data(), count, d_centroids.data(), k));
    const int cells = table.cells.count();
    // With wider boxes, this stage does what stage limit/03 does.
    const bool packed =
        std::max(table.cells.width(), table.cells.height()) <= kmeans::PackedColumns::kMaxOffset;
    const auto kernel =
        packed ? kernel_for<kmeans::PackedColumns>(k) : kernel_for<kmeans::WideColumns>(k);
    const int column_bytes = packed ? kmeans::PackedColumns::kBytes : kmeans::WideColumns::kBytes;
    const kmeans::Shape shape = kmeans::choose_shape(
        kernel, threads_of(k), kmeans::rounded(k) * column_bytes, cells + Lines::kBytes, count);
    const Lines lines = d_lines.clear(kmeans::rounded(k), packed);
    do {
        kmeans::
            find_candidates_kernel<<<(cells - 1) / kmeans::kCellBlock + 1, kmeans::kCellBlock>>>(
                table, d_centroids.data(), k, lines);
        cuda_check(cudaGetLastError());
        kernel<<<shape.blocks, shape.threads, shape.shared_bytes>>>(
            d_points.data(), count, d_centroids.data(), k, table, lines, d_sums.data(),
            output.iterations % 2 != 0);
        cuda_check(cudaGetLastError());
        kmeans::move_centroids_kernel<<<1, kmeans::kMaxColumns>>>(
            d_sums.data(), k, d_centroids.data(), d_before.data(), d_sizes.data(),
            h_centroids.data());
        cuda_check(cudaGetLastError());
        output.converged = kmeans::take_centroids(h_centroids, output.centroids);
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
