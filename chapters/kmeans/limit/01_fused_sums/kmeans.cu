// SPDX-License-Identifier: MIT
// K-means, stage limit/01: label and add in one pass.
// Idea: whoever finds the nearest centroid of a point adds the point to that centroid's sums at
// once, by atomics in shared memory. Nobody reads labels any more, so they are written only once,
// after the last iteration.
// Compared with 04_two_stage_reduction: sum_points_kernel is one launch instead of two, and
// move_centroids_kernel divides. d_before keeps the centroids that decide the labels.
// Limit now: atomics. With few centroids, the lanes of a warp wait for each other at the same sums.
// Not of the thesis.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "03_int2/labels_and_sums.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/resident_blocks.hpp"
#include "limit/01_fused_sums/fused_sums.cuh"
#include "problem/kmeans.hpp"

using course::cuda_check, course::DeviceBuffer;
using kmeans::Input, kmeans::Output, kmeans::Phase, kmeans::PhaseTimer;
using kmeans::fused::kBlockSize, kmeans::fused::kWordsPerSum, kmeans::fused::Word;
using kmeans::fused::move_centroids_kernel, kmeans::fused::sum_points_kernel;

void find_clusters(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    const int k = input.k();
    timer.begin(Phase::kSetup);
    std::vector<kmeans::Point> previous;
    output.centroids = input.centroids;
    DeviceBuffer<int2> d_points(count), d_centroids(k), d_before(k);
    DeviceBuffer<int> d_labels(count);
    DeviceBuffer<std::int64_t> d_sizes(k);
    DeviceBuffer<Word> d_sums(kWordsPerSum * k);
    const int sums_bytes = static_cast<int>(d_sums.bytes());
    const int centroids_bytes = static_cast<int>(d_centroids.bytes());
    const int copies = std::min((kmeans::fused::kSharedBytes - centroids_bytes) / sums_bytes,
                                kmeans::fused::kMaxCopies);
    const std::size_t shared_bytes = copies * sums_bytes + centroids_bytes;
    output.iterations = 0;

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_points.data(), input.points.data(), d_points.bytes(), cudaMemcpyHostToDevice));
    cuda_check(cudaMemcpy(d_centroids.data(), output.centroids.data(), d_centroids.bytes(),
                          cudaMemcpyHostToDevice));
    cuda_check(cudaMemset(d_sums.data(), 0, d_sums.bytes()));

    timer.begin(Phase::kKernels);
    const std::int64_t resident =
        course::resident_blocks(sum_points_kernel, kBlockSize, shared_bytes);
    const std::int64_t blocks = std::min(resident, (count - 1) / kBlockSize + 1);
    do {
        sum_points_kernel<<<blocks, kBlockSize, shared_bytes>>>(
            d_points.data(), count, d_centroids.data(), k, copies, d_sums.data());
        cuda_check(cudaGetLastError());
        move_centroids_kernel<<<(k - 1) / kBlockSize + 1, kBlockSize>>>(
            d_sums.data(), k, d_centroids.data(), d_before.data(), d_sizes.data());
        cuda_check(cudaGetLastError());
        previous = output.centroids;
        cuda_check(cudaMemcpy(output.centroids.data(), d_centroids.data(), d_centroids.bytes(),
                              cudaMemcpyDeviceToHost));
        output.converged = output.centroids == previous;
    } while (!input.ends_after(++output.iterations, output.converged));
    kmeans::assign_points_kernel<<<(count - 1) / kmeans::kBlockSize + 1, kmeans::kBlockSize,
                                   d_before.bytes()>>>(d_points.data(), count, d_before.data(), k,
                                                       d_labels.data());
    cuda_check(cudaGetLastError());

    timer.begin(Phase::kCopyOut);
    cuda_check(cudaMemcpy(output.labels.data(), d_labels.data(), d_labels.bytes(),
                          cudaMemcpyDeviceToHost));
    cuda_check(
        cudaMemcpy(output.sizes.data(), d_sizes.data(), d_sizes.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid(blocks, kBlockSize);
    timer.declare_work(
        {.bytes = kmeans::kBytesPerPointInOnePass * count * output.iterations +
                  kmeans::kBytesPerLabelledPoint * count,
         .operations = kmeans::kOperationsPerDistance * count * k * (output.iterations + 1)});
}

int main(int argc, char** argv) { return kmeans::run_stage(argc, argv, STAGE_NAME, find_clusters); }
