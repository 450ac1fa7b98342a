// SPDX-License-Identifier: MIT
// Endless kernels of all kinds end at the time limit, and are named.
#include <cooperative_groups.h>
#include <cuda_awbarrier_primitives.h>

#include <cuda/barrier>
#include <utility>

#include "checks_test.hpp"
#include "common/emulator/process/settings.hpp"

namespace {

// The findings of a run with this time limit, and the error in which it ends.
template <class Function>
std::vector<Finding> findings_in_time(Function run, double limit, cudaError_t* error) {
    const emulator::Settings before = emulator::settings();
    emulator::Settings settings = before;
    settings.time_limit = limit;
    emulator::configure(settings);
    auto found = findings_of([&] {
        run();
        *error = cudaDeviceSynchronize();
    });
    emulator::configure(before);
    return found;
}

// Whether the run ends by this limit, at this line if it is not 0.
template <class Function>
testing::AssertionResult is_ended(Function run, int line, double limit = 0.1,
                                  const std::string& what = "the time limit of its block") {
    cudaError_t error = cudaSuccess;
    const auto found = findings_in_time(run, limit, &error);
    if (error != cudaErrorLaunchTimeout) {
        return testing::AssertionFailure() << cudaGetErrorName(error) << ": " << text_of(found);
    }
    if (found.size() != 1 || found.front().what.find(what) == std::string::npos) {
        return testing::AssertionFailure() << text_of(found);
    }
    return has(found, FindingKind::endless_kernel, line);
}

__global__ void short_kernel(int* data) { data[threadIdx.x] += 1; }

__global__ void finite_kernel(int* data) {
    for (int i = 0; i < 100; ++i) {
        short_kernel<<<1, 32>>>(data);
        __syncthreads();
    }
}

// The first test: later ones use up the time of the whole program.
TEST(TimeLimit, leaves_kernels_that_end) {
    cudaError_t error = cudaSuccess;
    EXPECT_TRUE(is_silent(
        findings_in_time([] { finite_kernel<<<1, 1>>>(device_array<int>(32)); }, 1, &error)));
    EXPECT_EQ(error, cudaSuccess);
}

// ---- Launches that never end, though each of their blocks does

__global__ void tail_kernel() { tail_kernel<<<1, 1, 0, cudaStreamTailLaunch>>>(); }

__global__ void binary_kernel(int depth) {
    if (depth == 0) return;
    binary_kernel<<<1, 1>>>(depth - 1);
    binary_kernel<<<1, 1>>>(depth - 1);
}

// No signal ends these: the time is looked at before each block. That of the grids is up before
// that of the program.
TEST(TimeLimit, ends_runaway_launches) {
    const std::string what = "the grids that device code has launched have run for 0.2 s";
    EXPECT_TRUE(is_ended([] { tail_kernel<<<1, 1>>>(); }, 0, 0.02, what));
    EXPECT_TRUE(is_ended([] { binary_kernel<<<1, 1>>>(100); }, 0, 0.02, what));
    // Over a longer time, there are moments in which no grid of the chain is at work.
    const std::string longer = "the grids that device code has launched have run for 3 s";
    EXPECT_TRUE(is_ended([] { tail_kernel<<<1, 1>>>(); }, 0, 0.3, longer));
}

// ---- Blocks that never end

__global__ void plain_kernel(volatile int* flag) {
    while (*flag == 0) {
    }
}

NEXT_LINE(kBarrierBegin);
__global__ void barrier_kernel(int* data) {
    // The student's mistake: half never becomes negative.
    for (int half = blockDim.x / 2; half >= 0; half /= 2) {
        if (static_cast<int>(threadIdx.x) < half) data[threadIdx.x] += data[threadIdx.x + half];
        __syncthreads();
    }
}

NEXT_LINE(kSyncwarpBegin);
__global__ void syncwarp_kernel(volatile int* flag) {
    while (*flag == 0) {
        __syncwarp();
    }
}

NEXT_LINE(kShuffleBegin);
__global__ void shuffle_kernel(const int* flag) {
    int value = 0;
    while (value == 0) {
        value = __shfl_down_sync(~0u, *flag, 1);
    }
}

NEXT_LINE(kVoteBegin);
__global__ void vote_kernel(const int* flag) {
    while (!__any_sync(~0u, *flag)) {
    }
}

NEXT_LINE(kActiveBegin);
__global__ void active_kernel(const int* flag) {
    while (*flag == 0) {
        static_cast<void>(__activemask());
    }
}

__global__ void group_kernel(const int* flag) {
    const auto block = cooperative_groups::this_thread_block();
    const auto tile = cooperative_groups::tiled_partition<16>(block);
    while (*flag == 0) {
        tile.sync();
        block.sync();
    }
}

__global__ void grid_kernel(const int* flag) {
    while (*flag == 0) {
        cooperative_groups::this_grid().sync();
    }
}

__global__ void mbarrier_kernel(const int* flag) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    while (*flag == 0) {
        barrier.arrive_and_wait();
    }
}

// One thread polls for ever, while another one goes on arriving.
__global__ void poll_kernel(const int* flag) {
    __shared__ __mbarrier_t polled;
    __shared__ __mbarrier_t other;
    if (threadIdx.x == 0) {
        __mbarrier_init(&polled, 2);
        __mbarrier_init(&other, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        while (*flag == 0) {
            static_cast<void>(__mbarrier_arrive(&other));
        }
    } else {
        const __mbarrier_token_t token = __mbarrier_arrive(&polled);
        while (!__mbarrier_test_wait(&polled, token)) {
        }
    }
}

TEST(TimeLimit, ends_each_kind_of_loop) {
    const auto flag = [] { return device_array<int>(64); };
    EXPECT_TRUE(is_ended([&] { plain_kernel<<<1, 1>>>(flag()); }, 0));
    EXPECT_TRUE(is_ended([&] { barrier_kernel<<<1, 32>>>(flag()); }, kBarrierBegin + 4));
    EXPECT_TRUE(is_ended([&] { syncwarp_kernel<<<1, 32>>>(flag()); }, kSyncwarpBegin + 2));
    EXPECT_TRUE(is_ended([&] { shuffle_kernel<<<1, 32>>>(flag()); }, kShuffleBegin + 3));
    EXPECT_TRUE(is_ended([&] { vote_kernel<<<1, 32>>>(flag()); }, kVoteBegin + 1));
    EXPECT_TRUE(is_ended([&] { active_kernel<<<1, 32>>>(flag()); }, kActiveBegin + 2));
    EXPECT_TRUE(is_ended([&] { group_kernel<<<1, 64>>>(flag()); }, 0));
    EXPECT_TRUE(is_ended([&] { mbarrier_kernel<<<1, 64>>>(flag()); }, 0));
    EXPECT_TRUE(is_ended([&] { poll_kernel<<<1, 2>>>(flag()); }, 0));
    EXPECT_TRUE(is_ended(
        [&] {
            int* data = flag();
            void* arguments[] = {&data};
            EXPECT_EQ(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(grid_kernel), dim3(2),
                                                  dim3(32), arguments),
                      cudaSuccess);
        },
        0));
}

// ---- A host that launches for ever. The last tests: the program's time is up after them.

TEST(TimeLimit, ends_the_launches_of_a_host) {
    const std::string what = "the program's kernels have run for 1.2 s";
    const auto repeat = [] {
        int* const data = device_array<int>(32);
        do {
            short_kernel<<<1, 32>>>(data);
        } while (cudaDeviceSynchronize() == cudaSuccess);
    };
    EXPECT_TRUE(is_ended(repeat, 0, 0.02, what));
    const auto launch_cooperative = [] {
        int* data = device_array<int>(32);
        void* arguments[] = {&data};
        static_cast<void>(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(short_kernel),
                                                      dim3(2), dim3(16), arguments));
    };
    EXPECT_TRUE(is_ended(launch_cooperative, 0, 0.02, what));
}

}  // namespace
