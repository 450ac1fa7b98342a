// SPDX-License-Identifier: MIT
// The quotients of stage limit/04 against the exact ones, for all roots in float32: the numbers
// from 2^23 to 2^25 have every mantissa with an odd and an even exponent. For other numbers only
// the exponent of the root differs.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"

#define main stage_main
#include "limit/04_exact_rounding/storms.cu"
#undef main
#include "tests/chapters/storms/hard_shares.cuh"

namespace {

// Counts the d = first, first + 1, ... whose quotient differs from the correctly rounded quotient
// by the correctly rounded root.
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

// A particle's value times 1000 divided by the number of cells, as in the kernel.
float share_of(int value, std::int64_t cells) {
    return static_cast<float>(value) * 1000 / static_cast<float>(cells);
}

constexpr std::int64_t kPitch = 1 << 18;
#ifdef __CUDACC__
constexpr std::int64_t kTaken = kPitch;
#else
constexpr std::int64_t kTaken = kPitch / 16;  // a sample on the CPU engine
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

// As compare_kernel, with the four hardest shares of each root.
__global__ void compare_hardest_kernel(std::int64_t first, std::int64_t count,
                                       unsigned long long* different) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const float d = static_cast<float>(first + i);
    const float root = sqrtf(d);
    for (int which = 0; which < kHardShares; ++which) {
        const float share = hard_share(root, which);
        if (divide_by_root(share, d) != share / root) atomicAdd(different, 1);
    }
}

TEST(DivideByRoot, IsExactNextToTheMiddleOfTwoFloats) {
    course::DeviceBuffer<unsigned long long> d_different(1);
    course::cuda_check(cudaMemset(d_different.data(), 0, d_different.bytes()));
    for (std::int64_t first = kFirst; first < kLast; first += kPitch) {
        // The last numbers of a stretch: those below 2^24 have the hardest roots of all.
        const std::int64_t begin = first + kPitch - kTaken;
        compare_hardest_kernel<<<(kTaken + 255) / 256, 256>>>(begin, kTaken, d_different.data());
        course::cuda_check(cudaGetLastError());
    }
    unsigned long long different = 0;
    course::cuda_check(
        cudaMemcpy(&different, d_different.data(), d_different.bytes(), cudaMemcpyDeviceToHost));
    EXPECT_EQ(different, 0u);
}

TEST(DivideByRoot, IsExactForManyShares) {
    for (int value = 1; value < 2000; value += 7) {
        const float share = share_of(value, 1'000'003);
        EXPECT_EQ(count_different(share, 1, 3000), 0) << value;
        EXPECT_EQ(count_different(-share, (1 << 24) - 1000, 2000), 0) << value;
        // The longest distances: 2^62.
        EXPECT_EQ(count_different(share, (std::int64_t{1} << 62) - (std::int64_t{1} << 40), 100),
                  0);
    }
}

TEST(DivideByRoot, OfZeroIsZero) { EXPECT_EQ(count_different(0.0f, 1, 5000), 0); }

}  // namespace
