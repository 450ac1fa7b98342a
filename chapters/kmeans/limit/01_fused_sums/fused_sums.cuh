// SPDX-License-Identifier: MIT
// The kernels of one pass, for any number of centroids. Later stages have a column of sums for each
// centroid and thread; with more centroids than fit, they call find_clusters() of this file.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "03_int2/labels_and_sums.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/resident_blocks.hpp"
#include "problem/kmeans.hpp"

namespace kmeans::fused {

using course::cuda_check, course::DeviceBuffer;

constexpr int kBlockSize = 256;
constexpr int kMaxCopies = 8;  // of the sums: the warps of a block share them out
constexpr int kSharedBytes = 48 * 1024;  // which every device gives to a block

// Of a cluster: its x, its y and its size. Unsigned words wrap around as two's complement does, so
// sums of negative coordinates are right.
using Word = unsigned long long;
constexpr int kWordsPerSum = 3;

// Integers: every order of the additions gives the same sums.
__device__ void add_point(int2 point, Word* sum) {
    atomicAdd(&sum[0], static_cast<Word>(point.x));
    atomicAdd(&sum[1], static_cast<Word>(point.y));
    atomicAdd(&sum[2], Word{1});
}

__device__ int nearest_of(int2 point, const int2* centroids, int k) {
    int nearest = 0;
    std::uint64_t least = squared_distance(point, centroids[0]);
    for (int c = 1; c < k; ++c) {
        const std::uint64_t distance = squared_distance(point, centroids[c]);
        if (distance < least) {  // of equally near centroids, the first one stays
            least = distance;
            nearest = c;
        }
    }
    return nearest;
}

// `copies` sums of each cluster are in shared memory; with 0 copies, all are in global memory.
__global__ void sum_points_kernel(const int2* __restrict__ points, std::int64_t count,
                                  const int2* __restrict__ centroids, int k, int copies,
                                  Word* __restrict__ sums) {
    extern __shared__ Word s_sums[];
    const int words = kWordsPerSum * k;
    int2* s_centroids = reinterpret_cast<int2*>(s_sums + copies * words);
    for (int i = threadIdx.x; i < copies * words; i += kBlockSize) s_sums[i] = 0;
    for (int c = threadIdx.x; c < k; c += kBlockSize) s_centroids[c] = centroids[c];
    __syncthreads();  // sums must be zero, and centroids copied, before a thread uses them
    const int first_word = copies == 0 ? 0 : static_cast<int>(threadIdx.x) / 32 % copies * words;
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * kBlockSize;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlockSize + threadIdx.x;
         i < count; i += stride) {
        const int2 point = points[i];
        const int nearest = nearest_of(point, s_centroids, k);
        if (copies > 0) {
            add_point(point, &s_sums[first_word + kWordsPerSum * nearest]);
        } else {
            add_point(point, &sums[kWordsPerSum * nearest]);
        }
    }
    if (copies == 0) return;
    __syncthreads();  // all points of the block must have been added
    for (int i = threadIdx.x; i < words; i += kBlockSize) {
        Word sum = 0;
        for (int copy = 0; copy < copies; ++copy) sum += s_sums[copy * words + i];
        if (sum != 0) atomicAdd(&sums[i], sum);
    }
}

// One thread per centroid. Clears the sums for the next iteration.
__global__ void move_centroids_kernel(Word* __restrict__ sums, int k, int2* __restrict__ centroids,
                                      int2* __restrict__ before, std::int64_t* __restrict__ sizes) {
    const int c = blockIdx.x * kBlockSize + threadIdx.x;
    if (c >= k) return;
    Word* sum = &sums[kWordsPerSum * c];
    const std::int64_t x = sum[0], y = sum[1], size = sum[2];
    sum[0] = sum[1] = sum[2] = 0;
    sizes[c] = size;
    before[c] = centroids[c];
    if (size == 0) return;  // a centroid without points does not move
    centroids[c] = make_int2(static_cast<int>(x / size), static_cast<int>(y / size));
}

// The loop of the stage for `count` of the points only, beginning with point number `begin`; there
// may be none. In each iteration, `add_up` gets their sums, in device memory: what it queues on the
// default stream adds those of all other points. Returns within the phase kCopyOut. Of
// output.labels, only those of these points are written.
template <class AddUp>
void cluster_slice(const Input& input, Output& output, PhaseTimer& timer, std::int64_t begin,
                   std::int64_t count, const AddUp& add_up) {
    const int k = input.k();
    timer.begin(Phase::kSetup);
    std::vector<Point> previous;
    output.centroids = input.centroids;
    DeviceBuffer<int2> d_points(count), d_centroids(k), d_before(k);
    DeviceBuffer<int> d_labels(count);
    DeviceBuffer<std::int64_t> d_sizes(k);
    DeviceBuffer<Word> d_sums(kWordsPerSum * k);
    const int sums_bytes = static_cast<int>(d_sums.bytes());
    const int centroids_bytes = static_cast<int>(d_centroids.bytes());
    const int copies = std::min((kSharedBytes - centroids_bytes) / sums_bytes, kMaxCopies);
    const std::size_t shared_bytes = copies * sums_bytes + centroids_bytes;
    output.iterations = 0;

    timer.begin(Phase::kCopyIn);
    cuda_check(cudaMemcpy(d_points.data(), input.points.data() + begin, d_points.bytes(),
                          cudaMemcpyHostToDevice));
    cuda_check(cudaMemcpy(d_centroids.data(), output.centroids.data(), d_centroids.bytes(),
                          cudaMemcpyHostToDevice));
    cuda_check(cudaMemset(d_sums.data(), 0, d_sums.bytes()));

    timer.begin(Phase::kKernels);
    const std::int64_t resident =
        course::resident_blocks(sum_points_kernel, kBlockSize, shared_bytes);
    const std::int64_t blocks = std::min(resident, (count + kBlockSize - 1) / kBlockSize);
    do {
        if (count > 0) {  // a grid must have a block
            sum_points_kernel<<<blocks, kBlockSize, shared_bytes>>>(
                d_points.data(), count, d_centroids.data(), k, copies, d_sums.data());
            cuda_check(cudaGetLastError());
        }
        add_up(d_sums.data());
        move_centroids_kernel<<<(k - 1) / kBlockSize + 1, kBlockSize>>>(
            d_sums.data(), k, d_centroids.data(), d_before.data(), d_sizes.data());
        cuda_check(cudaGetLastError());
        previous = output.centroids;
        cuda_check(cudaMemcpy(output.centroids.data(), d_centroids.data(), d_centroids.bytes(),
                              cudaMemcpyDeviceToHost));
        output.converged = output.centroids == previous;
    } while (!input.ends_after(++output.iterations, output.converged));
    if (count > 0) {
        assign_points_kernel<<<(count - 1) / kmeans::kBlockSize + 1, kmeans::kBlockSize,
                               d_before.bytes()>>>(d_points.data(), count, d_before.data(), k,
                                                   d_labels.data());
        cuda_check(cudaGetLastError());
    }

    timer.begin(Phase::kCopyOut);
    cuda_check(cudaMemcpy(output.labels.data() + begin, d_labels.data(), d_labels.bytes(),
                          cudaMemcpyDeviceToHost));
    cuda_check(
        cudaMemcpy(output.sizes.data(), d_sizes.data(), d_sizes.bytes(), cudaMemcpyDeviceToHost));
    timer.note_grid(blocks, kBlockSize);
    timer.declare_work(
        {.bytes = kmeans::kBytesPerPointInOnePass * input.count() * output.iterations +
                  kmeans::kBytesPerLabelledPoint * input.count(),
         .operations =
             kmeans::kOperationsPerDistance * input.count() * k * (output.iterations + 1)});
}

// All points.
inline void find_clusters(const Input& input, Output& output, PhaseTimer& timer) {
    cluster_slice(input, output, timer, 0, input.count(), [](Word*) {});
    timer.end();
}

}  // namespace kmeans::fused
