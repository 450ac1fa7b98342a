// SPDX-License-Identifier: MIT
// K-means, stage 01: one thread per point, one block per centroid.
// Idea: each thread finds the nearest centroid of one point. Then there is one block per centroid:
// it reads all labels, adds up the points that have its number, and moves its centroid.
// Compared with 00_cpu: the two loops over points are kernels; points and centroids are lists of x
// and lists of y, as in the thesis.
// Limit now: k blocks read all n labels, and a small k leaves most of the GPU idle; the centroids,
// which every thread reads from global memory, are in the L1 cache.
// Thesis 5.3, figures 5.1 to 5.4.
#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
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
__device__ std::uint64_t squared_distance(int ax, int ay, int bx, int by) {
    const std::int64_t dx = static_cast<int>(static_cast<unsigned int>(ax) - bx);
    const std::int64_t dy = static_cast<int>(static_cast<unsigned int>(ay) - by);
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

__global__ void assign_points_kernel(const int* __restrict__ points_x,
                                     const int* __restrict__ points_y, std::int64_t count,
                                     const int* __restrict__ centroids_x,
                                     const int* __restrict__ centroids_y, int k,
                                     int* __restrict__ labels) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const int x = points_x[i], y = points_y[i];
    int nearest = 0;
    std::uint64_t least = squared_distance(x, y, centroids_x[0], centroids_y[0]);
    for (int c = 1; c < k; ++c) {
        const std::uint64_t distance = squared_distance(x, y, centroids_x[c], centroids_y[c]);
        if (distance < least) {  // of equally near centroids, the first one stays
            least = distance;
            nearest = c;
        }
    }
    labels[i] = nearest;
}

// One block per centroid.
__global__ void update_centroids_kernel(const int* __restrict__ points_x,
                                        const int* __restrict__ points_y,
                                        const int* __restrict__ labels, std::int64_t count,
                                        int* __restrict__ centroids_x,
                                        int* __restrict__ centroids_y,
                                        std::int64_t* __restrict__ sizes) {
    const int c = blockIdx.x;
    Sum mine = {0, 0, 0};
    for (std::int64_t i = threadIdx.x; i < count; i += kBlockSize) {
        if (labels[i] != c) continue;
        mine.x += points_x[i];
        mine.y += points_y[i];
        ++mine.count;
    }
    const Sum sum = sum_over_block(mine);
    if (threadIdx.x > 0) return;
    sizes[c] = sum.count;
    if (sum.count == 0) return;  // a centroid without points does not move
    centroids_x[c] = static_cast<int>(sum.x / sum.count);
    centroids_y[c] = static_cast<int>(sum.y / sum.count);
}

void find_clusters(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    const int k = input.k();
    timer.begin(Phase::kSetup);
    std::vector<Point> previous;
    output.centroids = input.centroids;
    std::vector<int> h_centroids = kmeans::to_lists(output.centroids);
    DeviceBuffer<int> d_points(2 * count), d_centroids(2 * k), d_labels(count);
    DeviceBuffer<std::int64_t> d_sizes(k);
    output.iterations = 0;

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_points.data(), input.lists.data(), d_points.bytes(), cudaMemcpyHostToDevice));
    cuda_check(cudaMemcpy(d_centroids.data(), h_centroids.data(), d_centroids.bytes(),
                          cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    const int* const points_y = d_points.data() + count;
    int* const centroids_y = d_centroids.data() + k;
    const std::int64_t blocks = (count + kBlockSize - 1) / kBlockSize;
    do {
        assign_points_kernel<<<blocks, kBlockSize>>>(
            d_points.data(), points_y, count, d_centroids.data(), centroids_y, k, d_labels.data());
        cuda_check(cudaGetLastError());
        update_centroids_kernel<<<k, kBlockSize>>>(d_points.data(), points_y, d_labels.data(),
                                                   count, d_centroids.data(), centroids_y,
                                                   d_sizes.data());
        cuda_check(cudaGetLastError());
        previous = output.centroids;
        cuda_check(cudaMemcpy(h_centroids.data(), d_centroids.data(), d_centroids.bytes(),
                              cudaMemcpyDeviceToHost));
        kmeans::from_lists(h_centroids, output.centroids);
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

int main(int argc, char** argv) {
    return kmeans::run_stage(argc, argv, STAGE_NAME, find_clusters, kmeans::Layout::kLists);
}
