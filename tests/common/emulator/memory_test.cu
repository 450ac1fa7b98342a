// SPDX-License-Identifier: MIT
// Allocations, copies, symbols, memory of several processes.
#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "common/emulator/device/memory.hpp"
#include "engine_test.hpp"

namespace {

__device__ int d_counter = 5;
__constant__ float d_coefficients[4];

class MemoryTest : public EngineTest {};

__global__ void use_symbols_kernel(float* out) {
    out[0] = static_cast<float>(d_counter) + d_coefficients[2];
    d_counter = 77;
}

TEST_F(MemoryTest, allocations_are_aligned_poisoned_and_apart) {
    char* first = nullptr;
    char* second = nullptr;
    ASSERT_EQ(cudaMalloc(&first, 1000), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&second, 3), cudaSuccess);
    EXPECT_EQ(reinterpret_cast<std::size_t>(first) % 256, 0u);
    EXPECT_EQ(reinterpret_cast<std::size_t>(second) % 256, 0u);
    float values[250];
    ASSERT_EQ(cudaMemcpy(values, first, sizeof values, cudaMemcpyDeviceToHost), cudaSuccess);
    for (const float value : values) EXPECT_TRUE(std::isnan(value));
    emulator::Allocation a, b;
    ASSERT_TRUE(emulator::find_allocation(first + 999, a));
    EXPECT_FALSE(emulator::find_allocation(first + 1000, b));
    ASSERT_TRUE(emulator::find_allocation(second, b));
    EXPECT_EQ(b.id, a.id + 1);
    EXPECT_EQ(a.bytes, 1000u);
    EXPECT_EQ(cudaMalloc(&first, 0), cudaSuccess);
    EXPECT_EQ(first, nullptr);
    EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
}

TEST_F(MemoryTest, more_than_the_memory_is_refused) {
    std::size_t free_before = 0, free_after = 0, total = 0;
    ASSERT_EQ(cudaMemGetInfo(&free_before, &total), cudaSuccess);
    EXPECT_LE(free_before, total);
    void* pointer = &total;
    const std::size_t most = std::max(free_before, emulator::kModestDeviceBytes);
    EXPECT_EQ(cudaMalloc(&pointer, most + 1), cudaErrorMemoryAllocation);
    EXPECT_EQ(pointer, nullptr);
    EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_EQ(cudaMalloc(&pointer, ~std::size_t{0}), cudaErrorMemoryAllocation);
    cudaGetLastError();
    ASSERT_EQ(cudaMalloc(&pointer, 1 << 20), cudaSuccess);
    ASSERT_EQ(cudaMemGetInfo(&free_after, &total), cudaSuccess);
    EXPECT_EQ(free_before - free_after, std::size_t{1} << 20);
    ASSERT_EQ(cudaFree(pointer), cudaSuccess);
    ASSERT_EQ(cudaMemGetInfo(&free_after, &total), cudaSuccess);
    EXPECT_EQ(free_before, free_after);
}

__global__ void mark_ends_kernel(char* memory, std::size_t bytes) {
    memory[threadIdx.x * (bytes - 1)] = static_cast<char>(threadIdx.x + 1);
}

TEST_F(MemoryTest, what_nobody_touches_needs_no_memory) {
    emulator::machine_memory_for_tests = std::size_t{1} << 30;
    constexpr std::size_t kBytes = std::size_t{5} << 29;  // 2.5 GiB
    char* memory[3] = {};
    for (char*& one : memory) {
        ASSERT_EQ(cudaMalloc(&one, kBytes), cudaSuccess);
        mark_ends_kernel<<<1, 2>>>(one, kBytes);
    }
    char last = 0;
    ASSERT_EQ(cudaMemcpy(&last, memory[2] + kBytes - 1, 1, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(last, 2);
    void* more = nullptr;
    EXPECT_EQ(cudaMalloc(&more, std::size_t{1} << 30), cudaErrorMemoryAllocation);
    cudaGetLastError();
    // A program that takes what is free means to use it.
    std::size_t free_bytes = 1, total = 0;
    ASSERT_EQ(cudaMemGetInfo(&free_bytes, &total), cudaSuccess);
    EXPECT_EQ(free_bytes, 0u);
    for (char* one : memory) cudaFree(one);
    emulator::machine_memory_for_tests = 0;
}

TEST_F(MemoryTest, a_small_gpu_has_little_memory) {
    use_schedule("in-order", 1, "gtx980");
    std::size_t free_bytes = 0, total = 0;
    ASSERT_EQ(cudaMemGetInfo(&free_bytes, &total), cudaSuccess);
    EXPECT_EQ(total, std::size_t{4} << 30);
    EXPECT_LE(free_bytes, total);
}

TEST_F(MemoryTest, copies_check_range_and_direction) {
    int host[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    int* device = nullptr;
    ASSERT_EQ(cudaMalloc(&device, sizeof host), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice), cudaSuccess);
    const auto refused = [&](auto call, const char* why) {
        const std::string said =
            messages_of([&] { EXPECT_EQ(call(), cudaErrorInvalidValue) << why; });
        EXPECT_TRUE(contains(said, why));
        EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
    };
    refused(
        [&] { return cudaMemcpy(device, host, 33, cudaMemcpyHostToDevice); },
        "the destination has 32 bytes left in its allocation of 32, fewer than the 33 asked for");
    refused([&] { return cudaMemcpy(host, device + 1, 32, cudaMemcpyDeviceToHost); },
            "the source has 28 bytes left");
    refused([&] { return cudaMemcpy(host, device, 4, cudaMemcpyHostToDevice); },
            "the direction is cudaMemcpyHostToDevice, but the destination is host memory and the "
            "source device memory");
    refused([&] { return cudaMemcpy(device, host, 4, cudaMemcpyDeviceToHost); },
            "the direction is");
    refused([&] { return cudaMemcpy(device, device, 4, cudaMemcpyHostToDevice); },
            "the direction is");
    refused([&] { return cudaMemcpy(device, host, 4, cudaMemcpyDeviceToDevice); },
            "the direction is");
    refused([&] { return cudaMemcpy(nullptr, host, 4, cudaMemcpyHostToDevice); }, "null pointer");
    refused([&] { return cudaMemset(host, 0, 4); }, "host memory");
    refused([&] { return cudaMemset(device, 0, 64); }, "fewer than the 64");
    refused([&] { return cudaFree(host); }, "was not returned by an allocation");
    refused([&] { return cudaFree(device + 1); }, "was not returned by an allocation");
    refused([&] { return cudaFreeHost(device); }, "was not returned by an allocation");
    EXPECT_EQ(cudaMemcpy(device, host, 4, static_cast<cudaMemcpyKind>(9)),
              cudaErrorInvalidMemcpyDirection);
    EXPECT_EQ(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice), cudaSuccess);
    int back[8] = {};
    EXPECT_EQ(cudaMemcpy(back, device, sizeof back, cudaMemcpyDefault), cudaSuccess);
    EXPECT_EQ(back[7], 8);
    ASSERT_EQ(cudaFree(device), cudaSuccess);
    refused([&] { return cudaMemcpy(host, device, 4, cudaMemcpyDeviceToHost); }, "which was freed");
    refused([&] { return cudaFree(device); }, "which was freed");
}

TEST_F(MemoryTest, rectangles_are_copied_row_by_row) {
    constexpr int kWidth = 5, kHeight = 4;
    int host[kHeight][8];
    for (int row = 0; row < kHeight; ++row) std::iota(host[row], host[row] + 8, 10 * row);
    int* device = nullptr;
    std::size_t pitch = 0;
    ASSERT_EQ(cudaMallocPitch(&device, &pitch, kWidth * sizeof(int), kHeight), cudaSuccess);
    EXPECT_EQ(pitch, 512u);
    ASSERT_EQ(cudaMemcpy2D(device, pitch, host, sizeof host[0], kWidth * sizeof(int), kHeight,
                           cudaMemcpyHostToDevice),
              cudaSuccess);
    int back[kHeight][kWidth];
    ASSERT_EQ(cudaMemcpy2D(back, sizeof back[0], device, pitch, kWidth * sizeof(int), kHeight,
                           cudaMemcpyDeviceToHost),
              cudaSuccess);
    for (int row = 0; row < kHeight; ++row) {
        for (int column = 0; column < kWidth; ++column) {
            EXPECT_EQ(back[row][column], 10 * row + column);
        }
    }
    EXPECT_EQ(cudaMemcpy2D(device, 4, host, 32, 8, 2, cudaMemcpyHostToDevice),
              cudaErrorInvalidPitchValue);
}

TEST_F(MemoryTest, memset_writes_bytes_when_the_stream_runs) {
    unsigned* device = nullptr;
    ASSERT_EQ(cudaMalloc(&device, 8), cudaSuccess);
    ASSERT_EQ(cudaMemset(device, 0x11, 8), cudaSuccess);
    ASSERT_EQ(cudaMemsetAsync(device, 0x22, 4), cudaSuccess);
    unsigned back[2] = {};
    ASSERT_EQ(cudaMemcpy(back, device, 8, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(back[0], 0x22222222u);
    EXPECT_EQ(back[1], 0x11111111u);
}

TEST_F(MemoryTest, symbols) {
    const float coefficients[] = {1, 2, 30, 4};
    ASSERT_EQ(cudaMemcpyToSymbol(d_coefficients, coefficients, sizeof coefficients), cudaSuccess);
    const int nine = 9;
    ASSERT_EQ(cudaMemcpyToSymbol(d_counter, &nine, sizeof nine), cudaSuccess);
    ManagedArray<float> out(1);
    use_symbols_kernel<<<1, 1>>>(out.data());
    int counter = 0;
    ASSERT_EQ(cudaMemcpyFromSymbol(&counter, d_counter, sizeof counter), cudaSuccess);
    EXPECT_EQ(counter, 77);
    EXPECT_EQ(out[0], 39.0f);
    float third = 0;
    ASSERT_EQ(cudaMemcpyFromSymbol(&third, d_coefficients, 4, 8), cudaSuccess);
    EXPECT_EQ(third, 30.0f);
    int* address = nullptr;
    ASSERT_EQ(cudaGetSymbolAddress(&address, d_counter), cudaSuccess);
    ASSERT_EQ(cudaMemset(address, 0, sizeof(int)), cudaSuccess);
    ASSERT_EQ(cudaMemcpyFromSymbol(&counter, d_counter, sizeof counter), cudaSuccess);
    EXPECT_EQ(counter, 0);
    std::size_t bytes = 0;
    ASSERT_EQ(cudaGetSymbolSize(&bytes, d_coefficients), cudaSuccess);
    EXPECT_EQ(bytes, 16u);
    const std::string said = messages_of([&] {
        EXPECT_EQ(cudaMemcpyToSymbol(d_coefficients, coefficients, 16, 4), cudaErrorInvalidValue);
    });
    EXPECT_TRUE(contains(said, "16 bytes at offset 4 do not lie in the symbol's 16 bytes"));
}

// As on every GPU that was tried, also where other memory lay before.
TEST_F(MemoryTest, managed_memory_is_zero_at_first) {
    for (int round = 0; round < 2; ++round) {
        unsigned char* managed = nullptr;
        ASSERT_EQ(cudaMallocManaged(&managed, 1000), cudaSuccess);
        for (int i = 0; i < 1000; ++i) ASSERT_EQ(managed[i], 0) << i;
        std::memset(managed, 7, 1000);
        ASSERT_EQ(cudaFree(managed), cudaSuccess);
    }
}

TEST_F(MemoryTest, attributes_tell_kinds_apart) {
    int host = 0;
    int* device = nullptr;
    int* managed = nullptr;
    int* pinned = nullptr;
    ASSERT_EQ(cudaMalloc(&device, 8), cudaSuccess);
    ASSERT_EQ(cudaMallocManaged(&managed, 8), cudaSuccess);
    ASSERT_EQ(cudaHostAlloc(&pinned, 8, cudaHostAllocMapped), cudaSuccess);
    const auto type = [](const void* pointer) {
        cudaPointerAttributes attributes{};
        EXPECT_EQ(cudaPointerGetAttributes(&attributes, pointer), cudaSuccess);
        return attributes.type;
    };
    EXPECT_EQ(type(&host), cudaMemoryTypeUnregistered);
    EXPECT_EQ(type(device + 1), cudaMemoryTypeDevice);
    EXPECT_EQ(type(managed), cudaMemoryTypeManaged);
    EXPECT_EQ(type(pinned), cudaMemoryTypeHost);
    int* mapped = nullptr;
    EXPECT_EQ(cudaHostGetDevicePointer(&mapped, pinned, 0), cudaSuccess);
    EXPECT_EQ(mapped, pinned);
    EXPECT_EQ(cudaHostGetDevicePointer(&mapped, &host, 0), cudaErrorInvalidValue);
    EXPECT_EQ(cudaHostAlloc(&pinned, 8, 64), cudaErrorInvalidValue);
    cudaGetLastError();
}

TEST_F(MemoryTest, registered_memory_is_pinned) {
    std::vector<int> values(1000, 1);
    int* device = nullptr;
    ASSERT_EQ(cudaMalloc(&device, 4000), cudaSuccess);
    ASSERT_EQ(cudaHostRegister(values.data(), 4000, cudaHostRegisterDefault), cudaSuccess);
    EXPECT_EQ(cudaHostRegister(values.data(), 4000, cudaHostRegisterDefault),
              cudaErrorHostMemoryAlreadyRegistered);
    ASSERT_EQ(cudaMemcpyAsync(device, values.data(), 4000, cudaMemcpyHostToDevice), cudaSuccess);
    values[0] = 2;
    int first = 0;
    ASSERT_EQ(cudaMemcpy(&first, device, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(first, 2) << "read when the stream ran";
    EXPECT_EQ(cudaHostUnregister(values.data()), cudaSuccess);
    EXPECT_EQ(cudaHostUnregister(values.data()), cudaErrorHostMemoryNotRegistered);
    EXPECT_EQ(cudaGetLastError(), cudaErrorHostMemoryNotRegistered);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "not sticky";
}

TEST_F(MemoryTest, prefetching_is_for_managed_memory) {
    ManagedArray<int> managed(4);
    EXPECT_EQ(cudaMemPrefetchAsync(managed.data(), 16, 0), cudaSuccess);
    int host = 0;
    EXPECT_EQ(cudaMemPrefetchAsync(&host, 4, 0), cudaErrorInvalidValue);
    cudaGetLastError();
}

TEST_F(MemoryTest, many_allocations) {
    std::vector<int*> pointers(3000);
    for (int*& pointer : pointers) ASSERT_EQ(cudaMalloc(&pointer, 4096), cudaSuccess);
    for (int* pointer : pointers) ASSERT_EQ(cudaFree(pointer), cudaSuccess);
}

// Starts this program again, which then runs the test of this name as another process.
int run_process(const char* test, const char* handles) {
    const pid_t child = fork();
    if (child == 0) {
        setenv("TEST_HANDLES", handles, 1);
        const std::string filter = std::string("--gtest_filter=") + test;
        execl("/proc/self/exe", "memory_test", filter.c_str(), "--gtest_brief=1", nullptr);
        _exit(99);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string hexadecimal(const void* data, std::size_t bytes) {
    std::string text;
    char digits[3];
    for (std::size_t i = 0; i < bytes; ++i) {
        std::snprintf(digits, sizeof digits, "%02x", static_cast<const unsigned char*>(data)[i]);
        text += digits;
    }
    return text;
}

struct SharedHandles {
    cudaIpcMemHandle_t memory;
    cudaIpcEventHandle_t event;
};

constexpr int kShared = 100'000;

__global__ void add_kernel(int* values, int step) {
    for (int i = threadIdx.x; i < kShared; i += blockDim.x) values[i] += step;
}

TEST_F(MemoryTest, processes_share_memory_and_events) {
    int* values = nullptr;
    cudaEvent_t event;
    ASSERT_EQ(cudaMalloc(&values, kShared * sizeof(int)), cudaSuccess);
    const std::vector<int> start(kShared, 40);
    cudaMemcpy(values, start.data(), kShared * sizeof(int), cudaMemcpyHostToDevice);
    ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming),
              cudaSuccess);
    SharedHandles handles;
    ASSERT_EQ(cudaIpcGetMemHandle(&handles.memory, values), cudaSuccess);
    ASSERT_EQ(cudaIpcGetEventHandle(&handles.event, event), cudaSuccess);
    add_kernel<<<1, 64>>>(values, 1);
    ASSERT_EQ(cudaEventRecord(event), cudaSuccess);
    EXPECT_EQ(
        run_process("MemoryTest.another_process", hexadecimal(&handles, sizeof handles).c_str()),
        0);
    EXPECT_EQ(cudaEventSynchronize(event), cudaSuccess);
    std::vector<int> results(kShared);
    cudaMemcpy(results.data(), values, kShared * sizeof(int), cudaMemcpyDeviceToHost);
    EXPECT_EQ(results, std::vector<int>(kShared, 43));

    void* own = nullptr;
    EXPECT_EQ(cudaIpcOpenMemHandle(&own, handles.memory, cudaIpcMemLazyEnablePeerAccess),
              cudaErrorDeviceUninitialized);
    EXPECT_EQ(cudaIpcCloseMemHandle(values), cudaErrorInvalidValue);
    EXPECT_EQ(cudaIpcOpenMemHandle(&own, {}, 0), cudaErrorInvalidValue);
    cudaEvent_t plain;
    cudaIpcEventHandle_t handle;
    cudaEventCreate(&plain);
    EXPECT_EQ(cudaIpcGetEventHandle(&handle, plain), cudaErrorInvalidValue);
    int* managed = nullptr;
    cudaMallocManaged(&managed, 4);
    EXPECT_EQ(cudaIpcGetMemHandle(&handles.memory, managed), cudaErrorInvalidValue);
    cudaGetLastError();
}

// The other process of the test above.
TEST_F(MemoryTest, another_process) {
    const char* const text = std::getenv("TEST_HANDLES");
    if (text == nullptr) GTEST_SKIP();
    SharedHandles handles;
    for (std::size_t i = 0; i < sizeof handles; ++i) {
        unsigned byte = 0;
        std::sscanf(text + 2 * i, "%2x", &byte);
        reinterpret_cast<unsigned char*>(&handles)[i] = static_cast<unsigned char>(byte);
    }
    void* opened = nullptr;
    void* again = nullptr;
    cudaEvent_t event;
    ASSERT_EQ(cudaIpcOpenMemHandle(&opened, handles.memory, cudaIpcMemLazyEnablePeerAccess),
              cudaSuccess);
    ASSERT_EQ(cudaIpcOpenMemHandle(&again, handles.memory, cudaIpcMemLazyEnablePeerAccess),
              cudaSuccess);
    EXPECT_EQ(opened, again);
    ASSERT_EQ(cudaIpcOpenEventHandle(&event, handles.event), cudaSuccess);
    EXPECT_EQ(cudaStreamWaitEvent(nullptr, event), cudaSuccess);
    int last = 0;
    cudaMemcpy(&last, static_cast<int*>(opened) + kShared - 1, sizeof last, cudaMemcpyDeviceToHost);
    EXPECT_EQ(last, 41) << "the other process has recorded the event after its kernel";
    add_kernel<<<1, 64>>>(static_cast<int*>(opened), 2);
    EXPECT_EQ(cudaEventRecord(event), cudaSuccess);
    EXPECT_EQ(cudaIpcCloseMemHandle(again), cudaSuccess);
    EXPECT_EQ(cudaIpcCloseMemHandle(opened), cudaSuccess);
    EXPECT_EQ(cudaIpcCloseMemHandle(opened), cudaErrorInvalidValue);
    EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
    cudaGetLastError();
}

// A copy that is queued with pages that the host gives back: not read, and not written.
TEST_F(MemoryTest, host_memory_that_is_gone_is_named) {
    constexpr std::size_t kBytes = 1 << 20;
    char* device;
    ASSERT_EQ(cudaMalloc(&device, kBytes), cudaSuccess);
    for (const bool reads_host : {true, false}) {
        void* const host =
            ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        ASSERT_NE(host, MAP_FAILED);
        ASSERT_EQ(cudaHostRegister(host, kBytes, cudaHostRegisterDefault), cudaSuccess);
        const std::string said = messages_of([&] {
            cudaStream_t stream;
            EXPECT_EQ(cudaStreamCreate(&stream), cudaSuccess);
            EXPECT_EQ(cudaMemcpyAsync(reads_host ? device : host, reads_host ? host : device,
                                      kBytes, cudaMemcpyDefault, stream),
                      cudaSuccess);
            ::munmap(host, kBytes);
            EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorIllegalAddress);
        });
        EXPECT_NE(said.find("which was freed while the copy was queued"), std::string::npos)
            << said;
        cudaDeviceReset();
        ASSERT_EQ(cudaMalloc(&device, kBytes), cudaSuccess);
    }
}

}  // namespace
