// SPDX-License-Identifier: MIT
// The block ordered_sum: whether a warp's sum has the bits of one addition after another.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "blocks/ordered_sum/ordered_sum.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/input/random.hpp"

namespace {

using course::cuda_check, course::DeviceBuffer;

constexpr int kTerms = 7;  // per lane

__global__ void sum_kernel(float first, const float* terms, float* sums) {
    float own[kTerms];
    for (int i = 0; i < kTerms; ++i) own[i] = terms[kTerms * threadIdx.x + i];
    sums[threadIdx.x] = storms::sum_in_order(first, own);
}

// Each lane gets the sum.
void expect_right(float first, const std::vector<float>& terms) {
    DeviceBuffer<float> d_terms(terms.size()), d_sums(32);
    cuda_check(cudaMemcpy(d_terms.data(), terms.data(), d_terms.bytes(), cudaMemcpyHostToDevice));
    sum_kernel<<<1, 32>>>(first, d_terms.data(), d_sums.data());
    cuda_check(cudaGetLastError());
    float sums[32], expected = first;
    cuda_check(cudaMemcpy(sums, d_sums.data(), d_sums.bytes(), cudaMemcpyDeviceToHost));
    for (const float term : terms) expected += term;
    for (const float sum : sums) ASSERT_EQ(sum, expected) << "from " << first;
}

TEST(SumInOrder, HasTheRoundingOfTheOrder) {
    course::Random random(1);
    int orders = 0;  // whose sums differ from the other way round
    for (int trial = 0; trial < 200; ++trial) {
        std::vector<float> terms(32 * kTerms);
        for (auto& term : terms) {
            term = std::ldexp(static_cast<float>(1 + random.below(1 << 20)), -20 - trial % 12);
        }
        const float first = std::ldexp(1.0f + static_cast<float>(trial) / 200, trial % 9 - 4);
        expect_right(first, terms);
        float forwards = first, backwards = first;
        for (std::size_t i = 0; i < terms.size(); ++i) {
            forwards += terms[i];
            backwards += terms[terms.size() - 1 - i];
        }
        orders += forwards != backwards;
    }
    EXPECT_GT(orders, 100);
}

TEST(SumInOrder, OfZerosAndOfTermsThatAreMuchGreater) {
    expect_right(0.0f, std::vector<float>(32 * kTerms, 0.0f));
    std::vector<float> terms(32 * kTerms, 0x1p-30f);
    expect_right(0.0f, terms);
    terms[100] = 0x1p40f;
    expect_right(1.0f, terms);
}

constexpr int kThreads = 64, kSlots = 3 * kThreads;

__global__ void slots_kernel(const int* slots, int* below, int* totals) {
    __shared__ int s_slots[kSlots];
    for (int j = 0; j < kSlots / kThreads; ++j) {
        s_slots[kThreads * j + threadIdx.x] = slots[kThreads * j + threadIdx.x];
    }
    __syncthreads();  // the slots have been written
    below[threadIdx.x] = storms::sum_slots_below<kThreads>(s_slots, totals[threadIdx.x / 32]);
}

TEST(SumSlotsBelow, IsTheSumOfTheLanesBelowInTheWarp) {
    std::vector<int> slots(kSlots);
    for (int i = 0; i < kSlots; ++i) slots[i] = i * i % 37 - 11;
    DeviceBuffer<int> d_slots(kSlots), d_below(kThreads), d_totals(kThreads / 32);
    cuda_check(cudaMemcpy(d_slots.data(), slots.data(), d_slots.bytes(), cudaMemcpyHostToDevice));
    slots_kernel<<<1, kThreads>>>(d_slots.data(), d_below.data(), d_totals.data());
    cuda_check(cudaGetLastError());
    int below[kThreads], totals[kThreads / 32];
    cuda_check(cudaMemcpy(below, d_below.data(), d_below.bytes(), cudaMemcpyDeviceToHost));
    cuda_check(cudaMemcpy(totals, d_totals.data(), d_totals.bytes(), cudaMemcpyDeviceToHost));
    for (int warp = 0; warp < kThreads / 32; ++warp) {
        int sum = 0;
        for (int thread = 32 * warp; thread < 32 * warp + 32; ++thread) {
            EXPECT_EQ(below[thread], sum) << "thread " << thread;
            for (int j = 0; j < kSlots / kThreads; ++j) sum += slots[kThreads * j + thread];
        }
        EXPECT_EQ(totals[warp], sum);
    }
}

}  // namespace
