// SPDX-License-Identifier: MIT
// K-means, stage peers/thrust: algorithms of Thrust.
// Idea: transform labels the points, sort_by_key brings points with equal labels together, and
// reduce_by_key adds them. There is no kernel to write, and it works for any k.
// Compared with limit/01_fused_sums: four algorithms and their launches instead of two kernels.
// Points and labels go through memory once for each pass of the sort.
// Limit now: the sort, which moves all points in every iteration, and with many centroids the
// distances.
// Not of the thesis.
#include <cuda_runtime.h>
#include <thrust/execution_policy.h>
#include <thrust/fill.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include <cstdint>

#include "03_int2/labels_and_sums.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "limit/01_fused_sums/fused_sums.cuh"
#include "problem/kmeans.hpp"

using course::cuda_check, course::DeviceBuffer;
using kmeans::Input, kmeans::Output, kmeans::Phase, kmeans::PhaseTimer, kmeans::Sum;

struct Nearest {
    const int2* centroids;
    int k;

    __device__ int operator()(int2 point) const {
        return kmeans::fused::nearest_of(point, centroids, k);
    }
};

struct AsSum {
    __device__ Sum operator()(int2 point) const { return {point.x, point.y, 1}; }
};

struct Add {
    __device__ Sum operator()(const Sum& a, const Sum& b) const {
        return {a.x + b.x, a.y + b.y, a.count + b.count};
    }
};

// Moves the centroid of the i-th label that has points.
struct Move {
    const int* labels;
    const Sum* sums;
    int2* centroids;
    std::int64_t* sizes;

    __device__ void operator()(int i) const {
        const Sum sum = sums[i];
        sizes[labels[i]] = sum.count;
        centroids[labels[i]] =
            make_int2(static_cast<int>(sum.x / sum.count), static_cast<int>(sum.y / sum.count));
    }
};

// 1 if a centroid has moved, 0 otherwise.
struct HasMoved {
    __device__ int operator()(int2 a, int2 b) const { return a.x != b.x || a.y != b.y; }
};

void find_clusters(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    const int k = input.k();
    timer.begin(Phase::kSetup);
    // d_grouped are the points in the order of their labels, which d_labels are.
    DeviceBuffer<int2> d_points(count), d_grouped(count), d_centroids(k), d_before(k);
    DeviceBuffer<int> d_labels(count), d_labels_found(k);
    DeviceBuffer<std::int64_t> d_sizes(k);
    DeviceBuffer<Sum> d_sums(k);
    output.iterations = 0;

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_points.data(), input.points.data(), d_points.bytes(), cudaMemcpyHostToDevice));
    cuda_check(cudaMemcpy(d_centroids.data(), input.centroids.data(), d_centroids.bytes(),
                          cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    cuda_check(
        cudaMemcpy(d_grouped.data(), d_points.data(), d_points.bytes(), cudaMemcpyDeviceToDevice));
    int2* grouped = d_grouped.data();
    int *labels = d_labels.data(), *labels_found = d_labels_found.data();
    const Move move = {labels_found, d_sums.data(), d_centroids.data(), d_sizes.data()};
    do {
        cuda_check(cudaMemcpy(d_before.data(), d_centroids.data(), d_centroids.bytes(),
                              cudaMemcpyDeviceToDevice));
        thrust::transform(thrust::device, grouped, grouped + count, labels,
                          Nearest{d_before.data(), k});
        thrust::sort_by_key(thrust::device, labels, labels + count, grouped);
        const auto ends =
            thrust::reduce_by_key(thrust::device, labels, labels + count,
                                  thrust::make_transform_iterator(grouped, AsSum{}), labels_found,
                                  d_sums.data(), thrust::equal_to<int>{}, Add{});
        thrust::fill_n(thrust::device, d_sizes.data(), k, 0);
        // A centroid without points does not move.
        thrust::for_each_n(thrust::device, thrust::counting_iterator<int>(0),
                           ends.first - labels_found, move);
        // Not thrust::equal(): its result on the device has bytes that nobody writes, and
        // initcheck reports the copy to the host.
        const int moved =
            thrust::inner_product(thrust::device, d_centroids.data(), d_centroids.data() + k,
                                  d_before.data(), 0, thrust::plus<int>{}, HasMoved{});
        output.converged = moved == 0;
    } while (!input.ends_after(++output.iterations, output.converged));
    // In the order of the input.
    thrust::transform(thrust::device, d_points.data(), d_points.data() + count, labels,
                      Nearest{d_before.data(), k});

    timer.begin(Phase::kCopyOut);
    cuda_check(cudaMemcpy(output.centroids.data(), d_centroids.data(), d_centroids.bytes(),
                          cudaMemcpyDeviceToHost));
    cuda_check(cudaMemcpy(output.labels.data(), d_labels.data(), d_labels.bytes(),
                          cudaMemcpyDeviceToHost));
    cuda_check(
        cudaMemcpy(output.sizes.data(), d_sizes.data(), d_sizes.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    // Each iteration reads the points for their labels, once more to move them, and for the sums.
    timer.declare_work(
        {.bytes = 3 * kmeans::kBytesPerPointInOnePass * count * output.iterations +
                  kmeans::kBytesPerLabelledPoint * count,
         .operations = kmeans::kOperationsPerDistance * count * k * (output.iterations + 1)});
}

int main(int argc, char** argv) {
    // The sort has copies of the labels and points.
    return kmeans::run_stage(argc, argv, STAGE_NAME, find_clusters, kmeans::Layout::kPoints,
                             2 * kmeans::kDeviceBytesPerPoint + sizeof(int2));
}
