// SPDX-License-Identifier: MIT
// What is done around the iterations on sorted points: the memory, the copies, the sort before the
// first iteration, and the labels after the last one.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "blocks/cell_sort/cell_sort.cuh"
#include "blocks/grid/grid.cuh"
#include "blocks/iterations/label_batches.cuh"
#include "blocks/iterations/queue.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "limit/01_fused_sums/fused_sums.cuh"
#include "limit/02_thread_columns/columns.cuh"
#include "limit/03_cell_table/cell_table.cuh"
#include "limit/04_packed_columns/packed_columns.cuh"
#include "limit/05_pair_tests/lines.cuh"
#include "problem/kmeans.hpp"

namespace kmeans {

using course::cuda_check;

class SortedRun {
  public:
    // Allocates. The input must outlive the run.
    explicit SortedRun(const Input& input) : SortedRun(input, 0, input.count()) {}
    // For `count` of the points only, beginning with point number `begin`.
    SortedRun(const Input& input, std::int64_t begin, std::int64_t count)
        : sort(count),
          input_(input),
          begin_(begin),
          d_points_(count),
          d_centroids_(input.k()),
          d_before_(input.k()),
          d_sums_(fused::kWordsPerSum * input.k()),
          d_sizes_(input.k()) {}

    CellSort sort;
    IterationQueue queue;

    State state() {
        return {queue.d_progress(), d_sums_.data(),        d_centroids_.data(),  d_before_.data(),
                d_sizes_.data(),    input_.max_iterations, input_.all_iterations};
    }

    void copy_in() {
        cuda_check(cudaMemcpy(d_points_.data(), &input_.points[begin_], d_points_.bytes(),
                              cudaMemcpyHostToDevice));
        cuda_check(cudaMemcpy(d_centroids_.data(), input_.centroids.data(), d_centroids_.bytes(),
                              cudaMemcpyHostToDevice));
        cuda_check(cudaMemset(d_sums_.data(), 0, d_sums_.bytes()));
    }

    // The first half of the sort. The iterations sort each row, by keys of the size they need.
    Cells sort_by_rows() { return sort.sort_by_rows(d_points_.data()); }

    // The labels are those of the centroids before the last iteration. Waits for nothing.
    void label_points(const Cells& cells) {
        const Table table = d_table_.over(CellSort::coarser(cells));
        const unsigned int widest = std::max(table.cells.width(), table.cells.height());
        const Lines lines =
            d_lines_.clear(rounded(input_.k()), widest <= PackedColumns::kMaxOffset, true);
        kmeans::label_points(d_points_.data(), d_points_.count(), table, lines, d_before_.data(),
                             input_.k(), sort.d_labels());
    }

    // Waits for the iterations. Of the labels, copies those of its own points.
    void copy_out(Output& output) {
        const Progress progress = queue.wait();
        output.iterations = progress.iterations;
        output.converged = progress.converged != 0;
        output.preparation_ms = sort.preparation_ms();
        cuda_check(cudaMemcpy(output.centroids.data(), d_centroids_.data(), d_centroids_.bytes(),
                              cudaMemcpyDeviceToHost));
        cuda_check(cudaMemcpy(&output.labels[begin_], sort.d_labels(),
                              d_points_.count() * sizeof(int), cudaMemcpyDeviceToHost));
        cuda_check(cudaMemcpy(output.sizes.data(), d_sizes_.data(), d_sizes_.bytes(),
                              cudaMemcpyDeviceToHost));
    }

  private:
    const Input& input_;
    std::int64_t begin_;
    course::DeviceBuffer<int2> d_points_, d_centroids_, d_before_;
    course::DeviceBuffer<fused::Word> d_sums_;
    course::DeviceBuffer<std::int64_t> d_sizes_;
    TableMemory d_table_;
    LinesMemory d_lines_;
};

}  // namespace kmeans
