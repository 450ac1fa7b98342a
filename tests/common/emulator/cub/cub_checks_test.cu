// SPDX-License-Identifier: MIT
// The checks see what CUB's algorithms for a whole device read and write.
#include <gtest/gtest.h>

#include <cub/cub.cuh>

#include "checks_test.hpp"

namespace {

constexpr int kCount = 1000;

// Temporary storage for the call, which gets it and its size.
template <class Call>
cudaError_t call_twice(Call call) {
    void* storage = nullptr;
    std::size_t bytes = 0;
    EXPECT_EQ(call(storage, bytes), cudaSuccess);
    EXPECT_EQ(cudaMalloc(&storage, bytes), cudaSuccess);
    return call(storage, bytes);
}

TEST(CubChecks, InputsAndOutputsHaveTheirSize) {
    const auto error_of = [](int inputs, int outputs) {
        cudaError_t error = cudaSuccess;
        findings_of([&] {
            const int* in = device_array<int>(inputs);
            int* out = device_array<int>(outputs);
            error = call_twice([&](void* storage, std::size_t& bytes) {
                return cub::DeviceScan::ExclusiveSum(storage, bytes, in, out, kCount);
            });
        });
        return error;
    };
    EXPECT_EQ(error_of(kCount, kCount), cudaSuccess);
    EXPECT_EQ(error_of(kCount - 1, kCount), cudaErrorIllegalAddress);
    EXPECT_EQ(error_of(kCount, kCount - 1), cudaErrorIllegalAddress);
}

TEST(CubChecks, AnOutputOfUnknownSizeIsCheckedWhenItIsWritten) {
    const auto error_of = [](int outputs) {
        cudaError_t error = cudaSuccess;
        findings_of([&] {
            const int* in = device_array<int>(kCount);  // zeros: one is selected
            int* out = device_array<int>(outputs);
            int* number = device_array<int>(1);
            const auto is_zero = [] __device__(int value) { return value == 0; };
            call_twice([&](void* storage, std::size_t& bytes) {
                return cub::DeviceSelect::Unique(storage, bytes, in, out, number, kCount);
            });
            EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
            call_twice([&](void* storage, std::size_t& bytes) {
                return cub::DeviceSelect::If(storage, bytes, in, out, number, kCount, is_zero);
            });
            error = cudaDeviceSynchronize();
        });
        return error;
    };
    EXPECT_EQ(error_of(kCount), cudaSuccess);
    EXPECT_EQ(error_of(kCount - 1), cudaErrorIllegalAddress);
}

TEST(CubChecks, TemporaryStorageIsAsLargeAsWasSaid) {
    const int* in = device_array<int>(kCount);
    int* out = device_array<int>(kCount);
    void* storage = nullptr;
    std::size_t bytes = 0;
    ASSERT_EQ(cub::DeviceRadixSort::SortKeys(storage, bytes, in, out, kCount), cudaSuccess);
    EXPECT_GE(bytes, kCount * sizeof(int));
    ASSERT_EQ(cudaMalloc(&storage, bytes), cudaSuccess);
    std::size_t fewer = bytes - 1;
    EXPECT_EQ(cub::DeviceRadixSort::SortKeys(storage, fewer, in, out, kCount),
              cudaErrorInvalidValue);
    EXPECT_EQ(cub::DeviceRadixSort::SortKeys(storage, bytes, in, out, kCount), cudaSuccess);
    cudaDeviceReset();
}

__global__ void fill_kernel(int* data) { data[threadIdx.x] = threadIdx.x; }

// The host waits for both in the end.
std::vector<Finding> findings_of_sum(bool has_event) {
    return findings_of([&] {
        int* data = device_array<int>(kCount);
        int* sum = device_array<int>(1);
        cudaDeviceSynchronize();
        cudaStream_t streams[2];
        for (cudaStream_t& stream : streams) {
            cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        }
        fill_kernel<<<1, kCount, 0, streams[0]>>>(data);
        if (has_event) {
            cudaEvent_t event;
            cudaEventCreate(&event);
            cudaEventRecord(event, streams[0]);
            cudaStreamWaitEvent(streams[1], event, 0);
        }
        call_twice([&](void* storage, std::size_t& bytes) {
            return cub::DeviceReduce::Sum(storage, bytes, data, sum, kCount, streams[1]);
        });
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        if (!has_event) return;
        int result = 0;
        EXPECT_EQ(cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDefault), cudaSuccess);
        EXPECT_EQ(result, kCount * (kCount - 1) / 2);
    });
}

TEST(CubChecks, StreamsOrderTheAlgorithms) {
    EXPECT_TRUE(is_silent(findings_of_sum(true)));
    EXPECT_TRUE(has(findings_of_sum(false), FindingKind::race_between_streams, 0));
}

__global__ void racy_kernel(int* out, bool waits) {
    using Exchange = cub::BlockExchange<int, 64, 2>;
    __shared__ typename Exchange::TempStorage storage;
    int items[2] = {static_cast<int>(threadIdx.x), 7};
    Exchange(storage).BlockedToStriped(items);
    if (waits) __syncthreads();
    Exchange(storage).BlockedToStriped(items);
    out[threadIdx.x] = items[0];
}

TEST(CubChecks, TemporaryStorageIsUsedAgainAfterABarrier) {
    EXPECT_TRUE(
        is_silent(findings_of([] { racy_kernel<<<1, 64>>>(device_array<int>(64), true); })));
    EXPECT_TRUE(has(findings_of([] { racy_kernel<<<1, 64>>>(device_array<int>(64), false); }),
                    FindingKind::race_in_block, 0));
}

}  // namespace
