// SPDX-License-Identifier: MIT
// The labels of points that are pairs of coordinates, and the sums of a block. Later stages have
// them, too.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace kmeans {

constexpr int kBlockSize = 1024;

// Sums of the coordinates of `count` points.
struct Sum {
    std::int64_t x, y, count;
};

// At most 2^63. Coordinates are at most 2^30 away from 0, so a difference is at most 2^31. Only
// 2^31 itself does not fit 32 bits: it wraps around to -2^31, which has the same square.
__device__ std::uint64_t squared_distance(int2 a, int2 b) {
    const std::int64_t dx = static_cast<int>(static_cast<unsigned int>(a.x) - b.x);
    const std::int64_t dy = static_cast<int>(static_cast<unsigned int>(a.y) - b.y);
    return static_cast<std::uint64_t>(dx * dx) + static_cast<std::uint64_t>(dy * dy);
}

// The sum over the block, valid in thread 0.
__device__ Sum sum_over_block(Sum mine) {
    __shared__ Sum s_sums[kBlockSize];
    const int thread = threadIdx.x;
    s_sums[thread] = mine;
    for (int half = kBlockSize / 2; half > 0; half /= 2) {
        __syncthreads();  // the upper half must be written before a thread reads it
        if (thread < half) {
            mine.x += s_sums[thread + half].x;
            mine.y += s_sums[thread + half].y;
            mine.count += s_sums[thread + half].count;
            s_sums[thread] = mine;
        }
    }
    return mine;
}

__global__ void assign_points_kernel(const int2* __restrict__ points, std::int64_t count,
                                     const int2* __restrict__ centroids, int k,
                                     int* __restrict__ labels) {
    extern __shared__ int2 s_centroids[];
    for (int c = threadIdx.x; c < k; c += kBlockSize) s_centroids[c] = centroids[c];
    __syncthreads();  // all centroids must be copied before a thread reads them
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const int2 point = points[i];
    int nearest = 0;
    std::uint64_t least = squared_distance(point, s_centroids[0]);
    for (int c = 1; c < k; ++c) {
        const std::uint64_t distance = squared_distance(point, s_centroids[c]);
        if (distance < least) {  // of equally near centroids, the first one stays
            least = distance;
            nearest = c;
        }
    }
    labels[i] = nearest;
}

}  // namespace kmeans
