// SPDX-License-Identifier: MIT
// The block taylor_bounds: whether the bounds of an energy hold and are strict for every far
// distance, every share and every approximation that is as near as documented.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "blocks/taylor_bounds/taylor_bounds.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "tests/chapters/storms/documented.cuh"

namespace {

using course::cuda_check, course::DeviceBuffer, storms::kShort;
constexpr int kBlock = 256;
constexpr double kUnit = 0x1p-24;  // the relative error of a rounded result is less than this
using storms::approximate_beside, storms::kBentError, storms::kBentFar, storms::kCentre,
    storms::kNeighbours, storms::kStraightFar;

// As bounds_kernel() of shared_root_test.cu, for approximations with a bend or with a slope alone.
// A bound that the rounding reaches would not be strict, but the energy's rounding errors are less
// than kUnit.
template <bool kIsBent>
__global__ void bounds_kernel(std::int64_t first, std::int64_t pitch, std::int64_t count,
                              double error, unsigned long long* failures) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const float d = static_cast<float>(first + i * pitch) + 0.5f;
    const float nearest = static_cast<float>(1 / sqrt(static_cast<double>(d)));
    for (int which = 0; which < 14; ++which) {
        const float middle = __int_as_float(__float_as_int(nearest) + which / 2 - 3);
        if (!is_documented(middle, d)) continue;
        const float side = which % 2 == 0 ? d - 1 : 1 - d;
        const float cube = storms::signed_cube(middle, side);
        const float fifth = fabsf(cube) * (middle * middle);
        for (int j = 0; j < kNeighbours; ++j) {
            const float cell = d + (side > 0 ? j - kCentre : kCentre - j);
            const float beside = approximate_beside<kIsBent>(middle, cube, fifth, j - kCentre);
            const double ratio = static_cast<double>(beside) * sqrtf(cell);  // exact
            const double low = ratio * (1 - error) * (1 + kUnit);
            const double high = ratio * (1 + error) * (1 - kUnit);
            if (low > 1 - kUnit || high < 1 + kUnit) atomicAdd(failures, 1);
        }
    }
}

template <bool kIsBent>
std::int64_t count_failures(std::int64_t first, std::int64_t pitch, std::int64_t end,
                            double error) {
    DeviceBuffer<unsigned long long> d_failures(1);
    cuda_check(cudaMemset(d_failures.data(), 0, d_failures.bytes()));
    const std::int64_t count = (end - first + pitch - 1) / pitch;
    bounds_kernel<kIsBent>
        <<<(count + kBlock - 1) / kBlock, kBlock>>>(first, pitch, count, error, d_failures.data());
    cuda_check(cudaGetLastError());
    unsigned long long failures = 0;
    cuda_check(
        cudaMemcpy(&failures, d_failures.data(), d_failures.bytes(), cudaMemcpyDeviceToHost));
    return static_cast<std::int64_t>(failures);
}

constexpr std::int64_t kNearest = static_cast<std::int64_t>(kBentFar), kLongest = 2 * kShort;
constexpr std::int64_t kNearestStraight = static_cast<std::int64_t>(kStraightFar);
#ifdef __CUDACC__
constexpr int kPitch = 1;
#else
constexpr int kPitch = 17;  // the CPU engine takes a sample
#endif

TEST(BentBounds, HoldForEveryShareAndFarDistance) {
    EXPECT_EQ(count_failures<true>(kNearest, 1, 64 * kNearest, kBentError), 0);
    EXPECT_EQ(count_failures<true>(64 * kNearest, kPitch, kLongest, kBentError), 0);
}

TEST(BentBounds, FailWithASmallerError) {
    EXPECT_GT(count_failures<true>(kNearest, 1, 64 * kNearest, kBentError * 0.98), 0);
}

TEST(BentBounds, FailNearAParticle) {
    EXPECT_GT(count_failures<true>(kNearest / 4, 1, kNearest, kBentError), 0);
}

TEST(StraightBounds, HoldForEveryShareAndFarDistance) {
    EXPECT_EQ(count_failures<false>(kNearestStraight, kPitch, kLongest, kBentError), 0);
}

TEST(StraightBounds, FailNearer) {
    EXPECT_GT(count_failures<false>(kNearestStraight / 2, 1, kNearestStraight, kBentError), 0);
}

}  // namespace
