// SPDX-License-Identifier: MIT
// The end of an iteration after which the host decides, without a copy from the device.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "limit/01_fused_sums/fused_sums.cuh"
#include "problem/kmeans.hpp"

namespace kmeans {

using course::cuda_check;

// As move_centroids_kernel of limit/01_fused_sums, but with one block, and the centroids also go to
// page-locked memory of the host: a kernel may write to it, over PCI Express.
__global__ void move_centroids_kernel(fused::Word* __restrict__ sums, int k,
                                      int2* __restrict__ centroids, int2* __restrict__ before,
                                      std::int64_t* __restrict__ sizes,
                                      int2* __restrict__ h_centroids) {
    const int c = threadIdx.x;
    if (c >= k) return;
    fused::Word* sum = &sums[fused::kWordsPerSum * c];
    const std::int64_t x = sum[0], y = sum[1], size = sum[2];
    sum[0] = sum[1] = sum[2] = 0;
    const int2 old = centroids[c];
    int2 mean = old;  // a centroid without points does not move
    if (size > 0) mean = make_int2(static_cast<int>(x / size), static_cast<int>(y / size));
    sizes[c] = size;
    before[c] = old;
    centroids[c] = mean;
    h_centroids[c] = mean;
}

// Waits for that kernel, and brings what it wrote. Returns whether no centroid has moved.
inline bool take_centroids(const course::PinnedBuffer<int2>& h_centroids,
                           std::vector<Point>& centroids) {
    cuda_check(cudaDeviceSynchronize());
    const std::vector<Point> previous = centroids;
    std::memcpy(centroids.data(), h_centroids.data(), h_centroids.bytes());
    return centroids == previous;
}

}  // namespace kmeans
