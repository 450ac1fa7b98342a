// SPDX-License-Identifier: MIT
// Columns: sums in shared memory that belong to one thread and one label. Also the sums of a block,
// and how many threads and blocks there is room for.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "03_int2/labels_and_sums.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/resident_blocks.hpp"
#include "limit/01_fused_sums/fused_sums.cuh"

namespace kmeans {

using course::cuda_check;

constexpr unsigned int kAllLanes = 0xffffffff;
constexpr int kMaxColumns = 32;  // labels that a thread has columns of: at most one for each lane

// The number of labels that the threads have columns of: 4, 8, 16 or 32, and at least k.
inline int rounded(int k) {
    return static_cast<int>(std::max(4u, std::bit_ceil(static_cast<unsigned int>(k))));
}

// Sums of one label that one thread adds up: two sums of offsets (32 bits each), the number of
// points (8 bits), and the carries of the sums (8 bits each). Column `label * threads + thread` is
// one word in each of three planes, so the lanes of a warp use different banks.
struct WideColumns {
    static constexpr int kBytes = 12;
    static constexpr int kMaxPoints = 255;  // then the column must be taken

    unsigned int* words;
    int plane;  // labels * threads

    // `memory` has room for this many columns.
    __device__ WideColumns(void* memory, int columns)
        : words(static_cast<unsigned int*>(memory)), plane(columns) {}

    // Adds a point by its offsets from the origin, which are at most 2^31.
    __device__ void add(int column, unsigned int u, unsigned int v) const {
        const unsigned int x = words[column] + u, y = words[plane + column] + v;
        words[2 * plane + column] += 1 + ((x < u) << 8) + ((y < v) << 16);
        words[column] = x;
        words[plane + column] = y;
    }
    // Returns the sums of offsets and clears the column.
    __device__ Sum take(int column) const {
        const unsigned int rest = words[2 * plane + column];
        const std::int64_t count = rest & 255, u = words[column], v = words[plane + column];
        words[column] = words[plane + column] = words[2 * plane + column] = 0;
        return {u + (static_cast<std::int64_t>(rest >> 8 & 255) << 32),
                v + (static_cast<std::int64_t>(rest >> 16) << 32), count};
    }
};

// Empties the columns of a warp: lane l adds those of label l % K to its sums. At any time, the
// lanes take columns of different threads, and so of different banks.
template <int K, class Columns>
__device__ void take_columns(const Columns& columns, Sum& mine) {
    const int lane = threadIdx.x % 32, group = threadIdx.x - lane % K;
    __syncwarp();  // the other lanes must have added their points
    for (int i = 0; i < K; ++i) {
        const int column = lane % K * blockDim.x + group + (lane + i) % K;
        const Sum sum = columns.take(column);
        mine.x += sum.x;
        mine.y += sum.y;
        mine.count += sum.count;
    }
    __syncwarp();  // columns must be empty before their threads add again
}

// A lane holds the sums of the points of its warp that have label lane % K, as offsets from the
// origin; of equal labels in a warp, each lane holds a part. Adds them, now as coordinates, to
// `sums`, which has three words for each of k labels.
// `s_partial` is shared memory for 3 * K words per warp, which no thread of the block reads or
// writes before the call and needs afterwards. Every thread of the block must call this.
template <int K>
__device__ void add_block_sums(Sum mine, int2 origin, fused::Word* s_partial, int k,
                               fused::Word* sums) {
    const int thread = threadIdx.x, lane = thread % 32, warps = blockDim.x / 32;
    constexpr int kWords = fused::kWordsPerSum * K;
    mine.x += origin.x * mine.count;
    mine.y += origin.y * mine.count;
    for (int distance = K; distance < 32; distance *= 2) {
        mine.x += __shfl_xor_sync(kAllLanes, mine.x, distance);
        mine.y += __shfl_xor_sync(kAllLanes, mine.y, distance);
        mine.count += __shfl_xor_sync(kAllLanes, mine.count, distance);
    }
    __syncthreads();  // the memory must be free, whatever it was used for
    if (lane < K) {
        fused::Word* partial = &s_partial[thread / 32 * kWords + fused::kWordsPerSum * lane];
        partial[0] = mine.x;
        partial[1] = mine.y;
        partial[2] = mine.count;
    }
    __syncthreads();  // all warps must have written their sums
    for (int i = thread; i < fused::kWordsPerSum * k; i += blockDim.x) {
        fused::Word sum = 0;
        for (int warp = 0; warp < warps; ++warp) sum += s_partial[warp * kWords + i];
        if (sum != 0) atomicAdd(&sums[i], sum);
    }
}

// The launch of a kernel whose blocks need bytes_per_thread for each thread and some more.
struct Shape {
    int blocks = 0, threads = 0;
    std::size_t shared_bytes = 0;  // dynamic
};

// The number of blocks of a kernel that the current device runs at once, but at most `useful`.
template <class Kernel>
int blocks_at_once(Kernel* kernel, int threads, std::int64_t useful, std::size_t shared_bytes = 0) {
    const int resident = course::resident_blocks(kernel, threads, shared_bytes);
    return static_cast<int>(std::min<std::int64_t>(resident, useful));
}

// The most threads per block, at most `max_threads`, that the shared memory of the current device
// has room for, and as many blocks as run at once, but no more than have two points per thread.
// Allows the kernel that much shared memory.
template <class Kernel>
Shape choose_shape(Kernel* kernel, int max_threads, std::size_t bytes_per_thread,
                   std::size_t more_bytes, std::int64_t points) {
    int device = 0, shared_bytes = 0;
    cudaFuncAttributes attributes;
    cuda_check(cudaGetDevice(&device));
    cuda_check(
        cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    cuda_check(cudaFuncGetAttributes(&attributes, kernel));
    const std::size_t room = shared_bytes - attributes.sharedSizeBytes - more_bytes;
    Shape shape;
    shape.threads = std::min(max_threads, static_cast<int>(room / bytes_per_thread) / 32 * 32);
    shape.shared_bytes = shape.threads * bytes_per_thread + more_bytes;
    cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(shape.shared_bytes)));
    const std::int64_t useful = (points - 1) / (2 * shape.threads) + 1;
    shape.blocks = blocks_at_once(kernel, shape.threads, useful, shape.shared_bytes);
    return shape;
}

}  // namespace kmeans
