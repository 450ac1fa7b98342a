// SPDX-License-Identifier: MIT
// Stage limit/10: whether the distance at which an energy has a value is right for every distance,
// and whether steps of far particles give the same bits as one particle after another.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/input/random.hpp"
#include "limit/10_step_functions/step_sums.cuh"

namespace {

using course::cuda_check, course::DeviceBuffer, storms::kBinade, storms::kMostSteps;
using storms::kTile, storms::kWarps, storms::SplitTile, storms::StepSums;

using storms::kShort, storms::Wave;
constexpr int kBlock = 256;

// For the distances first, first + 1, ...: counts shares and values for which the energies one
// cell nearer and one cell farther away do not lie on both sides of the value. The values are the
// energy at the distance and its neighbours, and half way to the next energy.
__global__ void distances_kernel(std::int64_t first, std::int64_t count,
                                 unsigned long long* failures) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const std::int64_t distance = first + i;
    for (int which = 0; which < 16; ++which) {
        const auto mantissa = static_cast<unsigned>(distance * 16 + which) * 2654435761u >> 9;
        const float share = __uint_as_float((127u + which) << 23 | (which == 0 ? 0 : mantissa));
        const auto energy = [&](float d) { return storms::exact_energy(make_float2(0, share), d); };
        const auto place = static_cast<float>(distance - 1);  // its distance and 1 is `distance`
        const float v = energy(place), next = energy(place + 1);
        for (const float value : {v, nextafterf(v, 0), nextafterf(v, INFINITY), (v + next) / 2}) {
            const float d = storms::distance_of(share, value);
            const bool nearer = d <= 1 || energy(d - 2) > value;
            if (!nearer || !(energy(d) < value)) atomicAdd(failures, 1);
        }
    }
}

std::int64_t count_failures(std::int64_t first, std::int64_t end) {
    DeviceBuffer<unsigned long long> d_failures(1);
    cuda_check(cudaMemset(d_failures.data(), 0, d_failures.bytes()));
    const std::int64_t count = end - first;
    distances_kernel<<<(count + kBlock - 1) / kBlock, kBlock>>>(first, count, d_failures.data());
    cuda_check(cudaGetLastError());
    unsigned long long failures = 0;
    cuda_check(
        cudaMemcpy(&failures, d_failures.data(), d_failures.bytes(), cudaMemcpyDeviceToHost));
    return static_cast<std::int64_t>(failures);
}

TEST(Distances, AreRightForEveryShortDistance) { EXPECT_EQ(count_failures(2, kShort + 1), 0); }

TEST(Distances, AreWrongForSomeLongerDistances) {
    EXPECT_GT(count_failures(4 * kShort, 4 * kShort + 100'000), 0);
}

struct Case {
    float position, share;
    int lowest, highest;
    bool is_far;
};

__global__ void far_kernel(const Case* cases, int count, float first, bool* are_far) {
    const int i = threadIdx.x;
    if (i >= count) return;
    const Case& own = cases[i];
    const float2 particle = make_float2(own.position, own.share);
    are_far[i] =
        storms::relative_to_tile<kTile, kMostSteps>(particle, true, first, own.lowest, own.highest)
            .is_far;
}

TEST(RelativeParticle, IsFarIfTheStepsAreFewAndRight) {
    constexpr int kBase = (127 + 20) * kBinade, kFirst = 512, kLast = kFirst + kTile - 1;
    const std::vector<Case> cases = {
        {kFirst, 1e-3f, kBase, kBase, true},
        {kLast, 1e-3f, kBase, kBase, true},
        {kFirst + 1, 1e-3f, kBase, kBase, false},  // within the tile
        {kLast - 1, 1e-3f, kBase, kBase, false},
        {kLast + 1 - kShort, 1.0f, kBase, kBase, true},  // at the longest distance
        {kLast - kShort, 1.0f, kBase, kBase, false},
        {kFirst - 1 + kShort, 1.0f, kBase, kBase, true},
        {kFirst + kShort, 1.0f, kBase, kBase, false},
        {kFirst, 3.1f, kBase, kBase, true},  // units of 1/8: from 25 to 2
        {kFirst, 3.6f, kBase, kBase, false},  // from 29 to 2
        {kFirst, 3.1f, kBase - kBinade, kBase, false},
        {kFirst, 1.5f, kBase - kBinade, kBase, true},
        {kFirst, 1e-3f, kBase - 2 * kBinade, kBase, false},
        {kFirst, 1e-30f, storms::kLeastBase, storms::kLeastBase, true},
        {kFirst, 1e-30f, storms::kLeastBase - kBinade, storms::kLeastBase - kBinade, false},
        {-1e6f, 1e12f, kBase, kBase, false},  // more units than a float counts
    };
    const int count = static_cast<int>(cases.size());
    DeviceBuffer<Case> d_cases(count);
    DeviceBuffer<bool> d_far(count);
    cuda_check(cudaMemcpy(d_cases.data(), cases.data(), d_cases.bytes(), cudaMemcpyHostToDevice));
    far_kernel<<<1, 32>>>(d_cases.data(), count, kFirst, d_far.data());
    cuda_check(cudaGetLastError());
    bool far[32];
    cuda_check(cudaMemcpy(far, d_far.data(), d_far.bytes(), cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; ++i) EXPECT_EQ(far[i], cases[i].is_far) << "case " << i;
}

constexpr auto kKernel = storms::split_particles_kernel<StepSums>;
constexpr std::size_t kSharedBytes = sizeof(SplitTile<StepSums>);
#include "tests/chapters/storms/split_cases.cuh"

// From energies of millions of units, which have too many steps, to energies below one unit.
TEST(StepFunctions, OfCellsOfAnySize) {
    for (int exponent = 4; exponent < 28; ++exponent) {
        const auto cell = std::ldexp(1.25f, exponent);
        expect_right(std::vector<float>(500, cell), random_wave(400, 30'000, 100, exponent));
    }
}

// A tile with cells of two binades and of three, in any order.
TEST(StepFunctions, InSeveralBinades) {
    for (const int binades : {2, 3}) {
        std::vector<float> layer(600);
        for (int k = 0; k < 600; ++k) layer[k] = std::ldexp(1.0f, 14 + k % binades);
        expect_right(layer, random_wave(1000, 100'000, 100, binades));
    }
}

// Energies in the middle of two floats, at the ends of a tile and within it: the shares are 2, 4,
// ..., and the distances and 1 powers of four.
TEST(StepFunctions, InTheMiddleOfTwoFloats) {
    for (int exponent = 12; exponent < 22; ++exponent) {
        Wave wave = random_wave(1500, 20'000, 32, exponent);
        for (std::int64_t i = 0; i < wave.count(); i += 3) {
            const std::int64_t away = (std::int64_t{1} << (8 + 2 * (i % 4))) - 1;
            const std::int64_t cell = i % 5 == 0 ? 256 : i % 5 == 1 ? 255 : 10 * (i % 49);
            wave.positions[i] = i % 2 == 0 ? cell - away : cell + away;
        }
        std::vector<float> layer(500);
        for (int k = 0; k < 500; ++k) layer[k] = std::ldexp(1.0f + 0x1p-23f * (k % 3), exponent);
        expect_right(layer, wave);
    }
}

}  // namespace
