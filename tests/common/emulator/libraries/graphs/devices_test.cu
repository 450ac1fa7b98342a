// SPDX-License-Identifier: MIT
// Several devices: memory, streams, events and variables of each, peer access, copies between them;
// memory pools and memory in the order of a stream.
#include <cuda_runtime.h>

#include <string>
#include <thread>
#include <vector>

#include "engine_test.hpp"

namespace {

__device__ int counter = 5;
__constant__ float factors[2];
__managed__ int shared_by_all;

__global__ void add_kernel(int* values, int amount) { values[threadIdx.x] += amount; }
__global__ void count_kernel(int* out) { out[0] = ++counter; }
__global__ void factor_kernel(float* out) { out[0] = factors[1]; }
__global__ void tell_device_kernel(int* out) { cudaGetDevice(out); }
__global__ void share_kernel() { ++shared_by_all; }

class DevicesTest : public EngineTest {
  protected:
    void SetUp() override {
        EngineTest::SetUp();
        use_devices(3);
        reset_all();
    }
    void TearDown() override {
        reset_all();
        EngineTest::TearDown();
    }
    static void use_devices(int count, const std::string& schedule = "in-order") {
        emulator::Settings settings;
        settings.schedule = emulator::parse_schedule(schedule);
        settings.devices = count;
        emulator::configure(settings);
    }
    static void reset_all() {
        for (int device = emulator::settings().devices - 1; device >= 0; --device) {
            cudaSetDevice(device);
            cudaDeviceReset();
        }
    }
    // On the device: 32 numbers of this value.
    static int* array_on(int device, int value) {
        cudaSetDevice(device);
        int* data = nullptr;
        EXPECT_EQ(cudaMalloc(&data, 128), cudaSuccess);
        EXPECT_EQ(cudaMemset(data, 0, 128), cudaSuccess);
        add_kernel<<<1, 32>>>(data, value);
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        return data;
    }
    static int first_of(const int* data) {
        int value = -1;
        EXPECT_EQ(cudaMemcpy(&value, data, sizeof value, cudaMemcpyDefault), cudaSuccess);
        return value;
    }
};

TEST_F(DevicesTest, each_host_thread_has_a_current_device) {
    int count = 0;
    EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
    EXPECT_EQ(count, 3);
    EXPECT_EQ(cudaSetDevice(2), cudaSuccess);
    EXPECT_EQ(cudaSetDevice(3), cudaErrorInvalidDevice);
    int here = -1;
    int there = -1;
    std::thread([&] { cudaGetDevice(&there); }).join();
    EXPECT_EQ(cudaGetDevice(&here), cudaSuccess);
    EXPECT_EQ(here, 2);
    EXPECT_EQ(there, 0);
    ManagedArray<int> out(1, -1);
    tell_device_kernel<<<1, 1>>>(out.data());
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(out[0], 2);
    cudaDeviceProp properties;
    EXPECT_EQ(cudaGetDeviceProperties(&properties, 2), cudaSuccess);
    EXPECT_EQ(cudaGetDeviceProperties(&properties, 3), cudaErrorInvalidDevice);
}

TEST_F(DevicesTest, memory_belongs_to_a_device) {
    int* data = array_on(1, 4);
    cudaSetDevice(0);
    cudaPointerAttributes attributes;
    EXPECT_EQ(cudaPointerGetAttributes(&attributes, data + 3), cudaSuccess);
    EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
    EXPECT_EQ(attributes.device, 1);
    EXPECT_EQ(first_of(data), 4);
    EXPECT_EQ(cudaFree(data), cudaSuccess);
}

TEST_F(DevicesTest, a_kernel_needs_peer_access) {
    int can = 0;
    EXPECT_EQ(cudaDeviceCanAccessPeer(&can, 0, 1), cudaSuccess);
    EXPECT_EQ(can, 1);
    int* far = array_on(1, 1);
    cudaSetDevice(0);
    EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
    EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
    add_kernel<<<1, 32>>>(far, 2);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(first_of(far), 3);
    EXPECT_EQ(cudaDeviceDisablePeerAccess(1), cudaSuccess);
    EXPECT_EQ(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
    const std::string message = messages_of([&] {
        add_kernel<<<1, 32>>>(far, 2);
        EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    });
    EXPECT_TRUE(
        contains(message, "of device 1); call cudaDeviceEnablePeerAccess(1, 0) on device 0"));
}

TEST_F(DevicesTest, access_in_one_direction_only) {
    int* data = array_on(0, 1);
    array_on(1, 0);
    cudaSetDevice(0);
    EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
    cudaSetDevice(1);
    add_kernel<<<1, 32>>>(data, 2);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

TEST_F(DevicesTest, copies_between_devices_need_no_access) {
    int* first = array_on(0, 10);
    int* second = array_on(1, 20);
    int* third = array_on(2, 0);
    EXPECT_EQ(cudaMemcpyPeer(third, 2, first, 0, 64), cudaSuccess);
    EXPECT_EQ(cudaMemcpyPeer(third, 1, first, 0, 64), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemcpyPeer(third, 3, first, 0, 64), cudaErrorInvalidDevice);
    EXPECT_EQ(cudaMemcpy(third + 16, second, 64, cudaMemcpyDefault), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(first_of(third), 10);
    EXPECT_EQ(first_of(third + 16), 20);
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    EXPECT_EQ(cudaMemcpyPeerAsync(first, 0, second, 1, 128, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(first_of(first), 20);
    cudaMemcpy3DPeerParms volume = {};
    volume.srcPtr = make_cudaPitchedPtr(third, 32, 16, 2);
    volume.srcDevice = 2;
    volume.dstPtr = make_cudaPitchedPtr(second, 16, 16, 2);
    volume.dstDevice = 1;
    volume.extent = make_cudaExtent(16, 2, 2);
    EXPECT_EQ(cudaMemcpy3DPeer(&volume), cudaSuccess);
    EXPECT_EQ(first_of(second + 4), 10);
    EXPECT_EQ(first_of(second + 8), 20);
}

TEST_F(DevicesTest, streams_and_events_belong_to_a_device) {
    cudaStream_t stream = nullptr;
    cudaEvent_t event = nullptr;
    cudaSetDevice(1);
    cudaStreamCreate(&stream);
    cudaSetDevice(0);
    cudaEventCreate(&event);
    int* data = array_on(1, 0);
    cudaSetDevice(0);
    add_kernel<<<1, 1, 0, stream>>>(data, 1);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaEventRecord(event, stream), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaEventRecord(event, nullptr), cudaSuccess);
    EXPECT_EQ(cudaStreamWaitEvent(stream, event, 0), cudaSuccess);
    EXPECT_EQ(cudaMemcpyAsync(data, data + 16, 64, cudaMemcpyDefault, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    int device = -1;
    EXPECT_EQ(cudaStreamGetDevice(stream, &device), cudaSuccess);
    EXPECT_EQ(device, 1);
    cudaEvent_t far = nullptr;
    cudaSetDevice(1);
    cudaEventCreate(&far);
    cudaEventRecord(far, stream);
    EXPECT_EQ(cudaEventSynchronize(far), cudaSuccess);
    float ms = 0;
    EXPECT_EQ(cudaEventElapsedTime(&ms, event, far), cudaErrorInvalidResourceHandle);
}

TEST_F(DevicesTest, waiting_for_a_device_leaves_the_others_alone) {
    ManagedArray<int> values(2, 0);
    cudaSetDevice(0);
    add_kernel<<<1, 1>>>(values.data(), 1);
    cudaSetDevice(1);
    add_kernel<<<1, 1>>>(values.data() + 1, 1);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(values.values(), (std::vector<int>{0, 1}));
    cudaSetDevice(0);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(values.values(), (std::vector<int>{1, 1}));
}

TEST_F(DevicesTest, each_device_has_its_own_variables) {
    std::vector<int*> out;
    for (int device = 0; device < 3; ++device) {
        out.push_back(array_on(device, 0));
        const float values[2] = {1.0f * device, 100.0f * device};
        EXPECT_EQ(cudaMemcpyToSymbol(factors, values, sizeof values), cudaSuccess);
    }
    for (int round = 0; round < 2; ++round) {
        for (int device = 0; device < 3; ++device) {
            cudaSetDevice(device);
            for (int i = 0; i <= device; ++i) count_kernel<<<1, 1>>>(out[device]);
        }
    }
    for (int device = 0; device < 3; ++device) {
        cudaSetDevice(device);
        EXPECT_EQ(first_of(out[device]), 5 + 2 * (device + 1));
        int value = 0;
        EXPECT_EQ(cudaMemcpyFromSymbol(&value, counter, sizeof value), cudaSuccess);
        EXPECT_EQ(value, 5 + 2 * (device + 1));
        factor_kernel<<<1, 1>>>(reinterpret_cast<float*>(out[device]));
        float factor = -1;
        cudaMemcpy(&factor, out[device], sizeof factor, cudaMemcpyDeviceToHost);
        EXPECT_EQ(factor, 100.0f * device);
        share_kernel<<<1, 1>>>();
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    }
    EXPECT_EQ(shared_by_all, 3);
    cudaSetDevice(1);
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
    int value = 0;
    EXPECT_EQ(cudaMemcpyFromSymbol(&value, counter, sizeof value), cudaSuccess);
    EXPECT_EQ(value, 5);
    cudaSetDevice(2);
    EXPECT_EQ(cudaMemcpyFromSymbol(&value, counter, sizeof value), cudaSuccess);
    EXPECT_EQ(value, 11);
}

TEST_F(DevicesTest, a_reset_keeps_the_other_devices) {
    int* first = array_on(0, 1);
    int* second = array_on(1, 2);
    cudaSetDevice(0);
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
    EXPECT_EQ(first_of(second), 2);
    EXPECT_EQ(cudaFree(first), cudaErrorInvalidValue);
}

TEST_F(DevicesTest, pools_tell_who_may_use_their_memory) {
    cudaSetDevice(1);
    cudaMemPool_t pool = nullptr;
    ASSERT_EQ(cudaDeviceGetDefaultMemPool(&pool, 1), cudaSuccess);
    int* data = nullptr;
    ASSERT_EQ(cudaMallocAsync(&data, 128, nullptr), cudaSuccess);
    ASSERT_EQ(cudaMemsetAsync(data, 0, 128, nullptr), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    cudaSetDevice(0);
    EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);  // not for pools
    cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtReadWrite};
    EXPECT_EQ(cudaMemPoolSetAccess(pool, &access, 1), cudaSuccess);
    add_kernel<<<1, 32>>>(data, 3);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(first_of(data), 3);
    access.flags = cudaMemAccessFlagsProtNone;
    EXPECT_EQ(cudaMemPoolSetAccess(pool, &access, 1), cudaSuccess);
    const std::string message = messages_of([&] {
        add_kernel<<<1, 32>>>(data, 3);
        EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    });
    EXPECT_TRUE(contains(message, "cudaMemPoolSetAccess()"));
}

TEST_F(DevicesTest, threads_drive_their_own_devices) {
    std::vector<int> results(3);
    std::vector<std::thread> threads;
    for (int device = 0; device < 3; ++device) {
        threads.emplace_back([device, &results] {
            int* data = array_on(device, device);
            for (int i = 0; i < 20; ++i) add_kernel<<<1, 32>>>(data, 1);
            results[device] = first_of(data);
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(results, (std::vector<int>{20, 21, 22}));
}

class PoolTest : public EngineTest {};

TEST_F(PoolTest, many_allocations_need_little_memory) {
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    constexpr std::size_t kBytes = std::size_t{32} << 20;
    for (int i = 0; i < 24; ++i) {
        int* data = nullptr;
        ASSERT_EQ(cudaMallocAsync(&data, kBytes, stream), cudaSuccess);
        add_kernel<<<1, 32, 0, stream>>>(data, 1);
        ASSERT_EQ(cudaFreeAsync(data, stream), cudaSuccess);
    }
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    cudaMemPool_t pool = nullptr;
    cudaDeviceGetDefaultMemPool(&pool, 0);
    std::uint64_t high = 0;
    EXPECT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &high), cudaSuccess);
    EXPECT_LT(high, 10 * kBytes);
}

TEST_F(PoolTest, a_copy_after_the_release_is_an_error) {
    int* data = nullptr;
    ASSERT_EQ(cudaMallocAsync(&data, 128, nullptr), cudaSuccess);
    const std::string message = messages_of([&] {
        cudaFreeAsync(data, nullptr);
        cudaMemsetAsync(data, 0, 128, nullptr);
        EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    });
    EXPECT_TRUE(contains(message, "which was freed"));
}

}  // namespace
