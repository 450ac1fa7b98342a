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

#include "03_int2/labels_and_sums.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/resident_blocks.hpp"
#include "problem/kmeans.hpp"

using course::cuda_check, course::DeviceBuffer;
using kmeans::assign_points_kernel, kmeans::kBlockSize, kmeans::Sum, kmeans::sum_over_block;
using kmeans::Input, kmeans::Output, kmeans::Phase, kmeans::PhaseTimer, kmeans::Point;

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
