// SPDX-License-Identifier: MIT
// Stage 07's quotients against the exact ones, for all roots that float32 knows: of the numbers
// from 2^23 to 2^25 every mantissa occurs with an odd and an even exponent, and beyond that nothing
// changes but the exponent.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"

#define main stage_main
#include "13_exact_rounding/storms.cu"
#undef main

namespace {

// How many of d = first, first + 1, ... have another quotient than the one that is rounded once
// from the root that is rounded once.
__global__ void compare_kernel(float share, std::int64_t first, std::int64_t count,
                               unsigned long long* different) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const float d = static_cast<float>(first + i);
    const float expected = share / sqrtf(d);
    if (divide_by_root(share, d) != expected) atomicAdd(different, 1);
}

std::int64_t count_different(float share, std::int64_t first, std::int64_t count) {
    course::DeviceBuffer<unsigned long long> d_different(1);
    course::cuda_check(cudaMemset(d_different.data(), 0, d_different.bytes()));
    compare_kernel<<<(count + 255) / 256, 256>>>(share, first, count, d_different.data());
    course::cuda_check(cudaGetLastError());
    unsigned long long different = 0;
    course::cuda_check(
        cudaMemcpy(&different, d_different.data(), d_different.bytes(), cudaMemcpyDeviceToHost));
    return static_cast<std::int64_t>(different);
}

// A particle's value times 1000 by the number of cells, as the kernel has it.
float share_of(int value, std::int64_t cells) {
    return static_cast<float>(value) * 1000 / static_cast<float>(cells);
}

constexpr std::int64_t kPitch = 1 << 18;
#ifdef __CUDACC__
constexpr std::int64_t kTaken = kPitch;
#else
constexpr std::int64_t kTaken = kPitch / 16;  // on the CPU engine a sample
#endif
constexpr std::int64_t kFirst = 1 << 23, kLast = 1 << 25;

TEST(DivideByRoot, IsExactForEveryRoot) {
    for (const float share :
         {share_of(1, 3), share_of(7919, 1'000'000), share_of(-99'991, 30'000)}) {
        for (std::int64_t first = kFirst; first < kLast; first += kPitch) {
            EXPECT_EQ(count_different(share, first, kTaken), 0) << share << " " << first;
        }
    }
}

TEST(DivideByRoot, IsExactForManyShares) {
    for (int value = 1; value < 2000; value += 7) {
        const float share = share_of(value, 1'000'003);
        EXPECT_EQ(count_different(share, 1, 3000), 0) << value;
        EXPECT_EQ(count_different(-share, (1 << 24) - 1000, 2000), 0) << value;
        // As far as distances go: 2^62.
        EXPECT_EQ(count_different(share, (std::int64_t{1} << 62) - (std::int64_t{1} << 40), 100),
                  0);
    }
}

TEST(DivideByRoot, OfNothingIsNothing) { EXPECT_EQ(count_different(0.0f, 1, 5000), 0); }

}  // namespace
