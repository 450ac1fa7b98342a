// SPDX-License-Identifier: MIT
// Grids launched by device code: order, limits, recursion, errors.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine_test.hpp"

namespace {

class DeviceLaunchTest : public EngineTest {};

struct Log {
    int count;
    int values[64];
};

__device__ void note(Log* log, int value) { log->values[atomicAdd(&log->count, 1)] = value; }

__global__ void note_kernel(Log* log, int value) { note(log, value); }

std::vector<int> noted(Log* log) { return {log->values, log->values + log->count}; }

__global__ void launch_all_ways_kernel(Log* log) {
    note(log, 0);
    note_kernel<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 90);
    note_kernel<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 91);
    note_kernel<<<1, 1>>>(log, 10);
    note_kernel<<<1, 1>>>(log, 11);
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    note_kernel<<<1, 1, 0, stream>>>(log, 20);
    note_kernel<<<1, 1, 0, stream>>>(log, 21);
    cudaStreamDestroy(stream);
    note_kernel<<<1, 1, 0, cudaStreamFireAndForget>>>(log, 30);
    note(log, 1);
}

TEST_F(DeviceLaunchTest, streams_keep_order_and_tail_launches_come_last) {
    bool child_inside_parent = false;
    bool child_after_parent = false;
    for (const char* schedule :
         {"in-order", "reversed", "shuffled:1", "shuffled:2", "shuffled:3"}) {
        use_schedule(schedule);
        ManagedArray<Log> log(1);
        launch_all_ways_kernel<<<1, 1>>>(log.data());
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        const std::vector<int> order = noted(log.data());
        ASSERT_EQ(order.size(), 9u) << schedule;
        const auto position = [&](int value) {
            return std::find(order.begin(), order.end(), value) - order.begin();
        };
        EXPECT_LT(position(10), position(11)) << schedule;
        EXPECT_LT(position(20), position(21)) << schedule;
        EXPECT_EQ(position(90), 7) << schedule;
        EXPECT_EQ(position(91), 8) << schedule;
        child_inside_parent |= position(1) > position(10);
        child_after_parent |= position(1) < position(10);
    }
    EXPECT_TRUE(child_inside_parent);
    EXPECT_TRUE(child_after_parent);
}

// Each block has a default stream of its own. The blocks take so long that other workers help, and
// the early ones longest.
__global__ void launch_from_blocks_kernel(Log* log) {
    volatile int spent = 0;
    for (int i = 0; i < 50000 * static_cast<int>(gridDim.x - blockIdx.x); ++i) spent = spent + 1;
    note_kernel<<<1, 1>>>(log, 100 * blockIdx.x + 1);
    note_kernel<<<1, 1>>>(log, 100 * blockIdx.x + 2);
}

TEST_F(DeviceLaunchTest, launches_of_parallel_blocks_run_in_a_fixed_order) {
    std::vector<int> first;
    for (int run = 0; run < 5; ++run) {
        use_schedule("in-order", 4);
        ManagedArray<Log> log(1);
        launch_from_blocks_kernel<<<8, 1>>>(log.data());
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        if (run == 0) first = noted(log.data());
        EXPECT_EQ(noted(log.data()), first);
    }
    EXPECT_TRUE(std::is_sorted(first.begin(), first.end()));
}

// A child that uses shared memory must not touch its parent's.
__global__ void shared_child_kernel(int* out) {
    __shared__ int s_values[32];
    s_values[threadIdx.x] = -1;
    __syncthreads();
    out[32] = s_values[31 - threadIdx.x];
}

__global__ void shared_parent_kernel(int* out) {
    __shared__ int s_values[32];
    s_values[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) shared_child_kernel<<<2, 32>>>(out);
    __syncthreads();
    out[threadIdx.x] = s_values[31 - threadIdx.x];
}

TEST_F(DeviceLaunchTest, a_child_that_runs_inside_its_parent_has_its_own_shared_memory) {
    for (const char* schedule : kSchedules) {
        use_schedule(schedule);
        ManagedArray<int> out(33);
        shared_parent_kernel<<<1, 32>>>(out.data());
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        for (int i = 0; i < 32; ++i) EXPECT_EQ(out[i], 31 - i) << schedule;
    }
}

__global__ void binary_tree_kernel(int depth, int* leaves) {
    if (depth == 0) {
        atomicAdd(leaves, 1);
        return;
    }
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    binary_tree_kernel<<<1, 1>>>(depth - 1, leaves);
    binary_tree_kernel<<<1, 1, 0, stream>>>(depth - 1, leaves);
    cudaStreamDestroy(stream);
}

TEST_F(DeviceLaunchTest, recursion_by_thousands) {
    for (const char* schedule : kSchedules) {
        use_schedule(schedule);
        ManagedArray<int> leaves(1);
        binary_tree_kernel<<<1, 1>>>(11, leaves.data());
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        EXPECT_EQ(leaves[0], 2048) << schedule;
    }
}

__global__ void deep_kernel(int depth, int* deepest) {
    __shared__ int s_depth[1];
    s_depth[0] = depth;
    atomicMax(deepest, depth);
    if (depth < 300) deep_kernel<<<1, 1, 0, cudaStreamFireAndForget>>>(s_depth[0] + 1, deepest);
}

TEST_F(DeviceLaunchTest, recursion_is_deep) {
    for (const char* schedule : kSchedules) {
        use_schedule(schedule);
        ManagedArray<int> deepest(1);
        deep_kernel<<<1, 1>>>(0, deepest.data());
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        EXPECT_EQ(deepest[0], 300) << schedule;
    }
}

// The controller of a loop on the device: work, then itself.
__global__ void controller_kernel(int* iterations, int most) {
    if (*iterations == most) return;
    *iterations += 1;
    controller_kernel<<<1, 1, 0, cudaStreamTailLaunch>>>(iterations, most);
}

TEST_F(DeviceLaunchTest, a_chain_of_tail_launches_has_no_limit) {
    for (const char* schedule : kSchedules) {
        use_schedule(schedule);
        ManagedArray<int> iterations(1);
        controller_kernel<<<1, 1>>>(iterations.data(), 20000);
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        EXPECT_EQ(iterations[0], 20000) << schedule;
    }
}

__global__ void count_kernel(int* count) { atomicAdd(count, 1); }

__global__ void launch_counted_kernel(int launches, int* count, int* refused) {
    for (int i = 0; i < launches; ++i) {
        count_kernel<<<1, 1, 0, cudaStreamFireAndForget>>>(count);
        if (cudaGetLastError() == cudaErrorLaunchPendingCountExceeded) *refused += 1;
    }
}

TEST_F(DeviceLaunchTest, the_pending_limit_refuses_and_may_be_raised) {
    ManagedArray<int> counts(2);
    launch_counted_kernel<<<1, 1>>>(3000, counts.data(), counts.data() + 1);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(counts[0], 2048);
    EXPECT_EQ(counts[1], 3000 - 2048);
    counts[0] = counts[1] = 0;
    ASSERT_EQ(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 3000), cudaSuccess);
    launch_counted_kernel<<<1, 1>>>(3000, counts.data(), counts.data() + 1);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(counts[0], 3000);
    EXPECT_EQ(counts[1], 0);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "the host does not see the device's error";
}

__global__ void bad_launches_kernel(int* errors) {
    count_kernel<<<1, 2000>>>(errors);
    errors[0] = cudaPeekAtLastError();
    errors[1] = cudaGetLastError();
    errors[2] = cudaGetLastError();
    count_kernel<<<1, 1, 0, cudaStreamLegacy>>>(errors);
    errors[3] = cudaGetLastError();
    cudaStream_t stream;
    errors[4] = cudaStreamCreateWithFlags(&stream, cudaStreamDefault);
    count_kernel<<<1, 1, 60 * 1024>>>(errors);
    cudaGetLastError();
}

TEST_F(DeviceLaunchTest, errors_belong_to_the_thread_that_launched) {
    ManagedArray<int> errors(5);
    bad_launches_kernel<<<1, 1>>>(errors.data());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(errors[0], cudaErrorInvalidConfiguration);
    EXPECT_EQ(errors[1], cudaErrorInvalidConfiguration);
    EXPECT_EQ(errors[2], cudaSuccess);
    EXPECT_EQ(errors[3], cudaErrorInvalidResourceHandle);
    EXPECT_EQ(errors[4], cudaErrorInvalidValue);
}

__global__ void failing_child_kernel() { emulator::fail_kernel(719, "the child fails"); }

__global__ void parent_of_failing_kernel(int* out) {
    failing_child_kernel<<<1, 1>>>();
    __syncthreads();
    *out = 1;
}

TEST_F(DeviceLaunchTest, a_failing_child_is_the_hosts_error) {
    for (const char* schedule : kSchedules) {
        use_schedule(schedule);
        cudaDeviceReset();
        ManagedArray<int> out(1);
        parent_of_failing_kernel<<<3, 2>>>(out.data());
        const std::string said =
            messages_of([] { EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure); });
        EXPECT_TRUE(
            contains(said, "failing_child_kernel, block (0,0,0), thread (0,0,0): the child fails"));
    }
}

}  // namespace
