// SPDX-License-Identifier: MIT
// Out of bounds, freed, uninitialised and host memory, barriers in branches, endless kernels.
#include <cuda_runtime.h>

#include "checks_test.hpp"
#include "common/emulator/settings.hpp"

namespace {

constexpr int kThreads = 64;

NEXT_LINE(kWriteBegin);
__global__ void write_kernel(int* out, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = i;
}

TEST(MemoryChecks, one_element_too_many) {
    // 100 ints leave 112 bytes up to the next multiple of 256: no page protects them.
    EXPECT_TRUE(
        is_silent(findings_of([] { write_kernel<<<2, kThreads>>>(device_array<int>(100), 100); })));
    const auto found =
        findings_of([] { write_kernel<<<2, kThreads>>>(device_array<int>(100), 101); });
    ASSERT_TRUE(has(found, FindingKind::out_of_bounds, kWriteBegin + 2));
    EXPECT_EQ(found[0].actors[0].block, 1);
    EXPECT_EQ(found[0].actors[0].thread, 100 - kThreads);
    EXPECT_NE(found[0].what.find("0 bytes behind allocation"), std::string::npos) << found[0].what;
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
    EXPECT_NE(found.at(0).what.find("0 bytes behind s_"), std::string::npos) << found[0].what;
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

NEXT_LINE(kUnwrittenBegin);
__global__ void unwritten_kernel(float* out, int written) {
    __shared__ float s_values[kThreads];
    if (static_cast<int>(threadIdx.x) < written) s_values[threadIdx.x] = 1.0f;
    __syncthreads();
    out[threadIdx.x] = s_values[threadIdx.x];
}

TEST(MemoryChecks, uninitialised_shared_memory) {
    EXPECT_TRUE(is_silent(findings_of(
        [] { unwritten_kernel<<<1, kThreads>>>(device_array<float>(kThreads), kThreads); })));
    const auto found = findings_of(
        [] { unwritten_kernel<<<1, kThreads>>>(device_array<float>(kThreads), kThreads - 1); });
    ASSERT_TRUE(has(found, FindingKind::uninitialised_shared, kUnwrittenBegin + 4));
    EXPECT_EQ(found[0].actors[0].thread, kThreads - 1);
    // What an earlier block wrote is not this one's.
    EXPECT_TRUE(has(findings_of([] {
                        unwritten_kernel<<<1, kThreads>>>(device_array<float>(kThreads), kThreads);
                        unwritten_kernel<<<1, kThreads>>>(device_array<float>(kThreads), 0);
                    }),
                    FindingKind::uninitialised_shared, kUnwrittenBegin + 4));
}

NEXT_LINE(kBranchBegin);
__global__ void branch_kernel(int* out) {
    if (threadIdx.x < 32) {
        out[threadIdx.x] = 1;
        __syncthreads();
    } else {
        __syncthreads();
    }
    out[threadIdx.x] = 2;
}

TEST(BarrierChecks, two_barriers_for_one) {
    EXPECT_TRUE(
        has(findings_of([] { branch_kernel<<<1, kThreads>>>(device_array<int>(kThreads)); }),
            FindingKind::barrier_divergence, kBranchBegin + 3, kBranchBegin + 5));
}

NEXT_LINE(kDeadlockBegin);
__global__ void deadlock_kernel() {
    if (threadIdx.x < 16) {
        __syncwarp();
    } else {
        __syncthreads();
    }
}

TEST(BarrierChecks, threads_that_wait_for_ever) {
    EXPECT_TRUE(has(findings_of([] { deadlock_kernel<<<1, 32>>>(); }),
                    FindingKind::barrier_divergence, kDeadlockBegin + 4));
}

__global__ void loop_kernel(int* out, int count) {
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        out[i % kThreads] = i;
        __syncthreads();
    }
}

TEST(BarrierChecks, the_same_barrier_in_a_loop) {
    EXPECT_TRUE(is_silent(
        findings_of([] { loop_kernel<<<1, kThreads>>>(device_array<int>(kThreads), 256); })));
}

NEXT_LINE(kEndlessBegin);
__global__ void endless_kernel(volatile int* flag) {
    while (*flag == 0) {
    }
}

TEST(TimeLimit, ends_an_endless_kernel) {
    emulator::Settings settings = emulator::settings();
    const double before = std::exchange(settings.time_limit, 0.2);
    emulator::configure(settings);
    cudaError_t error = cudaSuccess;
    const auto found = findings_of([&] {
        endless_kernel<<<1, 1>>>(device_array<int>(1));
        error = cudaDeviceSynchronize();
    });
    settings.time_limit = before;
    emulator::configure(settings);
    EXPECT_EQ(error, cudaErrorLaunchTimeout);
    EXPECT_TRUE(has(found, FindingKind::endless_kernel, 0));
}

}  // namespace
