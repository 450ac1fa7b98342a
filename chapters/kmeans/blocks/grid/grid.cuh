// SPDX-License-Identifier: MIT
// A grid of square cells over all points.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"

namespace kmeans {

using course::cuda_check;

// Two corners: the least and the greatest coordinates.
struct Box {
    int2 low, high;

    __device__ int2 centre() const {
        return make_int2(static_cast<int>((static_cast<std::int64_t>(low.x) + high.x) / 2),
                         static_cast<int>((static_cast<std::int64_t>(low.y) + high.y) / 2));
    }
};

// A grid of square cells over a box.
struct Cells {
    int2 low, high;  // of the box
    int shift;  // a cell has 2^shift coordinates in x and in y
    int bits,
        columns;  // a row has 2^bits cells, which is `columns`; there are at most so many rows

    __host__ __device__ unsigned int width() const {
        return static_cast<unsigned int>(high.x) - static_cast<unsigned int>(low.x);
    }
    __host__ __device__ unsigned int height() const {
        return static_cast<unsigned int>(high.y) - static_cast<unsigned int>(low.y);
    }
    // A multiple of 16.
    __host__ __device__ int count() const {
        return static_cast<int>((height() >> shift) + 1) << bits;
    }
    // Of a point with these offsets from `low`.
    __device__ int cell(unsigned int u, unsigned int v) const {
        // A multiplication, because an H200 has another unit for it than for the shifts.
        return static_cast<int>((v >> shift) * columns + (u >> shift));
    }
    // The inverse, for cells that begin within the box. They end at the box: behind it there is no
    // point, and in the widest box, distances from there would not fit.
    __device__ Box box_of(int cell) const {
        const unsigned int u = (cell & ((1u << bits) - 1)) << shift, v = cell >> bits << shift;
        const unsigned int last = (1u << shift) - 1;
        return {make_int2(static_cast<int>(low.x + u), static_cast<int>(low.y + v)),
                make_int2(static_cast<int>(low.x + min(u + last, width())),
                          static_cast<int>(low.y + min(v + last, height())))};
    }
};

// One byte for each of 256 * 256 cells still leaves most of the shared memory of an H200's block.
constexpr int kMinSideBits = 4, kMaxSideBits = 8;
constexpr int kMaxCells = 1 << (2 * kMaxSideBits);
constexpr std::int64_t kPointsPerCell = 8;  // with fewer, the table takes longer than the points

// box = least x, least y, greatest x, greatest y of these points and of what it held before.
__global__ void find_box_kernel(const int2* __restrict__ points, std::int64_t count,
                                int* __restrict__ box) {
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    constexpr unsigned int kAll = 0xffffffff;
    const int2 first = points[min(i, count - 1)];
    int2 low = first, high = first;
    for (; i < count; i += stride) {
        const int2 point = points[i];
        low = make_int2(min(low.x, point.x), min(low.y, point.y));
        high = make_int2(max(high.x, point.x), max(high.y, point.y));
    }
    low.x = __reduce_min_sync(kAll, low.x);
    low.y = __reduce_min_sync(kAll, low.y);
    high.x = __reduce_max_sync(kAll, high.x);
    high.y = __reduce_max_sync(kAll, high.y);
    if (threadIdx.x % 32 > 0) return;
    atomicMin(&box[0], low.x);
    atomicMin(&box[1], low.y);
    atomicMax(&box[2], high.x);
    atomicMax(&box[3], high.y);
}

// Cells over the box of all points and initial centroids, which are in device memory. Centroids are
// means of points or do not move, so they never leave this box. A byte for each cell takes at most
// half of a block's shared memory. Waits for the device.
inline Cells choose_cells(const int2* d_points, std::int64_t count, const int2* d_centroids,
                          int k) {
    constexpr int kThreads = 256, kMaxBlocks = 1024;
    constexpr int kLeast = std::numeric_limits<int>::min();
    constexpr int kGreatest = std::numeric_limits<int>::max();
    int box[4] = {kGreatest, kGreatest, kLeast, kLeast};
    course::DeviceBuffer<int> d_box(4);
    cuda_check(cudaMemcpy(d_box.data(), box, d_box.bytes(), cudaMemcpyHostToDevice));
    const std::int64_t blocks = std::min<std::int64_t>((count - 1) / kThreads + 1, kMaxBlocks);
    find_box_kernel<<<blocks, kThreads>>>(d_points, count, d_box.data());
    cuda_check(cudaGetLastError());
    find_box_kernel<<<1, kThreads>>>(d_centroids, k, d_box.data());
    cuda_check(cudaGetLastError());
    cuda_check(cudaMemcpy(box, d_box.data(), d_box.bytes(), cudaMemcpyDeviceToHost));
    Cells cells = {make_int2(box[0], box[1]), make_int2(box[2], box[3]), 0, kMinSideBits, 0};
    int device = 0, shared_bytes = 0;
    cuda_check(cudaGetDevice(&device));
    cuda_check(
        cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    const auto is_useful = [&](int bits) {
        const std::int64_t number = std::int64_t{1} << (2 * bits);
        return kPointsPerCell * number <= count && 2 * number <= shared_bytes;
    };
    while (cells.bits < kMaxSideBits && is_useful(cells.bits + 1)) ++cells.bits;
    while (std::max(cells.width(), cells.height()) >> cells.shift >> cells.bits > 0) ++cells.shift;
    cells.columns = 1 << cells.bits;
    return cells;
}

}  // namespace kmeans
