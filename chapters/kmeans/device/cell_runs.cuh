// SPDX-License-Identifier: MIT
// What the host does in all of stages 12 to 15: shapes of launches, and the labels at the end.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "device/candidates.cuh"
#include "device/cells.cuh"
#include "device/two_stage.cuh"

namespace kmeans {

// The number of blocks of a kernel that the current device runs at once, but at most `useful`.
template <class Kernel>
int blocks_at_once(Kernel* kernel, int threads, std::int64_t useful) {
    int device = 0, multiprocessors = 0, blocks = 0;
    cuda_check(cudaGetDevice(&device));
    cuda_check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0));
    return static_cast<int>(std::min<std::int64_t>(blocks * multiprocessors, useful));
}

// Writes the label of each point by a table, as stage 08 does.
inline void label_points(const int2* d_points, std::int64_t count, const Table& table,
                         const int2* d_centroids, int k, int* d_labels) {
    find_candidates_kernel<<<(table.cells.count() - 1) / kCellBlock + 1, kCellBlock>>>(
        table, d_centroids, k);
    cuda_check(cudaGetLastError());
    label_points_kernel<<<(count - 1) / kBlockSize + 1, kBlockSize>>>(d_points, count, table,
                                                                      d_centroids, k, d_labels);
    cuda_check(cudaGetLastError());
}

}  // namespace kmeans
