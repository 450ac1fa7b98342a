// SPDX-License-Identifier: MIT
// CUB's primitives for warps and blocks, against sums made on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <cub/cub.cuh>
#include <numeric>
#include <vector>

namespace {

constexpr int kThreads = 100;  // the last warp is not full

// CUB's own functors of this name come and go with its versions.
struct Larger {
    __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};

__global__ void reduce_kernel(const int* values, int valid, int* results) {
    using Reduce = cub::BlockReduce<int, kThreads>;
    __shared__ typename Reduce::TempStorage storage;
    const int value = values[threadIdx.x];
    const int sum = Reduce(storage).Sum(value);
    __syncthreads();
    const int largest = Reduce(storage).Reduce(value, Larger());
    __syncthreads();
    const int part = Reduce(storage).Sum(value, valid);
    __syncthreads();
    int two[2] = {value, 1000};
    const int both = Reduce(storage).Sum(two);
    if (threadIdx.x == 0) {
        results[0] = sum;
        results[1] = largest;
        results[2] = part;
        results[3] = both;
    }
}

__global__ void scan_kernel(const int* values, int* inclusive, int* exclusive, int* aggregate) {
    using Scan = cub::BlockScan<int, kThreads>;
    __shared__ typename Scan::TempStorage storage;
    Scan(storage).InclusiveSum(values[threadIdx.x], inclusive[threadIdx.x]);
    int total = 0;
    Scan(storage).ExclusiveSum(values[threadIdx.x], exclusive[threadIdx.x], total);
    if (threadIdx.x == kThreads - 1) *aggregate = total;
    int two[2] = {values[threadIdx.x], 1};
    __syncthreads();
    Scan(storage).ExclusiveSum(two, two);
    exclusive[kThreads + 2 * threadIdx.x] = two[0];
    exclusive[kThreads + 2 * threadIdx.x + 1] = two[1];
}

__global__ void warp_kernel(const int* values, int* sums) {
    using Reduce = cub::WarpReduce<int, 16>;
    __shared__ typename Reduce::TempStorage storage[4];
    const int sum = Reduce(storage[threadIdx.x / 16]).Sum(values[threadIdx.x]);
    if (threadIdx.x % 16 == 0) sums[threadIdx.x / 16] = sum;
}

std::vector<int> some_values() {
    std::vector<int> values(kThreads);
    for (int i = 0; i < kThreads; ++i) values[i] = i * 37 % 101 - 20;
    return values;
}

template <class T>
std::vector<T> fetch(const T* d_values, std::size_t count) {
    std::vector<T> values(count);
    EXPECT_EQ(cudaMemcpy(values.data(), d_values, count * sizeof(T), cudaMemcpyDeviceToHost),
              cudaSuccess);
    return values;
}

class Cub : public testing::Test {
  protected:
    Cub() {
        EXPECT_EQ(cudaMalloc(&d_values, kThreads * sizeof(int)), cudaSuccess);
        EXPECT_EQ(cudaMalloc(&d_results, 8 * kThreads * sizeof(int)), cudaSuccess);
        EXPECT_EQ(
            cudaMemcpy(d_values, values.data(), kThreads * sizeof(int), cudaMemcpyHostToDevice),
            cudaSuccess);
    }
    ~Cub() override {
        EXPECT_EQ(cudaFree(d_values), cudaSuccess);
        EXPECT_EQ(cudaFree(d_results), cudaSuccess);
    }
    std::vector<int> values = some_values();
    int* d_values = nullptr;
    int* d_results = nullptr;
};

TEST_F(Cub, BlocksReduce) {
    constexpr int kValid = 45;
    reduce_kernel<<<1, kThreads>>>(d_values, kValid, d_results);
    const std::vector<int> results = fetch(d_results, 4);
    const int sum = std::accumulate(values.begin(), values.end(), 0);
    EXPECT_EQ(results[0], sum);
    EXPECT_EQ(results[1], *std::max_element(values.begin(), values.end()));
    EXPECT_EQ(results[2], std::accumulate(values.begin(), values.begin() + kValid, 0));
    EXPECT_EQ(results[3], sum + 1000 * kThreads);
}

TEST_F(Cub, BlocksScan) {
    scan_kernel<<<1, kThreads>>>(d_values, d_results, d_results + kThreads,
                                 d_results + 4 * kThreads);
    const std::vector<int> results = fetch(d_results, 4 * kThreads + 1);
    int sum = 0;
    for (int i = 0; i < kThreads; ++i) {
        EXPECT_EQ(results[kThreads + i], sum) << i;
        EXPECT_EQ(results[2 * kThreads + 2 * i], sum + i) << i;
        sum += values[i];
        EXPECT_EQ(results[2 * kThreads + 2 * i + 1], sum + i) << i;
        EXPECT_EQ(results[i], sum) << i;
    }
    EXPECT_EQ(results[4 * kThreads], sum);
}

TEST_F(Cub, WarpsReduce) {
    warp_kernel<<<1, 64>>>(d_values, d_results);
    const std::vector<int> sums = fetch(d_results, 4);
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(sums[i],
                  std::accumulate(values.begin() + 16 * i, values.begin() + 16 * i + 16, 0));
    }
}

}  // namespace
