// SPDX-License-Identifier: MIT
// What is wrong with the sum of lengths of Gaudiani 2012: its barriers are inside the branch of the
// threads that have a bar. The CPU engine shows it, and with COURSE_COUNTING it names it. The
// kernel is written anew with the structure of the published one; that of stage 02 is right.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <vector>

#include "common/cuda/device_buffer.hpp"
#ifdef COURSE_COUNTING
#include "common/emulator/counting/output/findings.hpp"
#else
#include "tests/common/emulator/engine_test.hpp"
#endif

namespace {

using course::DeviceBuffer;

constexpr int kThreads = 64;

// Where the threads without a bar are. As published they have ended. Once a kernel does anything
// behind the branch, they wait at another barrier further down.
enum class Rest { kGone, kAtAnotherBarrier, kAtTheSameBarrier };

template <Rest kRest>
__global__ void sum_squares_kernel(const float* lengths, int count, float* total) {
    __shared__ float s_total;
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (kRest == Rest::kAtTheSameBarrier) {
        if (threadIdx.x == 0) s_total = 0;
        __syncthreads();
        if (i < count) atomicAdd(&s_total, lengths[i] * lengths[i]);
        __syncthreads();
    } else if (i < count) {
        if (threadIdx.x == 0) s_total = 0;
        __syncthreads();
        atomicAdd(&s_total, lengths[i] * lengths[i]);
        __syncthreads();
    } else if (kRest == Rest::kAtAnotherBarrier) {
        __syncthreads();
    }
    if (i < count && threadIdx.x == 0) atomicAdd(total, s_total);
}

// The sum of `count` lengths of 1, and the status of the launch.
template <Rest kRest>
cudaError_t sum(int count, float& total) {
    const std::vector<float> lengths(count, 1.0F);
    DeviceBuffer<float> d_lengths(count), d_total(1);
    cudaMemcpy(d_lengths.data(), lengths.data(), d_lengths.bytes(), cudaMemcpyHostToDevice);
    cudaMemset(d_total.data(), 0, d_total.bytes());
    sum_squares_kernel<kRest>
        <<<(count + kThreads - 1) / kThreads, kThreads>>>(d_lengths.data(), count, d_total.data());
    const cudaError_t error = cudaDeviceSynchronize();
    total = 0;
    cudaMemcpy(&total, d_total.data(), sizeof(float), cudaMemcpyDeviceToHost);
    return error;
}

#ifdef COURSE_COUNTING

namespace counting = emulator::counting;

template <Rest kRest>
bool divergence_is_named(int count) {
    counting::clear_findings();
    testing::internal::CaptureStderr();
    float total;
    sum<kRest>(count, total);
    cudaDeviceReset();
    testing::internal::GetCapturedStderr();
    const std::vector<counting::Finding> found = counting::findings();
    counting::clear_findings();  // the process is to end with 0
    for (const counting::Finding& finding : found) {
        if (finding.kind == counting::FindingKind::barrier_divergence) return true;
    }
    return false;
}

TEST(FaultySum, TheCorrectedFormIsSilent) {
    EXPECT_FALSE(divergence_is_named<Rest::kAtTheSameBarrier>(100));
}

TEST(FaultySum, BarriersInTheBranchAreNamed) {
    EXPECT_TRUE(divergence_is_named<Rest::kAtAnotherBarrier>(100));
    EXPECT_FALSE(divergence_is_named<Rest::kAtAnotherBarrier>(128));  // all threads have a bar
}

// No barrier waits for threads that have ended. That is why the fault did not show.
TEST(FaultySum, AsPublishedItIsRightIfNothingFollowsTheBranch) {
    EXPECT_FALSE(divergence_is_named<Rest::kGone>(100));
}

#else

class FaultySum : public EngineTest {};

TEST_F(FaultySum, TheCorrectedFormAddsUp) {
    float total;
    EXPECT_EQ(sum<Rest::kAtTheSameBarrier>(100, total), cudaSuccess);
    EXPECT_EQ(total, 100);
    EXPECT_EQ(sum<Rest::kGone>(100, total), cudaSuccess);
    EXPECT_EQ(total, 100);
}

#endif

}  // namespace
