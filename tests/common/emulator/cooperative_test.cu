// SPDX-License-Identifier: MIT
// Cooperative grids: all blocks at once, and their barrier.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "engine_test.hpp"

namespace {

class CooperativeTest : public EngineTest {};

// Each block adds its neighbour's value of the previous round.
__global__ void ring_kernel(int* values, int* next, int rounds) {
    for (int round = 0; round < rounds; ++round) {
        if (threadIdx.x == 0) next[blockIdx.x] = values[(blockIdx.x + 1) % gridDim.x] + 1;
        emulator::grid_barrier();
        if (threadIdx.x == 0) values[blockIdx.x] = next[blockIdx.x];
        emulator::grid_barrier();
    }
}

cudaError_t launch_ring(int blocks, int threads, int rounds, std::vector<int>& result) {
    ManagedArray<int> values(blocks), next(blocks);
    for (int i = 0; i < blocks; ++i) values[i] = i;
    int* d_values = values.data();
    int* d_next = next.data();
    void* arguments[] = {&d_values, &d_next, &rounds};
    const cudaError_t error =
        cudaLaunchCooperativeKernel(ring_kernel, dim3(blocks), dim3(threads), arguments);
    if (error != cudaSuccess) return error;
    const cudaError_t outcome = cudaDeviceSynchronize();
    result = values.values();
    return outcome;
}

TEST_F(CooperativeTest, blocks_meet_in_every_schedule) {
    for (const char* schedule : kSchedules) {
        use_schedule(schedule);
        std::vector<int> values;
        ASSERT_EQ(launch_ring(7, 65, 5, values), cudaSuccess);
        for (int i = 0; i < 7; ++i) EXPECT_EQ(values[i], (i + 5) % 7 + 5) << schedule;
    }
}

TEST_F(CooperativeTest, a_thousand_blocks) {
    std::vector<int> values;
    ASSERT_EQ(launch_ring(1000, 32, 3, values), cudaSuccess);
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(values[i], (i + 3) % 1000 + 3);
}

TEST_F(CooperativeTest, a_grid_that_the_device_cannot_hold_is_refused) {
    std::vector<int> values;
    EXPECT_EQ(launch_ring(132 * 2 + 1, 1024, 1, values), cudaErrorCooperativeLaunchTooLarge);
    EXPECT_EQ(cudaGetLastError(), cudaErrorCooperativeLaunchTooLarge);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "not sticky";
    use_schedule("in-order", 1, "gtx980");
    EXPECT_EQ(launch_ring(1, 32, 1, values), cudaErrorNotSupported);
    cudaGetLastError();
}

TEST_F(CooperativeTest, by_launch_attribute) {
    ManagedArray<int> values(3, 10), next(3);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(3);
    config.blockDim = dim3(2);
    config.attrs = &attribute;
    config.numAttrs = 1;
    ASSERT_EQ(cudaLaunchKernelEx(&config, ring_kernel, values.data(), next.data(), 2), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(values.values(), std::vector<int>(3, 12));
}

TEST_F(CooperativeTest, an_ordinary_grid_has_no_barrier) {
    ManagedArray<int> values(2), next(2);
    ring_kernel<<<2, 32>>>(values.data(), next.data(), 1);
    const std::string said =
        messages_of([] { EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure); });
    EXPECT_TRUE(contains(said,
                         "ring_kernel, block (0,0,0), thread (0,0,0): waits for the whole grid, "
                         "which was not launched cooperatively"));
}

// The first and the last block wait for each other's flag. The engine does not see that they poll.
__global__ void polling_kernel(int* flags) {
    if (threadIdx.x > 0) return;
    volatile int* own = flags + blockIdx.x;
    volatile int* other = flags + (gridDim.x - 1 - blockIdx.x);
    *own = 1;
    while (*other == 0) {
    }
}

TEST_F(CooperativeTest, blocks_poll_in_every_schedule) {
    for (const char* schedule : kSchedules) {
        use_schedule(schedule);
        ManagedArray<int> flags(3);
        int* d_flags = flags.data();
        void* arguments[] = {&d_flags};
        ASSERT_EQ(cudaLaunchCooperativeKernel(polling_kernel, dim3(3), dim3(32), arguments),
                  cudaSuccess);
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << schedule;
    }
}

__global__ void some_blocks_kernel(int stay) {
    if (static_cast<int>(blockIdx.x) < stay) emulator::grid_barrier();
}

__global__ void failing_block_kernel() {
    if (blockIdx.x == 3) emulator::fail_kernel(719, "one block fails");
    emulator::grid_barrier();
}

__global__ void divergent_kernel() {
    if (threadIdx.x == 0) {
        emulator::grid_barrier();
    } else {
        __syncwarp();
        __syncwarp();
    }
}

TEST_F(CooperativeTest, a_block_that_returns_early_is_a_deadlock) {
    for (const char* schedule : kSchedules) {
        use_schedule(schedule);
        cudaDeviceReset();
        int stay = 4;
        void* arguments[] = {&stay};
        ASSERT_EQ(cudaLaunchCooperativeKernel(some_blocks_kernel, dim3(6), dim3(32), arguments),
                  cudaSuccess);
        const std::string said =
            messages_of([] { EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure); });
        EXPECT_TRUE(contains(said,
                             "some_blocks_kernel: deadlock, 4 of 6 blocks wait for ever at the "
                             "grid's barrier: the others have returned"));
    }
}

TEST_F(CooperativeTest, a_failing_block_frees_the_others) {
    ASSERT_EQ(cudaLaunchCooperativeKernel(failing_block_kernel, dim3(6), dim3(32), nullptr),
              cudaSuccess);
    const std::string said =
        messages_of([] { EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure); });
    EXPECT_TRUE(contains(said, "block (3,0,0), thread (0,0,0): one block fails"));
}

TEST_F(CooperativeTest, a_deadlock_inside_a_block_frees_the_others) {
    ASSERT_EQ(cudaLaunchCooperativeKernel(divergent_kernel, dim3(3), dim3(32), nullptr),
              cudaSuccess);
    const std::string said =
        messages_of([] { EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure); });
    EXPECT_TRUE(contains(said, "threads 0 at the grid's barrier"));
    EXPECT_TRUE(
        contains(said, "threads 1-31 in __syncwarp() with mask 0xffffffff, which threads 0 never"));
}

}  // namespace
