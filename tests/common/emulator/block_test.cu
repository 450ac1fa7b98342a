// SPDX-License-Identifier: MIT
// Threads of a block: indices, barriers, shared memory.
#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <set>

#include "engine_test.hpp"

namespace {

class BlockTest : public EngineTest {};

__global__ void write_indices_kernel(int* out) {
    const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const int i = block * blockDim.x * blockDim.y * blockDim.z + thread;
    atomicAdd(&out[i], 1 + i);
}

TEST_F(BlockTest, every_thread_runs_once_in_every_schedule) {
    for (const char* schedule : kSchedules) {
        for (const int workers : {1, 3}) {
            use_schedule(schedule, workers);
            const dim3 grid(5, 3, 2);
            const dim3 block(7, 4, 3);
            const int count = 30 * 84;
            ManagedArray<int> out(count);
            write_indices_kernel<<<grid, block>>>(out.data());
            ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
            for (int i = 0; i < count; ++i) ASSERT_EQ(out[i], 1 + i) << schedule;
        }
    }
}

TEST_F(BlockTest, a_large_grid_is_shared_among_workers) {
    use_schedule("in-order", 4);
    const int blocks = 20000;
    ManagedArray<int> out(blocks * 32);
    write_indices_kernel<<<blocks, 32>>>(out.data());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (int i = 0; i < blocks * 32; ++i) ASSERT_EQ(out[i], 1 + i);
}

// Each thread reads its neighbour's value of the previous round.
__global__ void rotate_kernel(int* out, int rounds) {
    __shared__ int s_values[1024];
    const int thread = threadIdx.x;
    s_values[thread] = thread;
    __syncthreads();
    for (int round = 0; round < rounds; ++round) {
        const int next = s_values[(thread + 1) % blockDim.x];
        __syncthreads();
        s_values[thread] = next;
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + thread] = s_values[thread];
}

TEST_F(BlockTest, barriers_separate_rounds) {
    for (const char* schedule : kSchedules) {
        use_schedule(schedule, 2);
        for (const int threads : {1, 2, 31, 32, 33, 100, 1024}) {
            ManagedArray<int> out(3 * threads);
            rotate_kernel<<<3, threads>>>(out.data(), 5);
            ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
            for (int i = 0; i < 3 * threads; ++i) {
                ASSERT_EQ(out[i], (i % threads + 5) % threads) << schedule << " " << threads;
            }
        }
    }
}

__global__ void barrier_results_kernel(int* out) {
    const int thread = threadIdx.x;
    const int odd = __syncthreads_count(thread % 2);
    const int all = __syncthreads_and(thread >= 0);
    const int not_all = __syncthreads_and(thread != 7);
    const int any = __syncthreads_or(thread == 7 ? 256 : 0);
    const int none = __syncthreads_or(thread < 0);
    out[thread] =
        odd * 10000 + (all != 0) * 1000 + (not_all != 0) * 100 + (any != 0) * 10 + (none != 0);
}

TEST_F(BlockTest, barriers_give_count_all_and_any) {
    ManagedArray<int> out(50);
    barrier_results_kernel<<<1, 50>>>(out.data());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (int i = 0; i < 50; ++i) EXPECT_EQ(out[i], 251010);
}

__global__ void early_return_kernel(int* out) {
    if (threadIdx.x % 3 == 0) return;
    out[threadIdx.x] = __syncthreads_count(1);
    if (threadIdx.x % 3 == 1) return;
    out[threadIdx.x] += 1000 * __syncthreads_count(1);
}

TEST_F(BlockTest, threads_that_returned_do_not_count_at_a_barrier) {
    for (const char* schedule : kSchedules) {
        use_schedule(schedule);
        ManagedArray<int> out(90);
        early_return_kernel<<<1, 90>>>(out.data());
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        for (int i = 0; i < 90; ++i) {
            EXPECT_EQ(out[i], i % 3 == 0 ? 0 : i % 3 == 1 ? 60 : 30060) << schedule;
        }
    }
}

__global__ void divergent_barrier_kernel() {
    if (threadIdx.x < 32) {
        __syncthreads();
    } else if (threadIdx.x < 40) {
        __shfl_sync(0xffff, 1, 0);
    }
}

TEST_F(BlockTest, lanes_that_returned_are_not_waited_for) {
    divergent_barrier_kernel<<<3, 64>>>();
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

__global__ void half_barrier_kernel() {
    if (threadIdx.x < 48) {
        __syncthreads();
    } else {
        __shfl_sync(0xffffffff, 1, 0);
        __syncthreads();
    }
}

TEST_F(BlockTest, a_deadlock_names_barrier_mask_and_missing_lanes) {
    half_barrier_kernel<<<3, 64>>>();
    const std::string said =
        messages_of([] { EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure); });
    EXPECT_TRUE(contains(said, "half_barrier_kernel, block (0,0,0): deadlock, 64 of 64 threads"));
    EXPECT_TRUE(contains(said, "threads 0-47 at __syncthreads()"));
    EXPECT_TRUE(contains(said,
                         "threads 48-63 in __shfl_sync() with mask 0xffffffff, which threads "
                         "32-47 never reached"));
    EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchFailure);
    EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchFailure) << "sticky";
    void* pointer = nullptr;
    EXPECT_EQ(cudaMalloc(&pointer, 4), cudaErrorLaunchFailure) << "sticky";
    cudaDeviceReset();
    EXPECT_EQ(cudaMalloc(&pointer, 4), cudaSuccess);
    // The worker whose fibers were abandoned works as before.
    ManagedArray<int> out(64);
    rotate_kernel<<<1, 64>>>(out.data(), 1);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(out[63], 0);
}

__global__ void mixed_barriers_kernel() {
    if (threadIdx.x < 32) {
        __syncthreads();
    } else {
        __syncthreads_count(1);
    }
}

TEST_F(BlockTest, barriers_of_two_kinds_are_an_error) {
    mixed_barriers_kernel<<<1, 64>>>();
    const std::string said =
        messages_of([] { EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure); });
    EXPECT_TRUE(contains(said,
                         "thread (32,0,0): reached __syncthreads_count() while other threads of "
                         "the block wait at __syncthreads()"));
}

// ---- Shared memory

__global__ void shared_vectors_kernel(float* out) {
    __shared__ float4 s_vectors[32];
    __shared__ int2 s_pairs[32], s_other;
    s_vectors[threadIdx.x] = make_float4(threadIdx.x, 1, 2, 3);
    s_pairs[threadIdx.x] = make_int2(threadIdx.x, 5);
    if (threadIdx.x == 0) s_other = make_int2(7, 8);
    __syncthreads();
    const int mirror = 31 - threadIdx.x;
    out[threadIdx.x] = s_vectors[mirror].x + s_vectors[mirror].w + s_pairs[mirror].y + s_other.y;
}

TEST_F(BlockTest, shared_variables_may_be_vectors) {
    ManagedArray<float> out(32);
    shared_vectors_kernel<<<1, 32>>>(out.data());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (int i = 0; i < 32; ++i) EXPECT_EQ(out[i], 31 - i + 3 + 5 + 8);
}

__global__ void read_unwritten_shared_kernel(float* out, int* outcome) {
    __shared__ float s_value;
    extern __shared__ int s_dynamic[];
    out[blockIdx.x] = s_value;
    outcome[blockIdx.x] = s_dynamic[3];
    s_value = 1.0f;
    s_dynamic[3] = 1;
}

TEST_F(BlockTest, shared_memory_is_poisoned_at_the_start_of_each_block) {
    ManagedArray<float> out(3);
    ManagedArray<int> dynamic(3);
    read_unwritten_shared_kernel<<<3, 1, 16>>>(out.data(), dynamic.data());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(std::isnan(out[i]));
        EXPECT_EQ(dynamic[i], 0x7ffdcdcd);
    }
}

__global__ void overrun_dynamic_kernel(int count) {
    extern __shared__ int s_values[];
    s_values[count] = 1;
}

TEST_F(BlockTest, dynamic_shared_memory_ends_where_the_launch_says) {
    overrun_dynamic_kernel<<<1, 1, 400>>>(99);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    overrun_dynamic_kernel<<<1, 1, 400>>>(100);
    const std::string said =
        messages_of([] { EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress); });
    EXPECT_TRUE(contains(said, "overrun_dynamic_kernel, block (0,0,0), thread (0,0,0)"));
    EXPECT_TRUE(contains(said, "past the end of the block's 400 bytes of dynamic shared memory"));
}

__global__ void report_dynamic_kernel(std::size_t* out) {
    extern __shared__ char s_bytes[];
    out[0] = emulator::dynamic_shared_bytes();
    out[1] = reinterpret_cast<std::size_t>(s_bytes) % 16;
}

TEST_F(BlockTest, dynamic_shared_memory_is_aligned) {
    ManagedArray<std::size_t> out(2);
    report_dynamic_kernel<<<1, 1, 33>>>(out.data());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(out[0], 33u);
    EXPECT_EQ(out[1], 0u);
}

// ---- Schedules

__global__ void log_order_kernel(int* log, int* count) {
    log[atomicAdd(count, 1)] = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

std::vector<int> order_under_current_schedule(int blocks, int threads) {
    ManagedArray<int> log(blocks * threads);
    ManagedArray<int> count(1);
    log_order_kernel<<<blocks, threads>>>(log.data(), count.data());
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    return log.values();
}

TEST_F(BlockTest, schedules_order_blocks_and_threads) {
    const std::vector<int> in_order = order_under_current_schedule(10, 64);
    EXPECT_TRUE(std::is_sorted(in_order.begin(), in_order.end()));
    use_schedule("reversed");
    const std::vector<int> reversed = order_under_current_schedule(10, 64);
    EXPECT_EQ(std::vector<int>(reversed.rbegin(), reversed.rend()), in_order);
    use_schedule("shuffled:7");
    cudaDeviceReset();
    const std::vector<int> shuffled = order_under_current_schedule(10, 64);
    EXPECT_NE(shuffled, in_order);
    EXPECT_NE(shuffled, reversed);
    EXPECT_EQ(std::set<int>(shuffled.begin(), shuffled.end()).size(), 640u);
    // A block's threads stay together, and a warp's lanes.
    for (std::size_t i = 0; i < shuffled.size(); ++i) {
        EXPECT_EQ(shuffled[i] / 32, shuffled[i / 32 * 32] / 32);
    }
}

// ---- Faults

__global__ void write_to_kernel(int* where, int offset) {
    if (threadIdx.x == 5) where[offset] = 1;
}

TEST_F(BlockTest, an_address_past_the_end_of_an_allocation_is_illegal) {
    int* values = nullptr;
    ASSERT_EQ(cudaMalloc(&values, 1024), cudaSuccess);
    write_to_kernel<<<2, 8>>>(values, 255);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    write_to_kernel<<<2, 8>>>(values, 256);
    const std::string said =
        messages_of([] { EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress); });
    EXPECT_TRUE(contains(said, "kernel write_to_kernel, block (0,0,0), thread (5,0,0)"));
    EXPECT_TRUE(contains(said, "0 bytes past the end of allocation"));
    EXPECT_TRUE(contains(said, "(1024 bytes)"));
    EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
}

TEST_F(BlockTest, freed_memory_is_illegal) {
    int* values = nullptr;
    ASSERT_EQ(cudaMalloc(&values, 1024), cudaSuccess);
    ASSERT_EQ(cudaFree(values), cudaSuccess);
    write_to_kernel<<<1, 8>>>(values, 0);
    const std::string said =
        messages_of([] { EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress); });
    EXPECT_TRUE(contains(said, "which was freed"));
}

TEST_F(BlockTest, a_null_pointer_is_illegal) {
    write_to_kernel<<<1, 8>>>(nullptr, 1);
    const std::string said =
        messages_of([] { EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress); });
    EXPECT_TRUE(contains(said, "a null pointer"));
}

__global__ void recurse_kernel(volatile int* depth) {
    volatile char frame[1024];
    frame[0] = static_cast<char>(*depth);
    *depth = *depth + frame[0] * 0 + 1;
    if (*depth < 1000000) recurse_kernel(depth);
    frame[1] = frame[0];
}

TEST_F(BlockTest, a_stack_overflow_is_reported_as_one) {
    ManagedArray<int> depth(1);
    recurse_kernel<<<1, 1>>>(depth.data());
    const std::string said =
        messages_of([] { EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress); });
    EXPECT_TRUE(contains(said, "recurse_kernel, block (0,0,0), thread (0,0,0): stack overflow"));
    const int shallow = depth[0];
    cudaDeviceReset();
    ASSERT_EQ(cudaDeviceSetLimit(cudaLimitStackSize, 400 * 1024), cudaSuccess);
    ManagedArray<int> again(1);
    recurse_kernel<<<1, 1>>>(again.data());
    messages_of([] { EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress); });
    EXPECT_GT(again[0], shallow + 300) << "the limit on the stack is honoured";
}

// A frame that is larger than the stack must not reach the stack of another thread.
__global__ void huge_array_kernel(int* out, int count) {
    volatile int values[1 << 20];
    for (int i = 0; i < count; ++i) values[i] = i;
    *out = values[count - 1];
}

__global__ void large_array_kernel(int* out, int count) {
    volatile int values[100000];
    for (int i = 0; i < count; ++i) values[i] = static_cast<int>(threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = values[count - 1];
}

TEST_F(BlockTest, local_arrays_may_have_half_a_megabyte) {
    ManagedArray<int> out(64);
    large_array_kernel<<<1, 64>>>(out.data(), 100000);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (int i = 0; i < 64; ++i) EXPECT_EQ(out[i], i);
    huge_array_kernel<<<1, 64>>>(out.data(), 1);
    const std::string said =
        messages_of([] { EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress); });
    EXPECT_TRUE(contains(said, "huge_array_kernel, block (0,0,0), thread (0,0,0): stack overflow"));
}

__global__ void abort_kernel() { std::abort(); }
__global__ void throw_kernel() { throw 1; }
__global__ void exit_kernel() { std::exit(0); }
__global__ void exit_at_once_kernel() { ::_exit(0); }
__global__ void exit_without_flushing_kernel() { std::_Exit(0); }
__global__ void quick_exit_kernel() { std::quick_exit(0); }

TEST_F(BlockTest, functions_that_end_a_program_end_the_kernel) {
    const auto check = [](auto launch, const char* name) {
        launch();
        const std::string said =
            messages_of([] { EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure); });
        EXPECT_TRUE(contains(said, name));
        EXPECT_TRUE(contains(said, "device code"));
        cudaDeviceReset();
    };
    check([] { abort_kernel<<<1, 1>>>(); },
          "kernel abort_kernel, block (0,0,0), thread (0,0,0): calls abort()");
    check([] { throw_kernel<<<1, 1>>>(); },
          "kernel throw_kernel, block (0,0,0), thread (0,0,0): throws an exception");
    check([] { exit_kernel<<<1, 1>>>(); },
          "kernel exit_kernel, block (0,0,0), thread (0,0,0): calls exit()");
    check([] { exit_at_once_kernel<<<1, 1>>>(); },
          "kernel exit_at_once_kernel, block (0,0,0), thread (0,0,0): calls _exit()");
    check([] { exit_without_flushing_kernel<<<1, 1>>>(); },
          "kernel exit_without_flushing_kernel, block (0,0,0), thread (0,0,0): calls _Exit()");
    check([] { quick_exit_kernel<<<1, 1>>>(); },
          "kernel quick_exit_kernel, block (0,0,0), thread (0,0,0): calls quick_exit()");
}

// Time in the engine's heap and in the C library counts, too, and no lock stays locked.
__global__ void endless_malloc_kernel(volatile int* flag) {
    while (*flag == 0) free(malloc(16));
}
__global__ void endless_printf_kernel(volatile int* flag) {
    while (*flag == 0) printf("-");
}
__global__ void tail_kernel() { tail_kernel<<<1, 1, 0, cudaStreamTailLaunch>>>(); }

TEST_F(BlockTest, the_time_limit_ends_what_calls_libraries) {
    const auto check = [](auto launch) {
        emulator::Settings settings = emulator::settings();
        settings.time_limit = 0.02;
        emulator::configure(settings);
        {
            ManagedArray<int> flag(1);
            launch(flag.data());
            testing::internal::CaptureStdout();
            const std::string said =
                messages_of([] { EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchTimeout); });
            testing::internal::GetCapturedStdout();
            EXPECT_TRUE(contains(said, "EMULATOR_TIME_LIMIT=SECONDS allows more"));
        }
        cudaDeviceReset();
        void* memory = nullptr;
        EXPECT_EQ(cudaMalloc(&memory, 16), cudaSuccess);
    };
    check([](int* flag) { endless_malloc_kernel<<<1, 1>>>(flag); });
    check([](int* flag) { endless_printf_kernel<<<1, 1>>>(flag); });
    check([](int*) { tail_kernel<<<1, 1>>>(); });
}

__global__ void fill_heap_kernel(int* allocated) {
    while (new (std::nothrow) char[1 << 20] != nullptr) ++*allocated;
    while (malloc(1 << 10) != nullptr) ++allocated[1];
}

TEST_F(BlockTest, the_heap_has_the_size_of_its_limit) {
    ManagedArray<int> allocated(2);
    fill_heap_kernel<<<1, 1>>>(allocated.data());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(allocated[0], 7) << "of 8 MiB, less what each allocation needs itself";
    EXPECT_GT(allocated[1], 100);
}

__global__ void divide_kernel(int* out, int divisor) { *out = 7 / divisor; }

TEST_F(BlockTest, division_by_zero_is_reported) {
#ifdef __aarch64__
    GTEST_SKIP() << "this processor gives 0";
#endif
    ManagedArray<int> out(1);
    divide_kernel<<<1, 1>>>(out.data(), 0);
    const std::string said =
        messages_of([] { EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure); });
    EXPECT_TRUE(contains(said, "integer division by zero"));
}

__global__ void trap_kernel() {
    if (threadIdx.x == 3) __trap();
}

TEST_F(BlockTest, a_trap_ends_the_grid) {
    trap_kernel<<<1, 8>>>();
    const std::string said =
        messages_of([] { EXPECT_GE(cudaDeviceSynchronize(), cudaErrorIllegalAddress); });
    EXPECT_TRUE(contains(said, "trap_kernel, block (0,0,0), thread (3,0,0)"));
}

__global__ void fault_after_barrier_kernel(int* bad) {
    __syncthreads();
    if (threadIdx.x == 9 && blockIdx.x == 1) *bad = 1;
    __syncthreads();
}

TEST_F(BlockTest, a_fault_among_waiting_threads_ends_the_grid) {
    for (const char* schedule : kSchedules) {
        for (const int workers : {1, 2}) {
            use_schedule(schedule, workers);
            cudaDeviceReset();
            fault_after_barrier_kernel<<<4, 64>>>(nullptr);
            const std::string said =
                messages_of([] { EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress); });
            EXPECT_TRUE(contains(said, "block (1,0,0), thread (9,0,0)"));
        }
    }
}

}  // namespace
