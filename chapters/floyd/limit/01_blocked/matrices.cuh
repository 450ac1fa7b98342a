// SPDX-License-Identifier: MIT
// The matrices on the device, padded to whole tiles, and their copies from the host and back.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "problem/floyd.hpp"

namespace floyd {

inline constexpr unsigned kAllLanes = ~0U;
inline constexpr int kFillSize = 256;

// The matrices on the device, by rows of `stride` cells: a multiple of the tile's side. Vertices
// beyond the last one have no edges.
struct Matrices {
    Distance* distances;
    Vertex* next_hops;
    std::int64_t stride;
};

static __global__ void fill_kernel(Matrices matrices) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kFillSize + threadIdx.x;
    reinterpret_cast<int4*>(matrices.distances)[i] =
        make_int4(kInfinity, kInfinity, kInfinity, kInfinity);
    reinterpret_cast<int4*>(matrices.next_hops)[i] = make_int4(kNoHop, kNoHop, kNoHop, kNoHop);
}

// Rows first_row to first_row + rows - 1 of the input's matrices, as the rows of the device's. What
// lies beyond the input's has no edges.
inline void copy_rows_in(const Input& input, std::int64_t first_row, std::int64_t rows,
                         Matrices matrices) {
    if (rows == 0) return;
    fill_kernel<<<rows * matrices.stride / 4 / kFillSize, kFillSize>>>(matrices);
    course::cuda_check(cudaGetLastError());
    const std::size_t row = input.count * sizeof(Distance);
    const std::size_t pitch = matrices.stride * sizeof(Distance);
    const std::int64_t copied = std::min(rows, input.count - first_row);
    const std::int64_t first = first_row * input.count;
    course::cuda_check(cudaMemcpy2D(matrices.distances, pitch, &input.distances[first], row, row,
                                    copied, cudaMemcpyHostToDevice));
    course::cuda_check(cudaMemcpy2D(matrices.next_hops, pitch, &input.next_hops[first], row, row,
                                    copied, cudaMemcpyHostToDevice));
}
inline void copy_in(const Input& input, Matrices matrices) {
    copy_rows_in(input, 0, matrices.stride, matrices);
}

// Such rows of the result, without the padding. `negative` is the flag of the last round.
inline void copy_rows_out(Matrices matrices, const int* negative, std::int64_t first_row,
                          std::int64_t rows, std::int64_t count, Output& output) {
    const std::size_t row = count * sizeof(Distance);
    const std::size_t pitch = matrices.stride * sizeof(Distance);
    const std::int64_t copied = std::min(rows, count - first_row);
    if (copied > 0) {
        const std::int64_t first = first_row * count;
        course::cuda_check(cudaMemcpy2D(&output.distances[first], row, matrices.distances, pitch,
                                        row, copied, cudaMemcpyDeviceToHost));
        course::cuda_check(cudaMemcpy2D(&output.next_hops[first], row, matrices.next_hops, pitch,
                                        row, copied, cudaMemcpyDeviceToHost));
    }
    int flag = 0;
    course::cuda_check(cudaMemcpy(&flag, negative, sizeof flag, cudaMemcpyDeviceToHost));
    output.negative_cycle = flag != 0;
}
inline void copy_out(Matrices matrices, const int* negative, std::int64_t count, Output& output) {
    copy_rows_out(matrices, negative, 0, matrices.stride, count, output);
}

}  // namespace floyd
