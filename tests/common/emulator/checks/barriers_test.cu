// SPDX-License-Identifier: MIT
// Barriers in divergent branches.
#include <cuda_runtime.h>

#include "checks_test.hpp"

namespace {

constexpr int kThreads = 64;

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
                    FindingKind::barrier_divergence, kDeadlockBegin + 2, kDeadlockBegin + 4));
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

// Each half of the block meets at one barrier after the other, or all of it does.
__global__ void named_kernel(int* out, unsigned int id, unsigned int count) {
    out[threadIdx.x] = 1;
    __barrier_sync_count(id, count);
    out[kThreads - 1 - threadIdx.x] += 1;
    __barrier_sync(0);
}

TEST(BarrierChecks, barriers_by_number) {
    const auto run = [](unsigned int id, unsigned int count) {
        return findings_of(
            [&] { named_kernel<<<1, kThreads>>>(device_array<int>(kThreads), id, count); });
    };
    EXPECT_TRUE(is_silent(run(0, kThreads)));
    EXPECT_TRUE(is_silent(run(1, kThreads)));
    EXPECT_TRUE(has(run(0, kThreads / 2), FindingKind::race_in_block, 0));
}

}  // namespace
