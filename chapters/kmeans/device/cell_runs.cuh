// SPDX-License-Identifier: MIT
// What stages 12 to 15 and 17 have in common: the number of blocks, and the labels at the end.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/resident_blocks.hpp"
#include "device/candidates.cuh"
#include "device/cells.cuh"
#include "device/columns.cuh"
#include "device/two_stage.cuh"

namespace kmeans {

using course::cuda_check;

// The number of blocks of a kernel that the current device runs at once, but at most `useful`.
template <class Kernel>
int blocks_at_once(Kernel* kernel, int threads, std::int64_t useful, int shared_bytes = 0) {
    const int resident = course::resident_blocks(kernel, threads, shared_bytes);
    return static_cast<int>(std::min<std::int64_t>(resident, useful));
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

constexpr int kLabelThreads = 512, kLabelWarps = kLabelThreads / 32;
constexpr int kLabelPairs = 4;  // of points, per lane and batch
constexpr int kLabelBatch = 2 * 32 * kLabelPairs;  // points of a warp

// A warp's points in cut cells, in shared memory, with their places in the batch. When there are
// 32, the warp finds their labels.
struct LabelQueue {
    int2 points[2 * 32];
    unsigned char places[2 * 32];

    // Appends the points of lanes for which `wanted` is true, behind `number` others. Returns how
    // many there are now.
    __device__ int push_if(bool wanted, int2 point, int place, int number) {
        const unsigned int all = __ballot_sync(kAllLanes, wanted);
        const int mine = number + __popc(all & ((1u << threadIdx.x % 32) - 1));
        if (wanted) points[mine] = point;
        if (wanted) places[mine] = static_cast<unsigned char>(place);
        return number + __popc(all);
    }
};

// Writes all labels, as label_points_kernel does. A warp puts its points in cut cells into a queue.
// So the lanes compute distances together, and not once for each point that one of them has there.
// Labels are written side by side when all of a batch are known. The codes of the table are in
// dynamic shared memory.
__global__ void __launch_bounds__(kLabelThreads)
    label_batches_kernel(const int2* __restrict__ points, std::int64_t count, Table table,
                         const int2* __restrict__ centroids, int k, int* __restrict__ labels) {
    alignas(16) extern __shared__ unsigned char s_codes[];
    __shared__ int2 s_centroids[kMaxColumns];
    __shared__ LabelQueue s_queues[kLabelWarps];
    __shared__ uchar4 s_labels[kLabelWarps][kLabelBatch / 4];
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
    LabelQueue& s_queue = s_queues[thread / 32];
    uchar4* s_fours = s_labels[thread / 32];
    auto* s_label = reinterpret_cast<unsigned char*>(s_fours);
    // Finds the labels of at most 32 points of the queue, from number `begin` on.
    const auto label_queued = [&](int begin, int end) {
        __syncwarp();  // the queue must be written, and also the codes, which are overwritten now
        const int i = begin + lane;
        if (i < end) {
            const int2 point = s_queue.points[i];
            s_label[s_queue.places[i]] = static_cast<unsigned char>(
                nearest_among(table.masks[cell_of(point)], point, s_centroids));
        }
        __syncwarp();  // the queue must have been read before a lane writes the next one
    };
    const std::int64_t stride = gridDim.x * kLabelWarps * kLabelBatch;
    std::int64_t first = (blockIdx.x * kLabelWarps + thread / 32) * std::int64_t{kLabelBatch};
    int2 batch[2 * kLabelPairs];
    int number = load_batch(batch, points + first + 2 * lane, count - first - 2 * lane);
    for (; first < count; first += stride) {
        int queued = 0;
#pragma unroll
        for (int i = 0; i < 2 * kLabelPairs; ++i) {
            const int place = i / 2 * 64 + 2 * lane + i % 2;
            const unsigned char code = i < number ? s_codes[cell_of(batch[i])] : 0;
            s_label[place] = code;
            queued = s_queue.push_if(code == kSeveral, batch[i], place, queued);
            if (queued < 32) continue;
            label_queued(queued - 32, queued);
            queued -= 32;
        }
        // The next batch is on its way while the queue is worked off.
        const std::int64_t next = first + stride + 2 * lane;
        number = load_batch(batch, points + next, count - next);
        label_queued(0, queued);
        if (first + kLabelBatch <= count) {
            for (int i = lane; i < kLabelBatch / 4; i += 32) {
                const uchar4 four = s_fours[i];
                reinterpret_cast<int4*>(&labels[first])[i] =
                    make_int4(four.x, four.y, four.z, four.w);
            }
        } else {
            for (int i = lane; i < count - first; i += 32) labels[first + i] = s_label[i];
        }
        __syncwarp();  // labels must have been read before a lane writes the next ones
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
