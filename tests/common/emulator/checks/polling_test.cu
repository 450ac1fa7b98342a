// SPDX-License-Identifier: MIT
// The blocks of a cooperative grid are resident together, so one may wait for a flag that any other
// sets: whatever the schedule, both go on.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cuda/atomic>

#include "checks_test.hpp"
#include "common/emulator/counting/record/sampling.hpp"
#include "common/emulator/process/settings.hpp"

namespace {

constexpr int kBlocks = 5;
constexpr int kThreads = 64;

template <class Kernel, class... Arguments>
std::vector<Finding> findings_of_grid(int blocks, int threads, Kernel kernel,
                                      Arguments... arguments) {
    return findings_of([&] {
        void* pointers[] = {&arguments...};
        EXPECT_EQ(cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(threads), pointers),
                  cudaSuccess);
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    });
}

// Each block waits for its neighbour's flag, in both directions, and reads what came before it.
enum class Wait { by_volatile, by_atomic, by_object, by_warp, by_block };

template <Wait kWait>
__device__ void wait_for(int* flag, int value) {
    if constexpr (kWait == Wait::by_warp) {
        while (!__any_sync(~0u, *static_cast<volatile int*>(flag) >= value)) {
        }
    } else if constexpr (kWait == Wait::by_block) {
        while (!__syncthreads_or(*static_cast<volatile int*>(flag) >= value)) {
        }
    } else if (threadIdx.x == 0) {
        if constexpr (kWait == Wait::by_volatile) {
            while (*static_cast<volatile int*>(flag) < value) {
            }
        } else if constexpr (kWait == Wait::by_atomic) {
            while (atomicAdd(flag, 0) < value) __nanosleep(20);
        } else {
            cuda::atomic_ref<int, cuda::thread_scope_device> object(*flag);
            while (object.load(cuda::memory_order_acquire) < value) {
            }
        }
    }
    __threadfence();
    __syncthreads();
}

template <Wait kWait>
__global__ void ring_kernel(int* values, int* flags, int rounds) {
    const int next = (blockIdx.x + 1) % gridDim.x;
    const int before = (blockIdx.x + gridDim.x - 1) % gridDim.x;
    for (int round = 1; round <= rounds; ++round) {
        values[(round % 2 * gridDim.x + blockIdx.x) * kThreads + threadIdx.x] = round;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) atomicExch(&flags[blockIdx.x], round);
        wait_for<kWait>(&flags[next], round);
        wait_for<kWait>(&flags[before], round);
        const int at = (round % 2 * gridDim.x + next) * kThreads + threadIdx.x;
        if (values[at] != round) __trap();
    }
}

TEST(Polling, blocks_of_a_cooperative_grid_wait_for_each_other) {
    const auto run = [](auto kernel) {
        return findings_of_grid(kBlocks, kThreads, kernel,
                                device_array<int>(2 * kBlocks * kThreads),
                                device_array<int>(kBlocks), 3);
    };
    EXPECT_TRUE(is_silent(run(ring_kernel<Wait::by_volatile>)));
    EXPECT_TRUE(is_silent(run(ring_kernel<Wait::by_atomic>)));
    EXPECT_TRUE(is_silent(run(ring_kernel<Wait::by_object>)));
    EXPECT_TRUE(is_silent(run(ring_kernel<Wait::by_warp>)));
    EXPECT_TRUE(is_silent(run(ring_kernel<Wait::by_block>)));
}

// After the first launch, only one block is recorded and checked; the others must pass their turns
// as well.
TEST(Polling, blocks_that_are_not_recorded_let_others_run) {
    const std::uint64_t before = counting::budget();
    for (int launch = 0; launch < 2; ++launch) {
        EXPECT_TRUE(is_silent(findings_of_grid(kBlocks, kThreads, ring_kernel<Wait::by_volatile>,
                                               device_array<int>(2 * kBlocks * kThreads),
                                               device_array<int>(kBlocks), 2)));
        counting::set_budget(1000);
    }
    counting::set_budget(before);
}

// A barrier made by hand, at which each thread of the grid counts itself and polls. Some blocks
// wait at the grid's own barrier meanwhile.
__global__ void counting_kernel(int* arrived, int* values, bool own_barrier_first) {
    const auto grid = cooperative_groups::this_grid();
    if (own_barrier_first) grid.sync();
    const int all = static_cast<int>(gridDim.x * blockDim.x);
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    values[i] = i;
    __threadfence();
    atomicAdd(arrived, 1);
    while (*static_cast<volatile int*>(arrived) < all) {
    }
    __threadfence();
    if (values[all - 1 - i] != all - 1 - i) __trap();
    grid.sync();
}

TEST(Polling, all_threads_of_a_grid_may_poll_one_counter) {
    for (const bool own_barrier_first : {false, true}) {
        EXPECT_TRUE(
            is_silent(findings_of_grid(kBlocks, kThreads, counting_kernel, device_array<int>(1),
                                       device_array<int>(kBlocks * kThreads), own_barrier_first)));
    }
}

// The threads of a block are resident together in any launch.
__global__ void threads_kernel(int* flag, int* out) {
    if (threadIdx.x == 5 || threadIdx.x == 40) {
        while (*static_cast<volatile int*>(flag) == 0) {
        }
        __threadfence();
        atomicAdd(out, 1);
    } else if (threadIdx.x == 20 || threadIdx.x == 63) {
        __threadfence();
        *static_cast<volatile int*>(flag) = 1;
    }
}

TEST(Polling, threads_of_a_block_wait_for_each_other) {
    EXPECT_TRUE(is_silent(findings_of([] {
        threads_kernel<<<1, kThreads>>>(device_array<int>(1), device_array<int>(1));
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    })));
}

// One block has arrived at the grid's barrier; the other one must be let through to it.
__global__ void waiting_kernel(int* flag) {
    if (blockIdx.x % 2 == 0 && threadIdx.x == 0) {
        while (*static_cast<volatile int*>(flag) < 2) {
        }
    } else if (blockIdx.x % 2 == 1 && threadIdx.x == 0) {
        atomicAdd(flag, 1);
    }
    cooperative_groups::this_grid().sync();
}

TEST(Polling, blocks_at_the_barrier_of_the_grid_get_no_turn) {
    EXPECT_TRUE(is_silent(findings_of_grid(4, 32, waiting_kernel, device_array<int>(1))));
}

// Without a fence before the flag, the data race: turns hide nothing.
__global__ void unfenced_kernel(int* data, int* flag, int* out) {
    if (blockIdx.x == 0) {
        data[0] = 1;
        *static_cast<volatile int*>(flag) = 1;
    } else {
        while (*static_cast<volatile int*>(flag) == 0) {
        }
        out[0] = data[0];
    }
}

TEST(Polling, a_flag_without_a_fence_is_a_race) {
    const auto found = findings_of_grid(2, 1, unfenced_kernel, device_array<int>(1),
                                        device_array<int>(1), device_array<int>(1));
    EXPECT_TRUE(has(found, FindingKind::race_between_blocks, 0));
}

// Nobody sets the flag: each block waits, and the time of all of them counts.
NEXT_LINE(kEndlessBegin);
__global__ void endless_kernel(int* flag) {
    while (*static_cast<volatile int*>(flag) == 0) {
    }
}

TEST(Polling, a_flag_that_nobody_sets_is_an_endless_kernel) {
    const emulator::Settings before = emulator::settings();
    emulator::Settings settings = before;
    settings.time_limit = 0.05;
    emulator::configure(settings);
    int* flag = device_array<int>(1);
    int blocks = 40;
    const auto found = findings_of([&] {
        void* arguments[] = {&flag};
        cudaLaunchCooperativeKernel(endless_kernel, dim3(blocks), dim3(32), arguments);
        EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchTimeout);
    });
    emulator::configure(before);
    EXPECT_EQ(found.size(), 1u);
    EXPECT_TRUE(has(found, FindingKind::endless_kernel, kEndlessBegin + 1));
}

}  // namespace
