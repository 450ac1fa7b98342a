// SPDX-License-Identifier: MIT
// K-means, stage 04: sums in two stages.
// Idea: each centroid gets not one block but a row of blocks, each with a segment of the list.
// There are as many segments as the GPU holds blocks at once. A second kernel adds up their sums.
// Compared with 03_int2: sum_segments_kernel computes partial sums on a grid of segments x
// centroids; update_centroids_kernel reads them.
// Limit now: with few centroids the copies from and to the host, with many the labels, each of
// which is still read k times; if k blocks already fill the GPU, partial sums gain nothing.
// Thesis 5.3.3, figures 5.1 to 5.4.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/resident_blocks.hpp"
#include "problem/kmeans.hpp"

using course::cuda_check, course::DeviceBuffer;
using kmeans::Input, kmeans::Output, kmeans::Phase, kmeans::PhaseTimer, kmeans::Point;

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

// Block (s, c) adds up the points of segment s with label c, into partial[c * segments + s].
__global__ void sum_segments_kernel(const int2* __restrict__ points, const int* __restrict__ labels,
                                    std::int64_t count, std::int64_t segment_points,
                                    Sum* __restrict__ partial) {
    const int c = blockIdx.y;
    const std::int64_t begin = blockIdx.x * segment_points;
    const std::int64_t end = min(begin + segment_points, count);
    Sum mine = {0, 0, 0};
    for (std::int64_t i = begin + threadIdx.x; i < end; i += kBlockSize) {
        if (labels[i] != c) continue;
        const int2 point = points[i];
        mine.x += point.x;
        mine.y += point.y;
        ++mine.count;
    }
    const Sum sum = sum_over_block(mine);
    const std::int64_t segments = gridDim.x;
    if (threadIdx.x == 0) partial[c * segments + blockIdx.x] = sum;
}

// One block per centroid.
__global__ void update_centroids_kernel(const Sum* __restrict__ partial, int segments,
                                        int2* __restrict__ centroids,
                                        std::int64_t* __restrict__ sizes) {
    const std::int64_t c = blockIdx.x;
    Sum mine = {0, 0, 0};
    for (int s = threadIdx.x; s < segments; s += kBlockSize) {
        const Sum other = partial[c * segments + s];
        mine.x += other.x;
        mine.y += other.y;
        mine.count += other.count;
    }
    const Sum sum = sum_over_block(mine);
    if (threadIdx.x > 0) return;
    sizes[c] = sum.count;
    if (sum.count == 0) return;  // a centroid without points does not move
    centroids[c] =
        make_int2(static_cast<int>(sum.x / sum.count), static_cast<int>(sum.y / sum.count));
}

void find_clusters(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    const int k = input.k();
    timer.begin(Phase::kSetup);
    std::vector<Point> previous;
    output.centroids = input.centroids;
    DeviceBuffer<int2> d_points(count), d_centroids(k);
    DeviceBuffer<int> d_labels(count);
    DeviceBuffer<std::int64_t> d_sizes(k);
    const int resident = course::resident_blocks(sum_segments_kernel, kBlockSize);
    // With fewer than four points per thread, most of the work would be adding up the threads'
    // sums.
    const std::int64_t segment_points =
        std::max<std::int64_t>(4 * kBlockSize, (count - 1) / resident + 1);
    const int segments = static_cast<int>((count - 1) / segment_points + 1);
    DeviceBuffer<Sum> d_partial(static_cast<std::int64_t>(segments) * k);
    output.iterations = 0;

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_points.data(), input.points.data(), d_points.bytes(), cudaMemcpyHostToDevice));
    cuda_check(cudaMemcpy(d_centroids.data(), output.centroids.data(), d_centroids.bytes(),
                          cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    const std::int64_t blocks = (count + kBlockSize - 1) / kBlockSize;
    do {
        assign_points_kernel<<<blocks, kBlockSize, d_centroids.bytes()>>>(
            d_points.data(), count, d_centroids.data(), k, d_labels.data());
        cuda_check(cudaGetLastError());
        sum_segments_kernel<<<dim3(segments, k), kBlockSize>>>(
            d_points.data(), d_labels.data(), count, segment_points, d_partial.data());
        cuda_check(cudaGetLastError());
        update_centroids_kernel<<<k, kBlockSize>>>(d_partial.data(), segments, d_centroids.data(),
                                                   d_sizes.data());
        cuda_check(cudaGetLastError());
        previous = output.centroids;
        cuda_check(cudaMemcpy(output.centroids.data(), d_centroids.data(), d_centroids.bytes(),
                              cudaMemcpyDeviceToHost));
        output.converged = output.centroids == previous;
    } while (!input.ends_after(++output.iterations, output.converged));

    timer.begin(Phase::kCopyOut);
    cuda_check(cudaMemcpy(output.labels.data(), d_labels.data(), d_labels.bytes(),
                          cudaMemcpyDeviceToHost));
    cuda_check(
        cudaMemcpy(output.sizes.data(), d_sizes.data(), d_sizes.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid(blocks, kBlockSize);
    timer.declare_work(
        {.bytes = kmeans::kBytesPerPointInTwoPasses * count * output.iterations,
         .operations = kmeans::kOperationsPerDistance * count * k * output.iterations});
}

int main(int argc, char** argv) { return kmeans::run_stage(argc, argv, STAGE_NAME, find_clusters); }
