// SPDX-License-Identifier: MIT
// The two bounds of an energy in stage limit/07, for every short distance, every share and every
// approximation that is as near as documented.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "limit/07_two_bounds/bounds.cuh"
#include "tests/chapters/storms/documented.cuh"

namespace {

using storms::kError, storms::kShort;

constexpr int kBlock = 256;
constexpr double kUnit = 0x1p-24;  // the relative error of a rounded result is at most this

// Counts the d from `first` on at which the bounds of a share can fail: the lower one is at most
// share * (1 - error) * (1 + kUnit), the energy is at least share / root * (1 - kUnit), and the
// other way round for the upper one.
__global__ void bounds_kernel(std::int64_t first, std::int64_t count, double error,
                              unsigned long long* failures) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const float d = static_cast<float>(first + i);
    const float nearest = static_cast<float>(1 / sqrt(static_cast<double>(d)));
    for (int away = -3; away <= 3; ++away) {
        const float approximation = __int_as_float(__float_as_int(nearest) + away);
        if (!is_documented(approximation, d)) continue;
        const double ratio = static_cast<double>(approximation) * sqrtf(d);  // exact
        const double low = ratio * (1 - error) * (1 + kUnit);
        const double high = ratio * (1 + error) * (1 - kUnit);
        if (low > 1 - kUnit || high < 1 + kUnit) atomicAdd(failures, 1);
    }
}

std::int64_t count_failures(std::int64_t first, std::int64_t count, double error) {
    course::DeviceBuffer<unsigned long long> d_failures(1);
    course::cuda_check(cudaMemset(d_failures.data(), 0, d_failures.bytes()));
    bounds_kernel<<<(count + kBlock - 1) / kBlock, kBlock>>>(first, count, error,
                                                             d_failures.data());
    course::cuda_check(cudaGetLastError());
    unsigned long long failures = 0;
    course::cuda_check(
        cudaMemcpy(&failures, d_failures.data(), d_failures.bytes(), cudaMemcpyDeviceToHost));
    return static_cast<std::int64_t>(failures);
}

// A quarter of a number has the same mantissa of the root, so these numbers stand for all below.
constexpr std::int64_t kLongest = 2 * kShort, kFirst = kLongest / 4;

TEST(Bounds, HoldForEveryShareAndDistance) {
    EXPECT_EQ(count_failures(kFirst, kLongest - kFirst + 1, kError), 0);
}

TEST(Bounds, FailWithASmallerError) {
    EXPECT_GT(count_failures(kFirst, kLongest - kFirst + 1, kError * 0.98), 0);
}

}  // namespace
