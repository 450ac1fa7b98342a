// SPDX-License-Identifier: MIT
// Stage limit/09: whether parts of the particles give the same bits as one particle after another,
// whatever the cells hold.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/input/random.hpp"
#include "limit/09_split_particles/split.cuh"
#include "problem/storms.hpp"

namespace {

using course::cuda_check, course::DeviceBuffer;
using storms::Input, storms::is_split, storms::kManyCells, storms::kManyParticles, storms::kShort;
using storms::kTile, storms::kWarps, storms::Wave;

constexpr auto kKernel = storms::split_particles_kernel<storms::BoundSums>;
constexpr std::size_t kSharedBytes = sizeof(storms::SplitTile<storms::BoundSums>);
#include "tests/chapters/storms/split_cases.cuh"

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
