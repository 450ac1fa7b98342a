// SPDX-License-Identifier: MIT
// volatile: it orders nothing between lanes, and initialises nothing. What signals is left alone.
#include <cuda_runtime.h>

#include <cuda/atomic>

#include "checks_test.hpp"

namespace {

constexpr int kThreads = 64;

// The last warp of a reduction as old textbooks have it: with `kSynced` as it should be.
NEXT_LINE(kTailBegin);
template <bool kSynced>
__global__ void tail_kernel(const int* in, int* out) {
    __shared__ volatile int s_sum[kThreads];
    const int t = threadIdx.x;
    s_sum[t] = in[t];
    __syncthreads();
    for (int distance = 32; t < 32 && distance > 0; distance /= 2) {
        const int other = s_sum[t + distance];
        if (kSynced) __syncwarp();
        s_sum[t] = s_sum[t] + other;
        if (kSynced) __syncwarp();
    }
    if (t == 0) *out = s_sum[0];
}

TEST(Volatile, a_reduction_by_a_warp_needs_syncwarp) {
    const auto run = [](auto kernel) {
        return findings_of(
            [&] { kernel<<<1, kThreads>>>(device_array<int>(kThreads), device_array<int>(1)); });
    };
    EXPECT_TRUE(is_silent(run(tail_kernel<true>)));
    const auto found = run(tail_kernel<false>);
    ASSERT_TRUE(has(found, FindingKind::race_in_block, 0));
    for (const Finding& finding : found) {
        EXPECT_GE(finding.actors[0].line.line, kTailBegin + 7);
        EXPECT_NE(finding.what.find("volatile orders nothing"), std::string::npos);
        EXPECT_NE(finding.advice.find("__syncwarp()"), std::string::npos) << finding.advice;
        EXPECT_NE(finding.advice.find("__shfl_down_sync()"), std::string::npos) << finding.advice;
    }
}

// A scan of a warp. Only the pointer is volatile.
__global__ void scan_kernel(int* values) {
    __shared__ int s_values[2 * 32];
    volatile int* s_own = s_values + 32 + threadIdx.x;
    s_values[threadIdx.x] = 0;
    *s_own = values[threadIdx.x];
    for (int distance = 1; distance < 32; distance *= 2) *s_own = *s_own + s_own[-distance];
    values[threadIdx.x] = *s_own;
}

// Other warps need a barrier.
__global__ void exchange_kernel(int* values) {
    __shared__ volatile int s_values[kThreads];
    s_values[threadIdx.x] = values[threadIdx.x];
    values[threadIdx.x] = s_values[kThreads - 1 - threadIdx.x];
}

TEST(Volatile, an_exchange_through_shared_memory_races) {
    EXPECT_TRUE(has(findings_of([] { scan_kernel<<<1, 32>>>(device_array<int>(32)); }),
                    FindingKind::race_in_block, 0));
    const auto found =
        findings_of([] { exchange_kernel<<<1, kThreads>>>(device_array<int>(kThreads)); });
    ASSERT_TRUE(has(found, FindingKind::race_in_block, 0));
    EXPECT_NE(found[0].advice.find("__syncthreads()"), std::string::npos) << found[0].advice;
}

// One warp sets a flag for another one. Nobody waits here, so that each order of the warps ends.
template <bool kFences>
__global__ void flag_kernel(int* out) {
    __shared__ volatile int s_flag;
    __shared__ int s_value;
    if (threadIdx.x == 0) s_flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        s_value = 7;
        if (kFences) __threadfence_block();
        s_flag = 1;
    } else if (threadIdx.x == 32) {
        const bool is_set = s_flag != 0;
        if (kFences) __threadfence_block();
        if (kFences && is_set) *out = s_value;
    }
}

// The same within a warp, whose lanes need __syncwarp() also with fences.
__global__ void flag_of_a_lane_kernel(int* out) {
    __shared__ volatile int s_values[32];
    s_values[threadIdx.x] = 1;
    __threadfence_block();
    out[threadIdx.x] = s_values[threadIdx.x ^ 1];
}

TEST(Volatile, a_flag_of_shared_memory_needs_a_fence_and_another_warp) {
    EXPECT_TRUE(
        is_silent(findings_of([] { flag_kernel<true><<<1, kThreads>>>(device_array<int>(1)); })));
    EXPECT_TRUE(has(findings_of([] { flag_kernel<false><<<1, kThreads>>>(device_array<int>(1)); }),
                    FindingKind::race_in_block, 0));
    EXPECT_TRUE(has(findings_of([] { flag_of_a_lane_kernel<<<1, 32>>>(device_array<int>(32)); }),
                    FindingKind::race_in_block, 0));
}

__global__ void atomic_object_kernel(int* out) {
    __shared__ int s_value;
    if (threadIdx.x == 0) s_value = 0;
    __syncthreads();
    cuda::atomic_ref<int, cuda::thread_scope_block> value(s_value);
    if (threadIdx.x == 3) value.store(1, cuda::memory_order_relaxed);
    out[threadIdx.x] = value.load(cuda::memory_order_relaxed);
}

__global__ void atomic_and_volatile_kernel(int* out) {
    __shared__ int s_count;
    if (threadIdx.x == 0) s_count = 0;
    __syncthreads();
    atomicAdd(&s_count, 1);
    out[threadIdx.x] = *static_cast<volatile int*>(&s_count);
}

TEST(Volatile, atomics_do_not_race) {
    EXPECT_TRUE(is_silent(
        findings_of([] { atomic_object_kernel<<<1, kThreads>>>(device_array<int>(kThreads)); })));
    EXPECT_TRUE(is_silent(findings_of(
        [] { atomic_and_volatile_kernel<<<1, kThreads>>>(device_array<int>(kThreads)); })));
}

NEXT_LINE(kUnwrittenBegin);
__global__ void unwritten_kernel(int* out) {
    __shared__ volatile int s_values[kThreads];
    if (threadIdx.x < 32) s_values[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = s_values[threadIdx.x];
}

TEST(Volatile, unwritten_memory_stays_unwritten) {
    EXPECT_TRUE(
        has(findings_of([] { unwritten_kernel<<<1, kThreads>>>(device_array<int>(kThreads)); }),
            FindingKind::uninitialised_shared, kUnwrittenBegin + 4));
}

}  // namespace
