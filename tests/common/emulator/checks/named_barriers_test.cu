// SPDX-License-Identifier: MIT
// Named barriers: a part of the block meets, as producers and consumers do, and what is wrong with
// their numbers is found.
#include <cuda_runtime.h>

#include "checks_test.hpp"

namespace {

constexpr int kThreads = 128;
constexpr int kRounds = 5;

// Two warps fill a buffer, two others read it. Barrier 1: it is full; barrier 2: it is empty.
template <bool kWaitsUntilEmpty>
__global__ void pipeline_kernel(const int* in, int* out) {
    __shared__ int s_buffer[64];
    const int t = threadIdx.x % 64;
    if (threadIdx.x < 64) {
        for (int round = 0; round < kRounds; ++round) {
            if (kWaitsUntilEmpty && round > 0) asm volatile("bar.sync 2, 128;" ::: "memory");
            s_buffer[t] = in[round * 64 + t];
            asm volatile("bar.arrive %0, %1;" ::"r"(1), "r"(kThreads) : "memory");
            if (!kWaitsUntilEmpty) asm volatile("barrier.sync 3, 64;" ::: "memory");
        }
    } else {
        for (int round = 0; round < kRounds; ++round) {
            asm volatile("barrier.sync 1, 128;" ::: "memory");
            out[round * 64 + t] = s_buffer[63 - t];
            if (kWaitsUntilEmpty && round + 1 < kRounds) {
                asm volatile("bar.arrive 2, 128;" ::: "memory");
            }
        }
    }
}

TEST(NamedBarriers, producers_and_consumers_take_turns) {
    int in[kRounds * 64];
    for (int i = 0; i < kRounds * 64; ++i) in[i] = i * i;
    int* d_in = device_array<int>(kRounds * 64);
    int* d_out = device_array<int>(kRounds * 64);
    int out[kRounds * 64] = {};
    EXPECT_TRUE(is_silent(findings_of([&] {
        cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
        pipeline_kernel<true><<<1, kThreads>>>(d_in, d_out);
        cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    })));
    for (int i = 0; i < kRounds * 64; ++i) {
        const int from = i / 64 * 64 + 63 - i % 64;
        ASSERT_EQ(out[i], from * from);
    }
}

// A producer that does not wait arrives again before all consumers have come, or writes what they
// read.
TEST(NamedBarriers, a_producer_must_wait_for_its_consumers) {
    const auto found = findings_of([] {
        pipeline_kernel<false>
            <<<1, kThreads>>>(device_array<int>(kRounds * 64), device_array<int>(kRounds * 64));
    });
    EXPECT_TRUE(has(found, FindingKind::invalid_call, 0) ||
                has(found, FindingKind::race_in_block, 0))
        << text_of(found);
}

// Each half of the block has its own barrier; then both meet, without a number of threads.
template <int kSecondBarrier>
__global__ void halves_kernel(int* out) {
    __shared__ int s_values[kThreads];
    const int half = threadIdx.x / 64;
    s_values[threadIdx.x] = threadIdx.x;
    asm volatile("bar.sync %0, 64;" ::"r"(half == 0 ? 1 : kSecondBarrier) : "memory");
    const int within = s_values[threadIdx.x ^ 63];
    asm volatile("bar.sync 5;" ::: "memory");
    out[threadIdx.x] = within + s_values[threadIdx.x ^ 127];
}

TEST(NamedBarriers, halves_of_a_block_meet) {
    EXPECT_TRUE(is_silent(
        findings_of([] { halves_kernel<2><<<1, kThreads>>>(device_array<int>(kThreads)); })));
}

// The barrier orders its own threads only.
__global__ void other_half_kernel(int* out) {
    __shared__ int s_values[kThreads];
    s_values[threadIdx.x] = threadIdx.x;
    asm volatile("bar.sync %0, 64;" ::"r"(1 + int(threadIdx.x) / 64) : "memory");
    out[threadIdx.x] = s_values[threadIdx.x ^ 64];
}

TEST(NamedBarriers, order_nobody_else) {
    const auto found =
        findings_of([] { other_half_kernel<<<1, kThreads>>>(device_array<int>(kThreads)); });
    EXPECT_TRUE(has(found, FindingKind::race_in_block, 0) ||
                has(found, FindingKind::uninitialised_shared, 0))
        << text_of(found);
}

NEXT_LINE(kCallBegin);
__global__ void call_kernel(int id, int count, int count_of_last_warp, bool twice) {
    if (threadIdx.x >= 96) count = count_of_last_warp;
    if (twice) asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(count));
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count));
}

std::vector<Finding> findings_of_call(int id, int count, int count_of_last_warp,
                                      bool twice = false) {
    return findings_of([&] {
        call_kernel<<<1, kThreads>>>(id, count, count_of_last_warp, twice);
        EXPECT_NE(cudaDeviceSynchronize(), cudaSuccess);
    });
}

TEST(NamedBarriers, wrong_numbers_are_found) {
    struct Case {
        int id, count, count_of_last_warp;
        bool twice;
        const char* what;
    };
    for (const Case& one :
         {Case{16, 128, 128, false, "above number 15"},
          Case{1, 100, 100, false, "no multiple of 32"}, Case{1, 0, 0, false, "no multiple of 32"},
          Case{1, 160, 160, false, "more threads than the block has"},
          Case{1, 128, 96, false, "another number of threads"},
          Case{1, 128, 128, true, "arrives twice"}}) {
        const auto found = findings_of_call(one.id, one.count, one.count_of_last_warp, one.twice);
        ASSERT_EQ(found.size(), 1u) << one.what << text_of(found);
        EXPECT_TRUE(has(found, FindingKind::invalid_call, 0));
        EXPECT_NE(found[0].actors[0].did.find(one.what), std::string::npos) << text_of(found);
        EXPECT_GT(found[0].actors[0].line.line, kCallBegin);
        EXPECT_LE(found[0].actors[0].line.line, kCallBegin + 3);
    }
}

// 128 threads wait, 96 of them at a time: the last warp waits for ever.
TEST(NamedBarriers, threads_that_are_missing_are_counted) {
    const auto found = findings_of_call(4, 96, 96);
    ASSERT_TRUE(has(found, FindingKind::barrier_divergence, kCallBegin + 3)) << text_of(found);
    EXPECT_NE(found[0].actors[0].did.find("at barrier 4, which lacks 64 threads"),
              std::string::npos)
        << text_of(found);
}

}  // namespace
