// SPDX-License-Identifier: MIT
// K-means, stage 03: points as int2.
// Idea: x and y of a point are neighbours in memory: one instruction loads or stores the 8 bytes.
// Compared with 02_shared_centroids: one int2 instead of two ints, for points and centroids.
// Limit now: k blocks read all n labels, and a small k leaves most of the GPU idle.
// Thesis 5.3.2, figures 5.1 to 5.4.
#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "03_int2/labels_and_sums.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/kmeans.hpp"

using course::cuda_check, course::DeviceBuffer;
using kmeans::assign_points_kernel, kmeans::kBlockSize, kmeans::Sum, kmeans::sum_over_block;
using kmeans::Input, kmeans::Output, kmeans::Phase, kmeans::PhaseTimer, kmeans::Point;

// One block per centroid.
__global__ void update_centroids_kernel(const int2* __restrict__ points,
                                        const int* __restrict__ labels, std::int64_t count,
                                        int2* __restrict__ centroids,
                                        std::int64_t* __restrict__ sizes) {
    const int c = blockIdx.x;
    Sum mine = {0, 0, 0};
    for (std::int64_t i = threadIdx.x; i < count; i += kBlockSize) {
        if (labels[i] != c) continue;
        const int2 point = points[i];
        mine.x += point.x;
        mine.y += point.y;
        ++mine.count;
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
        update_centroids_kernel<<<k, kBlockSize>>>(d_points.data(), d_labels.data(), count,
                                                   d_centroids.data(), d_sizes.data());
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
