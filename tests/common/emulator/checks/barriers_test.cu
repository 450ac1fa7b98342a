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

}  // namespace
