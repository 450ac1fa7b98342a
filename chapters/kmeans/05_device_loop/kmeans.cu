// SPDX-License-Identifier: MIT
// K-means, stage 05: the loop on the device.
// Idea: one block of the GPU finds out whether a centroid moved. If so, it launches the kernels of
// the next iteration and then itself, all as tail launches: they run in order after it has ended.
// Nothing is copied to the host before the end.
// Compared with 04_two_stage_reduction: launch_iteration_kernel is the loop, and the host learns of
// errors of its launches. The other kernels are unchanged.
// Limit now: the same copies, and only one block of sum_segments_kernel per multiprocessor instead
// of two, because a kernel launches it.
// Thesis 5.3.4, figures 5.1 to 5.8.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "03_int2/labels_and_sums.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/dynamic_parallelism.cuh"
#include "common/cuda/resident_blocks.hpp"
#include "problem/kmeans.hpp"

using course::cuda_check, course::DeviceBuffer;
using kmeans::assign_points_kernel, kmeans::kBlockSize, kmeans::Sum, kmeans::sum_over_block;
using kmeans::Input, kmeans::Output, kmeans::Phase, kmeans::PhaseTimer;

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

// What all iterations need; each launch hands it to the next.
struct Loop {
    const int2* points;
    std::int64_t count, blocks, segment_points, max_iterations;
    int segments, k;
    bool all_iterations;
    int2 *centroids, *previous;
    int* labels;
    Sum* partial;
    std::int64_t *sizes, *progress;  // progress: iterations done, and 1 if they converged
    int* first_error;
};

// One block. Ends if iteration number `iterations` was the last, else launches the next one.
__global__ void launch_iteration_kernel(Loop loop, std::int64_t iterations) {
    bool moved = false;
    for (int c = threadIdx.x; c < loop.k; c += kBlockSize) {
        const int2 now = loop.centroids[c], before = loop.previous[c];
        moved = moved || now.x != before.x || now.y != before.y;
        loop.previous[c] = now;
    }
    const bool converged = __syncthreads_or(moved) == 0 && iterations > 0;
    if (threadIdx.x > 0) return;
    loop.progress[0] = iterations;
    loop.progress[1] = converged;
    // After a failed launch, the iteration may be incomplete.
    const bool last = iterations == loop.max_iterations || (converged && !loop.all_iterations);
    if (last || *loop.first_error != cudaSuccess) return;
    assign_points_kernel<<<loop.blocks, kBlockSize, loop.k * sizeof(int2), cudaStreamTailLaunch>>>(
        loop.points, loop.count, loop.centroids, loop.k, loop.labels);
    course::note_launch_error(cudaGetLastError(), loop.first_error);
    sum_segments_kernel<<<dim3(loop.segments, loop.k), kBlockSize, 0, cudaStreamTailLaunch>>>(
        loop.points, loop.labels, loop.count, loop.segment_points, loop.partial);
    course::note_launch_error(cudaGetLastError(), loop.first_error);
    update_centroids_kernel<<<loop.k, kBlockSize, 0, cudaStreamTailLaunch>>>(
        loop.partial, loop.segments, loop.centroids, loop.sizes);
    course::note_launch_error(cudaGetLastError(), loop.first_error);
    launch_iteration_kernel<<<1, kBlockSize, 0, cudaStreamTailLaunch>>>(loop, iterations + 1);
    course::note_launch_error(cudaGetLastError(), loop.first_error);
}

void find_clusters(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    const int k = input.k();
    timer.begin(Phase::kSetup);
    output.centroids = input.centroids;
    DeviceBuffer<int2> d_points(count), d_centroids(k), d_previous(k);
    DeviceBuffer<int> d_labels(count);
    DeviceBuffer<std::int64_t> d_sizes(k), d_progress(2);
    const int resident = course::resident_blocks(sum_segments_kernel, kBlockSize);
    // With fewer than four points per thread, most of the work would be adding up the threads'
    // sums.
    const std::int64_t segment_points =
        std::max<std::int64_t>(4 * kBlockSize, (count - 1) / resident + 1);
    const int segments = static_cast<int>((count - 1) / segment_points + 1);
    DeviceBuffer<Sum> d_partial(static_cast<std::int64_t>(segments) * k);
    course::LaunchErrors errors;

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_points.data(), input.points.data(), d_points.bytes(), cudaMemcpyHostToDevice));
    cuda_check(cudaMemcpy(d_centroids.data(), output.centroids.data(), d_centroids.bytes(),
                          cudaMemcpyHostToDevice));
    cuda_check(cudaMemcpy(d_previous.data(), output.centroids.data(), d_previous.bytes(),
                          cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    const std::int64_t blocks = (count + kBlockSize - 1) / kBlockSize;
    launch_iteration_kernel<<<1, kBlockSize>>>(
        Loop{d_points.data(), count, blocks, segment_points, input.max_iterations, segments, k,
             input.all_iterations, d_centroids.data(), d_previous.data(), d_labels.data(),
             d_partial.data(), d_sizes.data(), d_progress.data(), errors.data()},
        0);
    cuda_check(cudaGetLastError());

    timer.begin(Phase::kCopyOut);
    errors.check();
    std::int64_t progress[2];
    cuda_check(cudaMemcpy(progress, d_progress.data(), d_progress.bytes(), cudaMemcpyDeviceToHost));
    output.iterations = progress[0];
    output.converged = progress[1] != 0;
    cuda_check(cudaMemcpy(output.centroids.data(), d_centroids.data(), d_centroids.bytes(),
                          cudaMemcpyDeviceToHost));
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
