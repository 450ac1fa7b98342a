// SPDX-License-Identifier: MIT
// Launches: their limits, their errors, and the functions that launch.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "engine_test.hpp"

namespace {

class LaunchTest : public EngineTest {};

__global__ void add_kernel(int* out, int amount) { atomicAdd(out, amount); }

template <int kAmount>
__global__ void add_constant_kernel(int* out) {
    extern __shared__ char s_bytes[];
    s_bytes[0] = 1;
    atomicAdd(out, kAmount);
}

template <class T>
__global__ void add_deduced_kernel(T* out, T amount) {
    atomicAdd(out, amount);
}

cudaError_t launch_error(dim3 grid, dim3 block, std::size_t shared = 0) {
    ManagedArray<int> out(1);
    add_kernel<<<grid, block, shared>>>(out.data(), 1);
    const cudaError_t error = cudaGetLastError();
    EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "read and cleared";
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(out[0] == 0, error != cudaSuccess);
    return error;
}

TEST_F(LaunchTest, impossible_shapes_are_refused) {
    EXPECT_EQ(launch_error(1, 1), cudaSuccess);
    EXPECT_EQ(launch_error(1, 1024), cudaSuccess);
    EXPECT_EQ(launch_error(1, dim3(1, 1, 64)), cudaSuccess);
    EXPECT_EQ(launch_error(dim3(1, 65535, 1), 1), cudaSuccess);
    EXPECT_EQ(launch_error(0, 1), cudaErrorInvalidValue);
    EXPECT_EQ(launch_error(1, 0), cudaErrorInvalidValue);
    EXPECT_EQ(launch_error(1, 1025), cudaErrorInvalidValue);
    EXPECT_EQ(launch_error(1, dim3(32, 33, 1)), cudaErrorInvalidValue);
    EXPECT_EQ(launch_error(1, dim3(1, 1, 65)), cudaErrorInvalidValue);
    EXPECT_EQ(launch_error(dim3(1, 65536, 1), 1), cudaErrorInvalidValue);
    EXPECT_EQ(launch_error(dim3(1, 1, 65536), 1), cudaErrorInvalidValue);
    EXPECT_EQ(launch_error(dim3(0x80000000u, 1, 1), 1), cudaErrorInvalidValue);
    // The product of these is a small number in 32 bits.
    EXPECT_EQ(launch_error(1, dim3(65536, 65536, 1)), cudaErrorInvalidValue);
}

TEST_F(LaunchTest, more_than_48_kib_of_shared_memory_needs_the_attribute) {
    EXPECT_EQ(launch_error(1, 1, 48 * 1024), cudaSuccess);
    EXPECT_EQ(launch_error(1, 1, 48 * 1024 + 1), cudaErrorInvalidValue);
    ASSERT_EQ(
        cudaFuncSetAttribute(add_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024),
        cudaSuccess);
    EXPECT_EQ(launch_error(1, 1, 100 * 1024), cudaSuccess);
    EXPECT_EQ(launch_error(1, 1, 100 * 1024 + 1), cudaErrorInvalidValue);
    EXPECT_EQ(
        cudaFuncSetAttribute(add_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024),
        cudaSuccess);
    EXPECT_EQ(launch_error(1, 1, 227 * 1024), cudaSuccess);
    EXPECT_EQ(cudaFuncSetAttribute(add_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   227 * 1024 + 1),
              cudaErrorInvalidValue);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
    cudaFuncAttributes attributes{};
    ASSERT_EQ(cudaFuncGetAttributes(&attributes, add_kernel), cudaSuccess);
    EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, 227 * 1024);
    EXPECT_EQ(attributes.maxThreadsPerBlock, 1024);
}

TEST_F(LaunchTest, the_attribute_belongs_to_one_kernel) {
    ManagedArray<int> out(1);
    ASSERT_EQ(cudaFuncSetAttribute(add_constant_kernel<1>,
                                   cudaFuncAttributeMaxDynamicSharedMemorySize, 60 * 1024),
              cudaSuccess);
    add_constant_kernel<1><<<1, 1, 60 * 1024>>>(out.data());
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    add_constant_kernel<2><<<1, 1, 60 * 1024>>>(out.data());
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
    EXPECT_EQ(launch_error(1, 1, 60 * 1024), cudaErrorInvalidValue);
}

TEST_F(LaunchTest, another_device_has_other_limits) {
    use_schedule("in-order", 1, "gtx980");
    EXPECT_EQ(
        cudaFuncSetAttribute(add_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 60 * 1024),
        cudaErrorInvalidValue);
    cudaGetLastError();
    EXPECT_EQ(launch_error(1, 1, 48 * 1024), cudaSuccess);
}

TEST_F(LaunchTest, a_template_with_deduced_arguments_launches) {
    ManagedArray<int> out(1);
    add_deduced_kernel<<<2, 3>>>(out.data(), 5);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(out[0], 30);
}

TEST_F(LaunchTest, arguments_are_copied_at_the_launch) {
    ManagedArray<int> out(1);
    int amount = 3;
    add_kernel<<<1, 1>>>(out.data(), amount);
    amount = 100;
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(out[0], 3);
}

TEST_F(LaunchTest, the_functions_that_launch) {
    ManagedArray<int> out(1);
    int* pointer = out.data();
    int amount = 2;
    void* arguments[] = {&pointer, &amount};
    ASSERT_EQ(cudaLaunchKernel(add_kernel, dim3(2), dim3(3), arguments), cudaSuccess);
    ASSERT_EQ(cudaLaunchCooperativeKernel(add_kernel, dim3(2), dim3(3), arguments), cudaSuccess);
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(4);
    config.blockDim = dim3(5);
    ASSERT_EQ(cudaLaunchKernelEx(&config, add_kernel, out.data(), 10), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(out[0], 12 + 12 + 200);
    EXPECT_EQ(cudaLaunchKernel(add_kernel, dim3(2), dim3(0), arguments), cudaErrorInvalidValue);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(LaunchTest, an_unknown_launch_attribute_is_named) {
    cudaLaunchAttribute attribute = {};
    attribute.id = static_cast<cudaLaunchAttributeID>(1000);
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = dim3(1);
    config.attrs = &attribute;
    config.numAttrs = 1;
    ManagedArray<int> out(1);
    const std::string said = messages_of([&] {
        EXPECT_EQ(cudaLaunchKernelEx(&config, add_kernel, out.data(), 1), cudaErrorNotSupported);
    });
    EXPECT_TRUE(contains(said, "cudaLaunchKernelEx: launch attribute 1000 is not supported"));
}

__global__ void fail_kernel_number(int number) {
    emulator::fail_kernel(719, number == 1 ? "one" : "two");
}

TEST_F(LaunchTest, a_kernel_launched_by_address_has_its_name_in_messages) {
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = dim3(1);
    ASSERT_EQ(cudaLaunchKernelEx(&config, fail_kernel_number, 1), cudaSuccess);
    const std::string said =
        messages_of([] { EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure); });
    EXPECT_TRUE(contains(said,
                         "fail_kernel_number, block (0,0,0), thread (0,0,0): one "
                         "(cudaErrorLaunchFailure)"));
}

TEST_F(LaunchTest, the_first_sticky_error_stays) {
    fail_kernel_number<<<1, 1>>>(1);
    add_kernel<<<1, 1>>>(nullptr, 1);
    messages_of([] { EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure); });
    add_kernel<<<1, 1>>>(nullptr, 1);
    EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchFailure);
    EXPECT_EQ(cudaPeekAtLastError(), cudaErrorLaunchFailure);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(LaunchTest, occupancy_follows_the_limits_of_the_device) {
    int blocks = 0;
    const auto active = [&](int threads, std::size_t shared) {
        EXPECT_EQ(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add_kernel, threads, shared),
            cudaSuccess);
        return blocks;
    };
    EXPECT_EQ(active(32, 0), 32);
    EXPECT_EQ(active(256, 0), 8);
    EXPECT_EQ(active(1024, 0), 2);
    EXPECT_EQ(active(33, 0), 32);
    EXPECT_EQ(active(96, 0), 21);
    EXPECT_EQ(active(256, 47 * 1024), 4) << "228 KiB, 1 KiB reserved a block";
    EXPECT_EQ(active(256, 49 * 1024), 0) << "not launchable";
    EXPECT_EQ(active(1025, 0), 0);
    int grid = 0, block = 0;
    ASSERT_EQ(cudaOccupancyMaxPotentialBlockSize(&grid, &block, add_kernel), cudaSuccess);
    EXPECT_EQ(block, 1024);
    EXPECT_EQ(grid, 264);
    use_schedule("in-order", 1, "gtx980");
    EXPECT_EQ(active(256, 32 * 1024), 3);
}

TEST_F(LaunchTest, properties_are_those_of_the_named_device) {
    cudaDeviceProp properties{};
    ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
    EXPECT_STREQ(properties.name, "NVIDIA H200 (emulated)");
    EXPECT_EQ(properties.multiProcessorCount, 132);
    EXPECT_EQ(properties.sharedMemPerBlockOptin, 232448u);
    int value = 0;
    EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrClockRate, 0), cudaSuccess);
    EXPECT_EQ(value, 1980000);
    use_schedule("in-order", 1, "gtx980");
    ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
    EXPECT_EQ(properties.major * 10 + properties.minor, 52);
    EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0), cudaSuccess);
    EXPECT_EQ(value, 16);
    EXPECT_EQ(cudaGetDeviceProperties(&properties, 1), cudaErrorInvalidDevice);
    EXPECT_EQ(cudaSetDevice(1), cudaErrorInvalidDevice);
    EXPECT_EQ(cudaGetDeviceCount(&value), cudaSuccess);
    EXPECT_EQ(value, 1);
    const std::string said = messages_of([&] {
        EXPECT_EQ(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(44), 0),
                  cudaErrorInvalidValue);
    });
    EXPECT_TRUE(contains(said, "attribute 44"));
    EXPECT_EQ(cudaDriverGetVersion(&value), cudaSuccess);
    EXPECT_EQ(value, CUDART_VERSION);
}

TEST_F(LaunchTest, limits_are_kept_until_the_reset) {
    std::size_t value = 0;
    EXPECT_EQ(cudaDeviceGetLimit(&value, cudaLimitDevRuntimePendingLaunchCount), cudaSuccess);
    EXPECT_EQ(value, 2048u);
    EXPECT_EQ(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 10000), cudaSuccess);
    EXPECT_EQ(cudaDeviceGetLimit(&value, cudaLimitDevRuntimePendingLaunchCount), cudaSuccess);
    EXPECT_EQ(value, 10000u);
    EXPECT_EQ(cudaDeviceSetLimit(static_cast<cudaLimit>(9), 1), cudaErrorUnsupportedLimit);
    cudaDeviceReset();
    EXPECT_EQ(cudaDeviceGetLimit(&value, cudaLimitDevRuntimePendingLaunchCount), cudaSuccess);
    EXPECT_EQ(value, 2048u);
}

TEST_F(LaunchTest, errors_have_cudas_names_and_texts) {
    EXPECT_STREQ(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
    EXPECT_STREQ(cudaGetErrorString(cudaErrorIllegalAddress),
                 "an illegal memory access was encountered");
    EXPECT_STREQ(cudaGetErrorString(cudaSuccess), "no error");
    EXPECT_STREQ(cudaGetErrorName(static_cast<cudaError_t>(12345)), "unrecognized error code");
}

__global__ void synchronize_kernel() { cudaDeviceSynchronize(); }
__global__ void allocate_kernel(int** out) { cudaMallocManaged(out, 4); }

TEST_F(LaunchTest, host_functions_in_device_code_are_named) {
    synchronize_kernel<<<1, 1>>>();
    std::string said =
        messages_of([] { EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure); });
    EXPECT_TRUE(contains(said,
                         "synchronize_kernel, block (0,0,0), thread (0,0,0): "
                         "cudaDeviceSynchronize() is not available in device code"));
    cudaDeviceReset();
    ManagedArray<int*> out(1);
    allocate_kernel<<<1, 1>>>(out.data());
    said = messages_of([] { EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure); });
    EXPECT_TRUE(contains(said, "cudaMallocManaged() is not available in device code"));
}

TEST_F(LaunchTest, settings_reject_what_they_do_not_know) {
    using emulator::parse_schedule;
    using Order = emulator::Schedule::Order;
    EXPECT_EQ(parse_schedule("in-order").order, Order::in_order);
    EXPECT_EQ(parse_schedule("reversed").order, Order::reversed);
    EXPECT_EQ(parse_schedule("shuffled:42").seed, 42u);
    for (const char* text :
         {"", "backwards", "shuffled", "shuffled:", "shuffled:-1", "shuffled:1x"}) {
        EXPECT_THROW(parse_schedule(text), std::invalid_argument) << text;
    }
}

// CUDA 12.1 and newer: up to 32 764 bytes.
struct LargeArgument {
    int values[8180];
};

__global__ void large_argument_kernel(const __grid_constant__ LargeArgument argument, int* out) {
    __syncthreads();
    out[threadIdx.x] = argument.values[threadIdx.x * 60];
}

TEST_F(LaunchTest, large_arguments_fit_on_the_stack) {
    LargeArgument argument;
    for (int i = 0; i < 8180; ++i) argument.values[i] = i;
    ManagedArray<int> out(128);
    large_argument_kernel<<<1, 128>>>(argument, out.data());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(out[127], 127 * 60);
}

}  // namespace
