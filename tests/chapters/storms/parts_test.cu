// SPDX-License-Identifier: MIT
// Stage 22: whether the bounds of an energy hold and are strict for every far distance, and whether
// parts of the particles give the same bits as one particle after another, whatever the cells hold.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"

#define main stage_main
#include "22_split_particles/storms.cu"
#undef main
#include "common/input/random.hpp"
#include "tests/chapters/storms/documented.cuh"

namespace {

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

// Adds a wave to a layer as the kernel does, and compares it with one addition after another.
void expect_right(std::vector<float> layer, const Wave& wave) {
    const std::int64_t size = std::ssize(layer), count = wave.count();
    DeviceBuffer<float> d_layer(size);
    DeviceBuffer<std::int64_t> d_positions(count);
    DeviceBuffer<int> d_values(count);
    cuda_check(cudaMemcpy(d_layer.data(), layer.data(), d_layer.bytes(), cudaMemcpyHostToDevice));
    cuda_check(cudaMemcpy(d_positions.data(), wave.positions.data(), d_positions.bytes(),
                          cudaMemcpyHostToDevice));
    cuda_check(
        cudaMemcpy(d_values.data(), wave.values.data(), d_values.bytes(), cudaMemcpyHostToDevice));
    course::allow_dynamic_shared(split_particles_kernel, sizeof(Tile));
    split_particles_kernel<<<(size + kTile - 1) / kTile, 32 * kWarps, sizeof(Tile)>>>(
        d_layer.data(), size, d_positions.data(), d_values.data(), static_cast<unsigned>(count));
    cuda_check(cudaGetLastError());
    std::vector<float> got(size);
    cuda_check(cudaMemcpy(got.data(), d_layer.data(), d_layer.bytes(), cudaMemcpyDeviceToHost));
    for (std::int64_t k = 0; k < size; ++k) {
        for (std::int64_t i = 0; i < count; ++i) {
            const float share =
                static_cast<float>(wave.values[i]) * 1000 / static_cast<float>(size);
            layer[k] += share / std::sqrt(static_cast<float>(std::abs(wave.positions[i] - k) + 1));
        }
        ASSERT_EQ(std::memcmp(&got[k], &layer[k], sizeof(float)), 0)
            << "cell " << k << " of " << size << ", " << count << " particles: " << got[k]
            << " instead of " << layer[k];
    }
}

Wave random_wave(std::int64_t count, std::int64_t range, std::int32_t most, std::uint64_t seed) {
    course::Random random(seed);
    Wave wave;
    for (std::int64_t i = 0; i < count; ++i) {
        wave.add(static_cast<std::int64_t>(random.below(range)),
                 1 + static_cast<std::int32_t>(random.below(most)));
    }
    return wave;
}

TEST(SplitParticles, OfAnyNumberOnCellsOfZero) {
    for (const int count : {1, 2, 31, 32, 33, 895, 896, 897, 1791, 1792, 1793, 2000}) {
        expect_right(std::vector<float>(257, 0.0f), random_wave(count, 257, 100, count));
    }
}

TEST(SplitParticles, OnLayersOfAnySize) {
    for (const int size : {1, 2, 3, 31, 255, 256, 257, 600}) {
        expect_right(std::vector<float>(size, 0.0f), random_wave(1000, 20'000, 100, size));
        expect_right(std::vector<float>(size, 1000.0f), random_wave(1000, size, 100, size));
    }
}

TEST(SplitParticles, AtTheLongestDistances) {
    Wave wave = random_wave(600, kShort, 2'000'000'000, 1);
    for (std::int64_t i = 0; i < 600; i += 2) wave.positions[i] *= -1;
    expect_right(std::vector<float>(300, 100.0f), wave);
}

// Each cell leaves its binade at another particle, and some leave several.
TEST(SplitParticles, ThatLeadToTheNextBinadeAtAnyPlace) {
    const Wave wave = random_wave(1792, 4000, 100, 2);
    for (const float top : {64.0f, 1024.0f, 65536.0f}) {
        std::vector<float> layer(512);
        for (int k = 0; k < 512; ++k) layer[k] = std::max(top - 12.0f * k, 0.01f * k);
        expect_right(layer, wave);
    }
}

// Energies of whole and half units: near cells have roots without a rest. Even and odd sums.
TEST(SplitParticles, InTheMiddleOfTwoFloats) {
    for (const int halves : {1, 2, 3}) {
        std::vector<float> layer(256);
        for (int k = 0; k < 256; ++k) {
            layer[k] = std::ldexp(1.0f, 18 + halves) + std::ldexp(k % 7, halves - 5);
        }
        expect_right(layer, random_wave(1500, 256, 3, halves));
        expect_right(layer, random_wave(1500, 2, 1, halves));
        // One particle in each part but one.
        Wave wave = random_wave(2000, 100'000, 9, halves);
        for (std::int64_t i = 0; i < 2000; i += 37) wave.positions[i] = i % 256;
        expect_right(layer, wave);
    }
}

// A tie that rounds up to a power of two: an odd sum before it.
TEST(SplitParticles, InTheMiddleBelowAPowerOfTwo) {
    std::vector<float> layer(256);
    for (int k = 0; k < 256; ++k) layer[k] = 0x1p20f - (k % 40) * 0x1p-4f;
    expect_right(layer, random_wave(1500, 256, 1, 5));
    expect_right(layer, random_wave(40, 256, 1, 6));
}

// Energies that are far below half a unit, so that nothing is added, or far above the cell.
TEST(SplitParticles, MuchSmallerOrGreaterThanTheCells) {
    expect_right(std::vector<float>(300, 0x1p60f), random_wave(600, 300, 100, 7));
    expect_right(std::vector<float>(300, 0x1p-60f), random_wave(600, 300, 2'000'000'000, 8));
}

TEST(SplitParticles, OnlyWhereNoSumFalls) {
    Input input;
    input.size = 1000;
    input.waves = {random_wave(kManyParticles, 1000, 100, 9)};
    EXPECT_TRUE(is_split(input));
    for (const std::int32_t value : {0, -1}) {
        Input other = input;
        other.waves[0].values[77] = value;
        EXPECT_FALSE(is_split(other));
    }
    Input far = input;
    far.waves[0].positions[77] = kShort + 1;
    EXPECT_FALSE(is_split(far));
    Input few = input;
    few.waves.push_back(random_wave(kManyParticles - 1, 1000, 100, 9));
    EXPECT_FALSE(is_split(few));
    input.size = kManyCells;
    EXPECT_FALSE(is_split(input));
}

}  // namespace
