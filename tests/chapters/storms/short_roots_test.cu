// SPDX-License-Identifier: MIT
// What stages limit/05 and 18 compute without tests for special cases: quotients by short roots,
// and thirds.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "limit/05_proven_waves/energies.cuh"
#include "limit/06_waves_in_one_pass/tiles.cuh"
#include "tests/chapters/storms/documented.cuh"
#include "tests/chapters/storms/hard_shares.cuh"

namespace {

using storms::approximate_inverse_root, storms::divide_by_short_root, storms::kShort;

constexpr int kBlock = 256;
std::int64_t blocks_for(std::int64_t count) { return (count + kBlock - 1) / kBlock; }

// Counts the d from `first` on that have a wrong quotient: for the hardest shares of their root and
// two simple ones, with any approximation that is as near as documented.
__global__ void compare_kernel(std::int64_t first, std::int64_t count,
                               unsigned long long* different) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const float d = static_cast<float>(first + i);
    const float root = sqrtf(d), nearest = static_cast<float>(1 / sqrt(static_cast<double>(d)));
    for (int away = -3; away <= 3; ++away) {
        const float approximation = __int_as_float(__float_as_int(nearest) + away);
        if (!is_documented(approximation, d)) continue;
        for (int which = 0; which < kHardShares + 2; ++which) {
            const float share = which < kHardShares    ? hard_share(root, which)
                                : which == kHardShares ? 1.0f
                                                       : 16'777'215.0f;
            if (divide_by_short_root(share, d, approximation) != share / root) {
                atomicAdd(different, 1);
            }
        }
    }
}

// Counts the d from `first` on whose approximation is not as near as documented.
__global__ void approximate_kernel(std::int64_t first, std::int64_t count,
                                   unsigned long long* different) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const float d = static_cast<float>(first + i);
    if (!is_documented(approximate_inverse_root(d), d)) atomicAdd(different, 1);
}

// Counts the floats with the bits first, first + 1, ... whose third differs from the quotient.
__global__ void third_kernel(std::int64_t first, std::int64_t count,
                             unsigned long long* different) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const float x = __uint_as_float(static_cast<unsigned>(first + i));
    // As bits: a zero has a sign, too.
    if (__float_as_uint(storms::third_of(x)) != __float_as_uint(x / 3)) atomicAdd(different, 1);
}

template <typename Kernel>
std::int64_t count_different(Kernel* kernel, std::int64_t first, std::int64_t count) {
    course::DeviceBuffer<unsigned long long> d_different(1);
    course::cuda_check(cudaMemset(d_different.data(), 0, d_different.bytes()));
    kernel<<<blocks_for(count), kBlock>>>(first, count, d_different.data());
    course::cuda_check(cudaGetLastError());
    unsigned long long different = 0;
    course::cuda_check(
        cudaMemcpy(&different, d_different.data(), d_different.bytes(), cudaMemcpyDeviceToHost));
    return static_cast<std::int64_t>(different);
}

constexpr std::int64_t kLongest = 2 * kShort;  // distance
#ifdef __CUDACC__
constexpr int kPart = 1;
#else
constexpr int kPart = 256;  // the CPU engine tries the first and the last of so many parts
#endif

// A quarter of a number has the same mantissa of the root, so these numbers stand for all below.
TEST(DivideByShortRoot, IsExactWithEveryDocumentedApproximation) {
    EXPECT_EQ(count_different(compare_kernel, kLongest / 4, kLongest * 3 / 4 + 1), 0);
}

TEST(DivideByShortRoot, FailsWhereTheComparisonMust) {
    // This root is so near to the middle of two floats that a documented approximation misses it.
    EXPECT_GT(count_different(compare_kernel, 3'072'755, 1), 0);
}

TEST(ApproximateInverseRoot, IsAsNearAsDocumented) {
    EXPECT_EQ(count_different(approximate_kernel, 1, kLongest), 0);
}

TEST(ThirdOf, IsExactForEveryMantissa) {
    constexpr std::int64_t kMantissas = 1 << 23;
    // Denormals, the least and the greatest normal floats, and two exponents between them.
    for (const std::int64_t exponent : {0, 1, 2, 127, 254}) {
        for (const std::int64_t sign : {0, 256}) {
            const std::int64_t count = kMantissas / kPart;
            const std::int64_t first = (sign + exponent) * kMantissas;
            EXPECT_EQ(count_different(third_kernel, first, count), 0) << sign << ' ' << exponent;
            EXPECT_EQ(count_different(third_kernel, first + kMantissas - count, count), 0);
        }
    }
}

}  // namespace
