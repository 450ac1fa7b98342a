// SPDX-License-Identifier: MIT
// The approximations that neighbouring cells share in stage limit/08: whether the bounds of an
// energy hold for every far distance, every share and every approximation that is as near as
// documented.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "limit/08_shared_root/neighbours.cuh"
#include "tests/chapters/storms/documented.cuh"

namespace {

using storms::kFar, storms::kMiddle, storms::kMostCells, storms::kSharedError;
using storms::share_inverse_root, storms::shared_error;

constexpr int kBlock = 256;
constexpr double kUnit = 0x1p-24;  // the relative error of a rounded result is at most this

// Counts the failing bounds of two_bounds_test.cu for the cells of a thread whose middle lies at
// the distance and 1 of first, first + pitch, ... and a half. Its nearest cell is the nearest one
// of the tile.
__global__ void bounds_kernel(std::int64_t first, std::int64_t pitch, std::int64_t count,
                              double factor, unsigned long long* failures) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const float d = static_cast<float>(first + i * pitch) + 0.5f;
    const float nearest = static_cast<float>(1 / sqrt(static_cast<double>(d)));
    const double error = factor * kSharedError, upper_error = factor * shared_error(d - kMiddle);
    for (int which = 0; which < 14; ++which) {
        const float approximation = __int_as_float(__float_as_int(nearest) + which / 2 - 3);
        if (!is_documented(approximation, d)) continue;
        const float side = which % 2 == 0 ? d - 1 : 1 - d;
        float approximations[kMostCells];
        share_inverse_root(approximations, approximation, d, side);
        for (int j = 0; j < kMostCells; ++j) {
            const float cell = d + (side > 0 ? j - kMiddle : kMiddle - j);
            const double ratio = static_cast<double>(approximations[j]) * sqrtf(cell);  // exact
            const double low = ratio * (1 - error) * (1 + kUnit);
            const double high = ratio * (1 + upper_error) * (1 - kUnit);
            if (low > 1 - kUnit || high < 1 + kUnit) atomicAdd(failures, 1);
        }
    }
}

std::int64_t count_failures(std::int64_t first, std::int64_t pitch, std::int64_t end,
                            double factor) {
    course::DeviceBuffer<unsigned long long> d_failures(1);
    course::cuda_check(cudaMemset(d_failures.data(), 0, d_failures.bytes()));
    const std::int64_t count = (end - first + pitch - 1) / pitch;
    bounds_kernel<<<(count + kBlock - 1) / kBlock, kBlock>>>(first, pitch, count, factor,
                                                             d_failures.data());
    course::cuda_check(cudaGetLastError());
    unsigned long long failures = 0;
    course::cuda_check(
        cudaMemcpy(&failures, d_failures.data(), d_failures.bytes(), cudaMemcpyDeviceToHost));
    return static_cast<std::int64_t>(failures);
}

// The middles of the nearest thread whose bounds are finite, and of the farthest one.
constexpr std::int64_t kNearest = static_cast<std::int64_t>(kFar + kMiddle),
                       kLongest = 2 * storms::kShort, kSecond = 16 * kNearest;
#ifdef __CUDACC__
constexpr int kPitch = 1;
#else
constexpr int kPitch = 17;  // the CPU engine takes a sample
#endif

TEST(SharedBounds, HoldForEveryShareAndFarDistance) {
    EXPECT_EQ(count_failures(kNearest, 1, kSecond, 1), 0);
    EXPECT_EQ(count_failures(kSecond, kPitch, kLongest, 1), 0);
}

TEST(SharedBounds, FailWithASmallerError) {
    EXPECT_GT(count_failures(kNearest, 1, kSecond, 0.98), 0);
    EXPECT_GT(count_failures(kSecond, kPitch, kLongest, 0.98), 0);
}

// There the upper bound is infinite.
TEST(SharedBounds, HoldNearAParticle) {
    EXPECT_EQ(count_failures(kNearest / 4, 1, kNearest, 1), 0);
}

}  // namespace
