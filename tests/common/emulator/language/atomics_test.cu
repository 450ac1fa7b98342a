// SPDX-License-Identifier: MIT
// Every atomic function, from many blocks at once.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "device_array.hpp"

constexpr int kBlocks = 40;
constexpr int kThreads = 96;
constexpr int kTotal = kBlocks * kThreads;

struct Cells {
    int sum, difference, minimum, maximum, bits_and, bits_or, bits_xor;
    unsigned int unsigned_sum, unsigned_difference, unsigned_minimum, unsigned_maximum, wrapped_up,
        wrapped_down;
    unsigned long long wide_sum, wide_minimum, wide_maximum, wide_or;
    long long signed_minimum, signed_maximum;
    float real_sum;
    double double_sum;
};

__global__ void update_kernel(Cells* cells) {
    const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const auto number = static_cast<unsigned int>(thread);
    atomicAdd(&cells->sum, thread);
    atomicSub(&cells->difference, 2);
    atomicMin(&cells->minimum, 1000 - thread);
    atomicMax(&cells->maximum, thread - 1000);
    atomicAnd(&cells->bits_and, ~(1 << thread % 5));
    atomicOr(&cells->bits_or, 1 << thread % 31);
    atomicXor(&cells->bits_xor, thread);
    atomicAdd(&cells->unsigned_sum, number);
    atomicSub(&cells->unsigned_difference, 1u);
    atomicMin(&cells->unsigned_minimum, number + 5u);
    atomicMax(&cells->unsigned_maximum, number);
    atomicInc(&cells->wrapped_up, 99u);
    atomicDec(&cells->wrapped_down, 99u);
    atomicAdd(&cells->wide_sum, 1ull << 32);
    atomicMin(&cells->wide_minimum, (1ull << 40) + number);
    atomicMax(&cells->wide_maximum, (1ull << 40) + number);
    atomicOr(&cells->wide_or, 1ull << thread % 64);
    atomicMin(&cells->signed_minimum, -(1ll << 40) - thread);
    atomicMax(&cells->signed_maximum, (1ll << 40) + thread);
    atomicAdd(&cells->real_sum, 1.0f);
    atomicAdd(&cells->double_sum, 0.5);
}

TEST(Atomics, NoUpdateIsLost) {
    Cells start{};
    start.minimum = 0;
    start.bits_and = -1;
    start.unsigned_minimum = ~0u;
    start.wide_minimum = ~0ull;
    DeviceArray<Cells> cells(std::vector<Cells>{start});
    update_kernel<<<kBlocks, kThreads>>>(cells.data());
    const Cells end = cells.read()[0];
    int parity = 0;
    for (int i = 0; i < kTotal; ++i) parity ^= i;
    EXPECT_EQ(end.sum, kTotal * (kTotal - 1) / 2);
    EXPECT_EQ(end.difference, -2 * kTotal);
    EXPECT_EQ(end.minimum, 1000 - (kTotal - 1));
    EXPECT_EQ(end.maximum, kTotal - 1 - 1000);
    EXPECT_EQ(end.bits_and, ~31);
    EXPECT_EQ(end.bits_or, 0x7fffffff);
    EXPECT_EQ(end.bits_xor, parity);
    EXPECT_EQ(end.unsigned_sum, static_cast<unsigned int>(kTotal * (kTotal - 1) / 2));
    EXPECT_EQ(end.unsigned_difference, 0u - kTotal);
    EXPECT_EQ(end.unsigned_minimum, 5u);
    EXPECT_EQ(end.unsigned_maximum, kTotal - 1u);
    EXPECT_EQ(end.wrapped_up, kTotal % 100u);
    EXPECT_EQ(end.wrapped_down, (100u - kTotal % 100u) % 100u);
    EXPECT_EQ(end.wide_sum, static_cast<unsigned long long>(kTotal) << 32);
    EXPECT_EQ(end.wide_minimum, 1ull << 40);
    EXPECT_EQ(end.wide_maximum, (1ull << 40) + kTotal - 1);
    EXPECT_EQ(end.wide_or, ~0ull);
    EXPECT_EQ(end.signed_minimum, -(1ll << 40) - (kTotal - 1));
    EXPECT_EQ(end.signed_maximum, (1ll << 40) + kTotal - 1);
    EXPECT_EQ(end.real_sum, static_cast<float>(kTotal));
    EXPECT_EQ(end.double_sum, 0.5 * kTotal);
}

// Each thread takes a ticket: the old values are all different.
__global__ void ticket_kernel(unsigned int* counter, unsigned int* tickets) {
    const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;
    tickets[thread] = atomicAdd(counter, 1);
}

TEST(Atomics, OldValuesAreUnique) {
    DeviceArray<unsigned int> counter(1);
    DeviceArray<unsigned int> tickets(kTotal);
    ticket_kernel<<<kBlocks, kThreads>>>(counter.data(), tickets.data());
    const auto values = tickets.read();
    EXPECT_EQ(std::set<unsigned int>(values.begin(), values.end()).size(), values.size());
    EXPECT_EQ(*std::max_element(values.begin(), values.end()), kTotal - 1u);
}

// Products by compare-and-swap, in every width; exchanges hand values around without losing one.
__global__ void swap_kernel(int* ints, unsigned long long* wides, unsigned short* shorts,
                            float* reals) {
    int seen = *ints;
    for (int assumed = seen - 1; assumed != seen;) {
        assumed = seen;
        seen = atomicCAS(ints, assumed, assumed + 3);
    }
    unsigned long long wide = *wides;
    for (unsigned long long assumed = wide - 1; assumed != wide;) {
        assumed = wide;
        wide = atomicCAS(wides, assumed, assumed + (1ull << 33));
    }
    unsigned short small = *shorts;
    for (unsigned short assumed = static_cast<unsigned short>(small - 1); assumed != small;) {
        assumed = small;
        small = atomicCAS(shorts, assumed, static_cast<unsigned short>(assumed + 1));
    }
    const auto mine = static_cast<float>(blockIdx.x * blockDim.x + threadIdx.x + 1);
    atomicAdd(&reals[1], atomicExch(&reals[0], mine));
}

TEST(Atomics, CompareAndSwapAndExchange) {
    DeviceArray<int> ints(1);
    DeviceArray<unsigned long long> wides(1);
    DeviceArray<unsigned short> shorts(1);
    DeviceArray<float> reals(2);
    swap_kernel<<<kBlocks, kThreads>>>(ints.data(), wides.data(), shorts.data(), reals.data());
    EXPECT_EQ(ints.read()[0], 3 * kTotal);
    EXPECT_EQ(wides.read()[0], static_cast<unsigned long long>(kTotal) << 33);
    EXPECT_EQ(shorts.read()[0], kTotal);
    const auto left = reals.read();
    EXPECT_EQ(left[0] + left[1], kTotal * (kTotal + 1) / 2.0f);
}

__global__ void failed_swap_kernel(int* cell, int* old) {
    old[0] = atomicCAS(cell, 7, 8);
    old[1] = atomicCAS(cell, 5, 6);
    old[2] = atomicExch(cell, 9);
}

TEST(Atomics, ResultsAreTheOldValues) {
    DeviceArray<int> cell(std::vector<int>{5});
    DeviceArray<int> old(3);
    failed_swap_kernel<<<1, 1>>>(cell.data(), old.data());
    EXPECT_EQ(old.read(), (std::vector<int>{5, 5, 6}));
    EXPECT_EQ(cell.read()[0], 9);
}

__global__ void scoped_kernel(int* block_sums, int* system_sum, unsigned int* maximum) {
    __shared__ int s_sum;
    if (threadIdx.x == 0) s_sum = 0;
    __syncthreads();
    atomicAdd_block(&s_sum, 1);
    __syncthreads();
    if (threadIdx.x == 0) block_sums[blockIdx.x] = s_sum;
    atomicAdd_system(system_sum, 1);
    atomicMax_block(&maximum[blockIdx.x], threadIdx.x);
    atomicCAS_system(&maximum[blockIdx.x], 1234567u, 0u);
}

TEST(Atomics, ScopedForms) {
    DeviceArray<int> block_sums(kBlocks);
    DeviceArray<int> system_sum(1);
    DeviceArray<unsigned int> maximum(kBlocks);
    scoped_kernel<<<kBlocks, kThreads>>>(block_sums.data(), system_sum.data(), maximum.data());
    for (const int sum : block_sums.read()) EXPECT_EQ(sum, kThreads);
    for (const unsigned int value : maximum.read()) EXPECT_EQ(value, kThreads - 1u);
    EXPECT_EQ(system_sum.read()[0], kTotal);
}

__global__ void vector_kernel(float2* pair, float4* quadruple) {
    atomicAdd(pair, make_float2(1.0f, 2.0f));
    atomicAdd(quadruple, make_float4(1.0f, 2.0f, 3.0f, 4.0f));
}

TEST(Atomics, VectorsComponentByComponent) {
    DeviceArray<float2> pair(1);
    DeviceArray<float4> quadruple(1);
    vector_kernel<<<kBlocks, kThreads>>>(pair.data(), quadruple.data());
    EXPECT_EQ(pair.read()[0].y, 2.0f * kTotal);
    EXPECT_EQ(quadruple.read()[0].w, 4.0f * kTotal);
}

// The last block to finish sums what the others wrote: the fence orders the writes before the
// count.
__device__ unsigned int finished_blocks = 0;

__global__ void sum_kernel(const int* __restrict__ values, int* __restrict__ partial,
                           int* __restrict__ total) {
    __shared__ bool s_is_last;
    const int index = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    atomicAdd(&partial[blockIdx.x], values[index]);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) s_is_last = atomicAdd(&finished_blocks, 1u) == gridDim.x - 1;
    __syncthreads();
    if (s_is_last && threadIdx.x == 0) {
        *total = 0;
        for (unsigned int i = 0; i < gridDim.x; ++i) *total += __ldcg(&partial[i]);
        finished_blocks = 0;
    }
}

TEST(Atomics, LastBlockSeesAllPartialSums) {
    std::vector<int> values;
    int expected = 0;
    for (int i = 0; i < kTotal; ++i) {
        values.push_back(i % 13);
        expected += i % 13;
    }
    DeviceArray<int> in(values);
    DeviceArray<int> partial(kBlocks);
    DeviceArray<int> total(1);
    sum_kernel<<<kBlocks, kThreads>>>(in.data(), partial.data(), total.data());
    EXPECT_EQ(total.read()[0], expected);
}
