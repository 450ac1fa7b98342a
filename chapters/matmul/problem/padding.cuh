// SPDX-License-Identifier: MIT
// Copies of A and B whose sides are as the kernels of a path want them.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"

namespace matmul {

// One thread per cell of the padded matrix: the cell of `from`, or 0 past its edges.
template <class Number>
__global__ void pad_kernel(const Number* from, int rows, int columns, Number* to,
                           int padded_columns) {
    const int row = static_cast<int>(blockIdx.y);
    const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (column >= padded_columns) return;
    const bool there = row < rows && column < columns;
    to[static_cast<std::int64_t>(row) * padded_columns + column] =
        there ? from[static_cast<std::int64_t>(row) * columns + column] : Number{};
}

// The padded sides, and memory for those matrices that must be copied for it.
template <class Number>
class Padding {
  public:
    // A is m x k, B is k x n. k becomes a multiple of `depth`, and n of `group`.
    Padding(int m, int n, int k, int depth, int group)
        : m_(m),
          n_(n),
          k_(k),
          padded_n_(up(n, group)),
          padded_k_(up(k, depth)),
          a_(padded_k_ != k ? std::int64_t{m} * padded_k_ : 0),
          b_(padded_k_ != k || padded_n_ != n ? std::int64_t{padded_k_} * padded_n_ : 0) {}

    int n() const { return padded_n_; }
    int k() const { return padded_k_; }

    // The matrix itself, or a padded copy, which a kernel writes.
    const Number* pad_a(const Number* a) { return pad(a, m_, k_, a_, m_, padded_k_); }
    const Number* pad_b(const Number* b) { return pad(b, k_, n_, b_, padded_k_, padded_n_); }

  private:
    static int up(int side, int multiple) { return (side + multiple - 1) / multiple * multiple; }

    static const Number* pad(const Number* from, int rows, int columns,
                             course::DeviceBuffer<Number>& to, int padded_rows,
                             int padded_columns) {
        if (to.count() == 0) return from;
        constexpr int kThreads = 256;
        const dim3 blocks((padded_columns + kThreads - 1) / kThreads, padded_rows);
        pad_kernel<<<blocks, kThreads>>>(from, rows, columns, to.data(), padded_columns);
        course::cuda_check(cudaGetLastError());
        return to.data();
    }

    int m_, n_, k_, padded_n_, padded_k_;
    course::DeviceBuffer<Number> a_, b_;
};

}  // namespace matmul
