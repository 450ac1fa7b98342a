// SPDX-License-Identifier: MIT
// What the host does in all of stages 12 to 15: shapes of launches, and the labels at the end.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "device/candidates.cuh"
#include "device/cells.cuh"
#include "device/columns.cuh"
#include "device/two_stage.cuh"

namespace kmeans {

// The number of blocks of a kernel that the current device runs at once, but at most `useful`.
template <class Kernel>
int blocks_at_once(Kernel* kernel, int threads, std::int64_t useful, int shared_bytes = 0) {
    int device = 0, multiprocessors = 0, blocks = 0;
    cuda_check(cudaGetDevice(&device));
    cuda_check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    cuda_check(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_bytes));
    return static_cast<int>(std::min<std::int64_t>(blocks * multiprocessors, useful));
}

// Loads points[0], points[1], points[64], points[65] and so on, as pairs, as long as there are
// `count`. Returns how many.
template <int N>
__device__ int load_batch(int2 (&loaded)[N], const int2* points, std::int64_t count) {
    int number = 0;
#pragma unroll
    for (int i = 0; i < N; i += 2) {
        if (32 * i + 1 < count) {
            const int4 pair = __ldcs(reinterpret_cast<const int4*>(&points[32 * i]));
            loaded[i] = make_int2(pair.x, pair.y);
            loaded[i + 1] = make_int2(pair.z, pair.w);
            number = i + 2;
        } else if (32 * i < count) {  // the last point of an odd number
            loaded[i] = points[32 * i];
            number = i + 1;
        }
    }
    return number;
}

// The lanes for which `wanted` is true write their numbers side by side. Returns how many they are.
__device__ inline int push_if(bool wanted, int number, unsigned short* s_queue) {
    const unsigned int all = __ballot_sync(kAllLanes, wanted);
    const unsigned int before = all & ((1u << threadIdx.x % 32) - 1);
    if (wanted) s_queue[__popc(before)] = static_cast<unsigned short>(number);
    return __popc(all);
}

constexpr int kLabelThreads = 512, kLabelWarps = kLabelThreads / 32;
constexpr int kLabelPairs = 4;  // of points, per lane and batch
constexpr int kLabelBatch = 2 * 32 * kLabelPairs;  // points of a warp

// Writes all labels, as label_points_kernel does. A warp puts its points in cut cells into a queue.
// So the lanes compute distances together, and not once for each point that one of them has there.
// The codes of the table are in dynamic shared memory.
__global__ void __launch_bounds__(kLabelThreads)
    label_batches_kernel(const int2* __restrict__ points, std::int64_t count, Table table,
                         const int2* __restrict__ centroids, int k, int* __restrict__ labels) {
    alignas(16) extern __shared__ unsigned char s_codes[];
    __shared__ int2 s_centroids[kMaxColumns];
    __shared__ unsigned short s_queues[kLabelWarps][kLabelBatch];
    const int thread = threadIdx.x, lane = thread % 32;
    const Cells& cells = table.cells;
    for (int i = thread; i < cells.count() / 16; i += kLabelThreads) {
        reinterpret_cast<uint4*>(s_codes)[i] = reinterpret_cast<const uint4*>(table.codes)[i];
    }
    if (thread < k) s_centroids[thread] = centroids[thread];
    __syncthreads();  // all must be copied before a thread uses it
    const auto cell_of = [&](int2 point) {
        return cells.cell(static_cast<unsigned int>(point.x) - cells.low.x,
                          static_cast<unsigned int>(point.y) - cells.low.y);
    };
    unsigned short* s_queue = s_queues[thread / 32];
    const std::int64_t stride = gridDim.x * kLabelWarps * kLabelBatch;
    std::int64_t first = (blockIdx.x * kLabelWarps + thread / 32) * std::int64_t{kLabelBatch};
    int2 batch[2 * kLabelPairs];
    int number = load_batch(batch, points + first + 2 * lane, count - first - 2 * lane);
    for (; first < count; first += stride) {
        int queued = 0;
#pragma unroll
        for (int i = 0; i < 2 * kLabelPairs; i += 2) {
            const int place = 32 * i + 2 * lane;
            const int code = i < number ? s_codes[cell_of(batch[i])] : 0;
            const int other = i + 1 < number ? s_codes[cell_of(batch[i + 1])] : 0;
            if (i + 1 < number) {
                *reinterpret_cast<int2*>(&labels[first + place]) = make_int2(code, other);
            } else if (i < number) {
                labels[first + place] = code;
            }
            queued += push_if(code == kSeveral, place, s_queue + queued);
            queued += push_if(other == kSeveral, place + 1, s_queue + queued);
        }
        // The next batch is on its way while the queue is worked off.
        const std::int64_t next = first + stride + 2 * lane;
        number = load_batch(batch, points + next, count - next);
        __syncwarp();  // the queue must be written, and also the codes, which are overwritten now
        for (int i = lane; i < queued; i += 32) {
            const int2 point = points[first + s_queue[i]];
            labels[first + s_queue[i]] =
                nearest_among(table.masks[cell_of(point)], point, s_centroids);
        }
        __syncwarp();  // the queue must have been read before a lane writes the next one
    }
}

// Writes the label of each point by a table. Waits for nothing.
inline void label_points(const int2* d_points, std::int64_t count, const Table& table,
                         const int2* d_centroids, int k, int* d_labels) {
    find_candidates_kernel<<<(table.cells.count() - 1) / kCellBlock + 1, kCellBlock>>>(
        table, d_centroids, k);
    cuda_check(cudaGetLastError());
    const int bytes = table.cells.count();
    cuda_check(cudaFuncSetAttribute(label_batches_kernel,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    const std::int64_t useful = (count - 1) / (kLabelWarps * kLabelBatch) + 1;
    const int blocks = blocks_at_once(label_batches_kernel, kLabelThreads, useful, bytes);
    label_batches_kernel<<<blocks, kLabelThreads, bytes>>>(d_points, count, table, d_centroids, k,
                                                           d_labels);
    cuda_check(cudaGetLastError());
}

}  // namespace kmeans
