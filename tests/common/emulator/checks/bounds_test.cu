// SPDX-License-Identifier: MIT
// Memory out of bounds, freed memory and host memory.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstring>

#include "checks_test.hpp"

namespace {

constexpr int kThreads = 64;

NEXT_LINE(kWriteBegin);
__global__ void write_kernel(int* out, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = i;
}

TEST(MemoryChecks, one_element_too_many) {
    // After 100 ints there are 112 bytes up to the next multiple of 256. No page protects them.
    EXPECT_TRUE(
        is_silent(findings_of([] { write_kernel<<<2, kThreads>>>(device_array<int>(100), 100); })));
    const auto found =
        findings_of([] { write_kernel<<<2, kThreads>>>(device_array<int>(100), 101); });
    ASSERT_TRUE(has(found, FindingKind::out_of_bounds, kWriteBegin + 2));
    EXPECT_EQ(found[0].actors[0].block, 1);
    EXPECT_EQ(found[0].actors[0].thread, 100 - kThreads);
    EXPECT_NE(found[0].what.find("0 bytes past the end of allocation"), std::string::npos)
        << found[0].what;
}

__global__ void before_kernel(int* out) { out[static_cast<int>(threadIdx.x) - 1] = 0; }

TEST(MemoryChecks, one_element_too_few) {
    const auto found = findings_of([] {
        device_array<int>(10);
        before_kernel<<<1, kThreads>>>(device_array<int>(100));
    });
    ASSERT_TRUE(has(found, FindingKind::out_of_bounds, 0));
    EXPECT_NE(found[0].what.find("4 bytes before allocation"), std::string::npos) << found[0].what;
}

TEST(MemoryChecks, freed) {
    const auto found = findings_of([] {
        int* data = device_array<int>(100);
        cudaFree(data);
        write_kernel<<<1, kThreads>>>(data, 100);
    });
    EXPECT_TRUE(has(found, FindingKind::use_after_free, kWriteBegin + 2));
}

TEST(MemoryChecks, host_pointer) {
    const auto found = findings_of([] {
        std::vector<int> values(100);
        write_kernel<<<1, kThreads>>>(values.data(), 100);
        cudaDeviceSynchronize();
    });
    EXPECT_TRUE(has(found, FindingKind::host_pointer, kWriteBegin + 2));
}

NEXT_LINE(kFunctionsBegin);
__global__ void functions_kernel(int* data, int what) {
    if (what == 0) atomicAdd(data, 1);
    if (what == 1) atomicMax(data, 1);
    if (what == 2) data[1] = __ldg(data);
    if (what == 3) data[1] = std::max(data[0], 3);
    if (what == 4) memset(data, 0, 8);
}

TEST(MemoryChecks, host_pointer_to_a_function) {
    for (int what = 0; what < 5; ++what) {
        EXPECT_TRUE(is_silent(
            findings_of([=] { functions_kernel<<<1, 1>>>(device_array<int>(2), what); })));
        std::vector<int> values(2);
        const auto found = findings_of([&] {
            functions_kernel<<<1, 1>>>(values.data(), what);
            cudaDeviceSynchronize();
        });
        EXPECT_TRUE(has(found, FindingKind::host_pointer, kFunctionsBegin + 1 + what));
    }
}

TEST(MemoryChecks, memory_that_both_sides_may_use) {
    EXPECT_TRUE(is_silent(findings_of([] {
        int* managed = nullptr;
        int* pinned = nullptr;
        cudaMallocManaged(&managed, 100 * sizeof(int));
        cudaMallocHost(&pinned, 100 * sizeof(int));
        std::vector<int> registered(100);
        cudaHostRegister(registered.data(), 100 * sizeof(int), cudaHostRegisterDefault);
        for (int i = 0; i < 100; ++i) managed[i] = pinned[i] = registered[i] = i;
        for (int* data : {managed, pinned, registered.data()}) {
            write_kernel<<<2, kThreads>>>(data, 100);
        }
        cudaDeviceSynchronize();
        for (int i = 0; i < 100; ++i) EXPECT_EQ(managed[i] + pinned[i] + registered[i], 3 * i);
        cudaHostUnregister(registered.data());
    })));
}

template <int kSize>
__global__ void shared_kernel(int* out, int index) {
    __shared__ int s_first[kSize];
    __shared__ int s_second[kSize];
    const int t = threadIdx.x;
    if (t < kSize) s_first[t] = s_second[t] = t;
    __syncthreads();
    if (t == 0) out[0] = s_first[index] + s_second[index];
}

TEST(MemoryChecks, static_shared_memory) {
    EXPECT_TRUE(
        is_silent(findings_of([] { shared_kernel<9><<<1, kThreads>>>(device_array<int>(1), 8); })));
    for (const int index : {9, -1, 40}) {
        const auto found =
            findings_of([&] { shared_kernel<9><<<1, kThreads>>>(device_array<int>(1), index); });
        EXPECT_TRUE(has(found, FindingKind::out_of_bounds, 0)) << index;
    }
    const auto found =
        findings_of([] { shared_kernel<9><<<1, kThreads>>>(device_array<int>(1), 9); });
    EXPECT_NE(found.at(0).what.find("0 bytes past the end of s_"), std::string::npos)
        << found[0].what;
}

// g++ places a template's variables between the thread-local variables of the engine.
template <class T>
__global__ void template_kernel(int index, int what) {
    __shared__ T s_values[32];
    s_values[threadIdx.x] = T(threadIdx.x);
    __syncthreads();
    if (threadIdx.x != 0) return;
    if (what == 0) s_values[index] = T(1);
    if (what == 1) atomicAdd(&s_values[index], T(1));
    if (what == 2) s_values[0] += s_values[index];
}

TEST(MemoryChecks, shared_memory_of_a_template) {
    EXPECT_TRUE(is_silent(findings_of([] {
        for (int what = 0; what < 3; ++what) template_kernel<float><<<1, 32>>>(31, what);
    })));
    // After 512 bytes the next variable of the program may follow.
    for (const int index : {-1, 32, 33, 40, 100, 127}) {
        for (int what = 0; what < 3; ++what) {
            const auto found = findings_of([&] {
                template_kernel<float><<<1, 32>>>(index, what);
                template_kernel<int><<<1, 32>>>(index, what);
            });
            ASSERT_TRUE(has(found, FindingKind::out_of_bounds, 0)) << index;
            EXPECT_NE(found[0].what.find(" s_"), std::string::npos) << found[0].what;
        }
    }
}

}  // namespace

// They need external linkage: g++ would otherwise know that nobody writes them, and use their
// values.
__constant__ float c_weights[5];
__device__ float d_weights[5];

namespace {

__global__ void weights_kernel(float* out, int index, bool constant) {
    out[threadIdx.x] = constant ? c_weights[index] : d_weights[index];
}

TEST(MemoryChecks, variables_of_the_executable) {
    for (const bool constant : {false, true}) {
        EXPECT_TRUE(is_silent(
            findings_of([&] { weights_kernel<<<1, 1>>>(device_array<float>(1), 4, constant); })));
        const auto found =
            findings_of([&] { weights_kernel<<<1, 1>>>(device_array<float>(1), 5, constant); });
        ASSERT_TRUE(has(found, FindingKind::out_of_bounds, 0));
        EXPECT_NE(found[0].what.find("0 bytes past the end of"), std::string::npos)
            << found[0].what;
    }
}

// One size that g++ does not know, and one that it would expand.
NEXT_LINE(kCopyBegin);
__global__ void copy_kernel(char* out, const char* in, int bytes) {
    if (threadIdx.x == 0) memcpy(out, in, bytes);
    if (threadIdx.x == 1) std::memcpy(out + bytes, in + bytes, 40);
    if (threadIdx.x == 2) memset(out + bytes + 40, 1, bytes);
    if (threadIdx.x == 3) memmove(out + 2 * bytes + 40, in, 7);
}

TEST(MemoryChecks, library_functions) {
    std::vector<char> values(247);
    EXPECT_TRUE(is_silent(findings_of([&] {
        char* out = device_array<char>(247);
        char* in = device_array<char>(247, 3);
        copy_kernel<<<1, 32>>>(out, in, 100);
        cudaMemcpy(values.data(), out, 247, cudaMemcpyDeviceToHost);
    })));
    for (int i = 0; i < 247; ++i) EXPECT_EQ(values[i], i < 140 || i >= 240 ? 3 : 1) << i;
    const auto copied = [](int out, int in, int bytes) {
        return findings_of(
            [=] { copy_kernel<<<1, 1>>>(device_array<char>(out), device_array<char>(in), bytes); });
    };
    EXPECT_TRUE(has(copied(99, 100, 100), FindingKind::out_of_bounds, kCopyBegin + 1));
    EXPECT_TRUE(has(copied(100, 99, 100), FindingKind::out_of_bounds, kCopyBegin + 1));
    // Only the last thread goes too far.
    const auto of_threads = [](int threads, int bytes) {
        return findings_of([=] {
            char* in = device_array<char>(247);
            copy_kernel<<<1, threads>>>(device_array<char>(bytes), in, 100);
        });
    };
    EXPECT_TRUE(has(of_threads(2, 139), FindingKind::out_of_bounds, kCopyBegin + 2));
    EXPECT_TRUE(has(of_threads(3, 239), FindingKind::out_of_bounds, kCopyBegin + 3));
    EXPECT_TRUE(has(of_threads(4, 246), FindingKind::out_of_bounds, kCopyBegin + 4));
}

__global__ void dynamic_kernel(int* out, int index) {
    extern __shared__ int s_values[];
    s_values[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) *out = s_values[index];
}

TEST(MemoryChecks, dynamic_shared_memory) {
    constexpr int kBytes = kThreads * sizeof(int);
    EXPECT_TRUE(is_silent(
        findings_of([] { dynamic_kernel<<<1, kThreads, kBytes>>>(device_array<int>(1), 63); })));
    for (const int index : {64, -1}) {
        EXPECT_TRUE(has(findings_of([&] {
                            dynamic_kernel<<<1, kThreads, kBytes>>>(device_array<int>(1), index);
                        }),
                        FindingKind::out_of_bounds, 0));
    }
}

NEXT_LINE(kSeveralBegin);
__global__ void several_kernel(int* out) {
    __shared__ int s_first[kThreads], s_second[kThreads];
    s_first[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = s_first[kThreads - 1 - threadIdx.x];
    __syncthreads();
    out[threadIdx.x] += s_second[threadIdx.x];
    out[kThreads + threadIdx.x / 2] = threadIdx.x;
}

TEST(Findings, several_in_one_run) {
    const auto found = findings_of([] {
        int* out = device_array<int>(2 * kThreads);
        for (int i = 0; i < 2; ++i) several_kernel<<<1, kThreads>>>(out);
        write_kernel<<<3, kThreads>>>(out, 3 * kThreads);
    });
    EXPECT_TRUE(has(found, FindingKind::race_in_block, kSeveralBegin + 3, kSeveralBegin + 2));
    EXPECT_TRUE(has(found, FindingKind::race_in_block, kSeveralBegin + 2, kSeveralBegin + 3));
    EXPECT_TRUE(has(found, FindingKind::uninitialised_shared, kSeveralBegin + 5));
    EXPECT_TRUE(has(found, FindingKind::race_in_block, kSeveralBegin + 6, kSeveralBegin + 6));
    EXPECT_TRUE(has(found, FindingKind::out_of_bounds, kWriteBegin + 2));
    EXPECT_EQ(found.size(), 5u) << text_of(found);
}

}  // namespace
