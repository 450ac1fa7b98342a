// SPDX-License-Identifier: MIT
// The other device functions: hinted accesses, printing, stopping.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cassert>
#include <vector>

#include "device_array.hpp"

__global__ void hinted_kernel(const int4* __restrict__ in, int4* __restrict__ out,
                              double* __restrict__ reals) {
    out[0] = __ldg(&in[0]);
    out[1] = __ldca(&in[1]);
    const int4 third = __ldcg(&in[2]);
    const int4 fourth = __ldcs(&in[3]);
    __stcg(&out[2], third);
    __stwb(&out[3], fourth);
    __stcs(&out[4], __ldcv(&in[4]));
    __stwt(&reals[0], 2.5);
}

TEST(DeviceFunctions, HintedAccesses) {
    std::vector<int4> values;
    for (int i = 0; i < 5; ++i) values.push_back(make_int4(i, i + 1, i + 2, i + 3));
    DeviceArray<int4> in(values);
    DeviceArray<int4> out(5);
    DeviceArray<double> reals(1);
    hinted_kernel<<<1, 1>>>(in.data(), out.data(), reals.data());
    const auto results = out.read();
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(results[i].x, i);
        EXPECT_EQ(results[i].w, i + 3);
    }
    EXPECT_EQ(reals.read()[0], 2.5);
}

__device__ int scale = 3;
__constant__ int offsets[2] = {10, 20};
__managed__ int managed_total;

__global__ void variables_kernel(int* out) {
    const long long start = clock64();
    __nanosleep(10);
    out[threadIdx.x] = offsets[threadIdx.x] * scale;
    out[2] = clock64() >= start ? 1 : 0;
    out[3] = static_cast<int>(__fns(0b101100u, 0, 2));
    atomicAdd(&managed_total, 5);
}

TEST(DeviceFunctions, DeviceConstantAndManagedVariables) {
    const int new_offsets[2] = {100, 200};
    ASSERT_EQ(cudaMemcpyToSymbol(offsets, new_offsets, sizeof new_offsets), cudaSuccess);
    managed_total = 1;
    DeviceArray<int> out(4);
    variables_kernel<<<1, 2>>>(out.data());
    EXPECT_EQ(out.read(), (std::vector<int>{300, 600, 1, 3}));
    EXPECT_EQ(managed_total, 11);
}

// Dynamic shared memory of exactly the launch's size, cut into two arrays.
template <class T>
__global__ void transpose_kernel(const T* __restrict__ in, T* __restrict__ out) {
    extern __shared__ __align__(16) unsigned char raw[];
    T* s_values = reinterpret_cast<T*>(raw);
    int* s_places = reinterpret_cast<int*>(s_values + blockDim.x);
    s_values[threadIdx.x] = in[threadIdx.x];
    s_places[threadIdx.x] = static_cast<int>(blockDim.x - 1 - threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = s_values[s_places[threadIdx.x]];
}

TEST(DeviceFunctions, DynamicSharedMemory) {
    constexpr int kThreads = 96;
    std::vector<double> values;
    for (int i = 0; i < kThreads; ++i) values.push_back(i * 0.5);
    DeviceArray<double> in(values);
    DeviceArray<double> out(kThreads);
    transpose_kernel<double>
        <<<1, kThreads, kThreads*(sizeof(double) + sizeof(int))>>>(in.data(), out.data());
    EXPECT_EQ(out.read(), std::vector<double>(values.rbegin(), values.rend()));
}

__global__ void printing_kernel() {
    if (threadIdx.x == 1) {
        printf("thread %d of block %d, %.2f\n", 1, static_cast<int>(blockIdx.x), 0.5);
    }
}

TEST(DeviceFunctions, Printf) {
    testing::internal::CaptureStdout();
    printing_kernel<<<1, 2>>>();
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "thread 1 of block 0, 0.50\n");
}

// These end the device context, so each runs in a process of its own.
__global__ void trapping_kernel() {
    if (threadIdx.x == 3) __trap();
}

__global__ void asserting_kernel(int limit) { assert(static_cast<int>(threadIdx.x) < limit); }

template <class Launch>
[[noreturn]] void exit_with_the_error_of(Launch launch) {
    launch();
    std::fprintf(stderr, "[%s]\n", cudaGetErrorName(cudaDeviceSynchronize()));
    std::exit(0);
}

TEST(DeviceFunctionsDeathTest, TrapFailsTheKernel) {
    EXPECT_EXIT(exit_with_the_error_of([] { trapping_kernel<<<1, 32>>>(); }),
                testing::ExitedWithCode(0), "\\[cudaErrorLaunchFailure\\]");
}

TEST(DeviceFunctionsDeathTest, AssertFailsTheKernelAndNamesThePlace) {
    EXPECT_EXIT(exit_with_the_error_of([] { asserting_kernel<<<1, 32>>>(7); }),
                testing::ExitedWithCode(0),
                "device_functions_test.cu:[0-9]+: .*threadIdx.x\\) < limit(.|\n)*"
                "\\[cudaErrorAssert\\]");
}

TEST(DeviceFunctions, AssertThatHoldsIsSilent) {
    asserting_kernel<<<1, 32>>>(32);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}
