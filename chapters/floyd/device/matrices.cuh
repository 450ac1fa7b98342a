// SPDX-License-Identifier: MIT
// The matrices of the blocked stages on the device, padded to whole tiles, and their copies.
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

// Unchanged from stage 04_blocked.
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

// Four neighbouring words in one access, as elements of an array.
__device__ __forceinline__ void load_four(const int* from, int* to) {
    const int4 words = *reinterpret_cast<const int4*>(from);
    to[0] = words.x;
    to[1] = words.y;
    to[2] = words.z;
    to[3] = words.w;
}

// The same with two words.
__device__ __forceinline__ void load_two(const int* from, int* to) {
    const int2 words = *reinterpret_cast<const int2*>(from);
    to[0] = words.x;
    to[1] = words.y;
}

__device__ __forceinline__ void store_four(const int* from, int* to) {
    *reinterpret_cast<int4*>(to) = make_int4(from[0], from[1], from[2], from[3]);
}

// Copies four neighbouring words in one access.
__device__ __forceinline__ void copy_four(const int* from, int* to) {
    *reinterpret_cast<int4*>(to) = *reinterpret_cast<const int4*>(from);
}

// A distance that is to become less. No sum that contains infinity is less than this.
__device__ __forceinline__ Distance as_cell(Distance distance) {
    return min(distance, kMaxDistance + 1);
}

// A distance that is to be added to another one.
__device__ __forceinline__ Distance as_factor(Distance distance) {
    return distance > kMaxDistance ? kInfinity : distance;
}

}  // namespace floyd
