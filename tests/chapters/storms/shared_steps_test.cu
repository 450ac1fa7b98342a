// SPDX-License-Identifier: MIT
// Stage 24: whether rounds of steps, near particles and queued cells give the same bits as one
// particle after another, and which of these ways a round takes.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"

#define main stage_main
#include "24_shared_steps/storms.cu"
#undef main
#include "common/input/random.hpp"

namespace {

using storms::kLeastBase, storms::kMostCells, storms::kMostNear, storms::kMostQueued,
    storms::kRound, storms::kShort, storms::kWideTile, storms::Round, storms::Wave;

// What a tile's last round has left in shared memory.
struct LastRound {
    int near, queued;
};

// Adds a wave to a layer: tiles without halos, and no relaxation.
__global__ void __launch_bounds__(kUpdateBlock, 6)
    add_wave_kernel(float* layer, std::int64_t size, const std::int64_t* positions,
                    const int* values, std::int64_t count, LastRound* rounds) {
    __shared__ Round s_round;
    const std::int64_t first = std::int64_t{kWideTile} * blockIdx.x;
    const std::int64_t cell = first + kMostCells * threadIdx.x;
    float own[kMostCells];
    for (int j = 0; j < kMostCells; ++j) own[j] = layer[min(cell + j, size - 1)];
    __syncthreads();  // all cells have been read
    add_in_rounds(own, static_cast<float>(first), s_round, static_cast<float>(size), positions,
                  values, 0, count);
    for (int j = 0; j < kMostCells; ++j) {
        if (cell + j < size) layer[cell + j] = own[j];
    }
    if (threadIdx.x == 0) rounds[blockIdx.x] = {s_round.near_count, s_round.queued_count};
}

std::vector<LastRound> launch_wave(float* layer, std::int64_t size, const std::int64_t* positions,
                                   const int* values, std::int64_t count) {
    const std::int64_t tiles = (size + kWideTile - 1) / kWideTile;
    DeviceBuffer<LastRound> d_rounds(tiles);
    add_wave_kernel<<<tiles, kUpdateBlock>>>(layer, size, positions, values, count,
                                             d_rounds.data());
    cuda_check(cudaGetLastError());
    std::vector<LastRound> rounds(tiles);
    cuda_check(
        cudaMemcpy(rounds.data(), d_rounds.data(), d_rounds.bytes(), cudaMemcpyDeviceToHost));
    return rounds;
}

#include "tests/chapters/storms/wave_cases.cuh"

// Adds a wave to a layer. Returns what the first tile's last round had.
LastRound last_round(const std::vector<float>& layer, const Wave& wave) {
    DeviceBuffer<float> d_layer(layer.size());
    DeviceBuffer<std::int64_t> d_positions(wave.count());
    DeviceBuffer<int> d_values(wave.count());
    cuda_check(cudaMemcpy(d_layer.data(), layer.data(), d_layer.bytes(), cudaMemcpyHostToDevice));
    cuda_check(cudaMemcpy(d_positions.data(), wave.positions.data(), d_positions.bytes(),
                          cudaMemcpyHostToDevice));
    cuda_check(
        cudaMemcpy(d_values.data(), wave.values.data(), d_values.bytes(), cudaMemcpyHostToDevice));
    return launch_wave(d_layer.data(), std::ssize(layer), d_positions.data(), d_values.data(),
                       wave.count())[0];
}

TEST(SharedSteps, OfAnyNumberOfParticles) {
    for (const int count : {1, 7, 8, 9, 127, 128, 129, 255, 256, 257, 385}) {
        expect_right(std::vector<float>(1300, 1e5f), random_wave(count, 30'000, 100, count));
        expect_right(std::vector<float>(1300, 0.0f), random_wave(count, 30'000, 100, count));
    }
}

TEST(SharedSteps, OnLayersOfAnySize) {
    for (const int size : {1, 2, 9, 10, 11, 1279, 1280, 1281, 2559, 2561}) {
        expect_right(std::vector<float>(size, 1e5f), random_wave(200, 20'000, 100, size));
        expect_right(std::vector<float>(size, 1e5f), random_wave(200, size, 100, size));
    }
}

// From energies of millions of units, which have too many steps, to energies below one unit.
TEST(SharedSteps, OfCellsOfAnySize) {
    for (int exponent = 4; exponent < 28; ++exponent) {
        const auto cell = std::ldexp(1.25f, exponent);
        expect_right(std::vector<float>(2600, cell), random_wave(256, 60'000, 100, exponent));
    }
}

// A tile of one to five binades, in any order: with three, a third of the cells is in the third.
TEST(SharedSteps, InSeveralBinades) {
    for (const int binades : {1, 2, 3, 4, 5}) {
        std::vector<float> layer(2600);
        for (int k = 0; k < 2600; ++k) layer[k] = std::ldexp(1.0f, 14 + k % binades);
        expect_right(layer, random_wave(300, 100'000, 100, binades));
        for (int k = 0; k < 2600; ++k) layer[k] = std::ldexp(1.0f, 14 + k / 300 % binades);
        expect_right(layer, random_wave(300, 100'000, 100, binades));
    }
}

// The cells of a tile leave their binade at different particles: some at the first one, some at
// the last one, and some never.
TEST(SharedSteps, ThatLeadToTheNextBinadeAtAnyPlace) {
    for (const int exponent : {12, 16, 20}) {
        const Wave wave = random_wave(384, 100'000, 100, exponent);
        const float top = std::ldexp(1.0f, exponent);
        std::vector<float> layer(2600);
        // A wave adds some 20 to each cell.
        for (int k = 0; k < 2600; ++k) layer[k] = std::nextafter(top, 0.0f) - 0.02f * (k % 1300);
        expect_right(layer, wave);
        // Fewer cells, so that the others need not be added to in order.
        for (int k = 0; k < 2600; ++k) layer[k] = top * (k % 7 == 0 ? 1 - 0x1p-20f * k : 1.3f);
        expect_right(layer, wave);
    }
}

// Energies in the middle of two floats: the shares are 2, 4, ..., and the distances and 1 powers of
// four. At the ends of a tile, of threads and of warps, and between them.
TEST(SharedSteps, InTheMiddleOfTwoFloats) {
    for (int exponent = 12; exponent < 22; ++exponent) {
        Wave wave = random_wave(384, 20'000, 32, exponent);
        for (std::int64_t i = 0; i < wave.count(); i += 3) {
            const std::int64_t away = (std::int64_t{1} << (12 + 2 * (i % 4))) - 1;
            const std::int64_t cells[] = {0, 1279, 1280, 319, 320, i, 10 * (i % 129), 9};
            const std::int64_t cell = cells[i / 3 % 8];
            wave.positions[i] = i % 2 == 0 ? cell - away : cell + away;
            wave.values[i] = 2 << i % 4;
        }
        std::vector<float> layer(2000);
        for (int k = 0; k < 2000; ++k) {
            layer[k] = std::ldexp(1.0f + 0x1p-23f * (k % 3), exponent + k / 7 % 2);
        }
        expect_right(layer, wave);
    }
}

// The same of near particles: no other cell needs exact energies of them.
TEST(SharedSteps, InTheMiddleOfTwoFloatsWithinTheTile) {
    for (int exponent = 12; exponent < 22; ++exponent) {
        Wave wave = random_wave(256, 200'000, 3, exponent);
        for (std::int64_t i = 0; i < wave.count(); i += 5) wave.positions[i] = i * 37 % 1280;
        std::vector<float> layer(1280);
        for (int k = 0; k < 1280; ++k) {
            layer[k] = std::ldexp(1.0f + 0x1p-23f * (k % 3), exponent + k / 7 % 2);
        }
        layer.resize(1000);  // shares of whole numbers
        expect_right(layer, wave);
    }
}

// Particles within the tile: as many as are listed, and one more or fewer.
TEST(SharedSteps, OfNearParticles) {
    for (const int near : {1, kMostNear - 1, kMostNear, kMostNear + 1, kRound}) {
        Wave wave = random_wave(kRound, 100'000, 100, near);
        for (int i = 0; i < kRound; ++i) wave.positions[i] += 200'000;
        for (int i = 0; i < near; ++i) wave.positions[i * 77 % kRound] = i * 97 % kWideTile;
        expect_right(std::vector<float>(kWideTile, 1e5f), wave);
        EXPECT_EQ(last_round(std::vector<float>(kWideTile, 1e5f), wave).near, near);
    }
}

// A particle within the tile that leads the cells around it beyond their binade, also by far.
TEST(SharedSteps, OfStrongNearParticles) {
    for (const int value : {100'000, 1'000'000, 100'000'000, 2'000'000'000}) {
        Wave wave = random_wave(130, 500'000, 100, value);
        wave.positions[77] = 400;
        wave.values[77] = value;
        expect_right(std::vector<float>(1400, 0x1.8p15f), wave);
        expect_right(std::vector<float>(1400, 0x1.8p24f), wave);
    }
}

TEST(SharedSteps, AtTheLongestDistances) {
    for (const float cell : {100.0f, 1e6f}) {
        Wave wave = random_wave(300, 3000, 2'000'000'000, 1);
        for (std::int64_t i = 0; i < 300; ++i) {
            wave.positions[i] = i % 2 == 0 ? wave.positions[i] - kShort : kShort - i;
            if (i % 3 == 0) wave.values[i] %= 100'000;
            wave.values[i] += 1;
        }
        expect_right(std::vector<float>(2600, cell), wave);
    }
}

// Cells around the least power of two for which steps are counted.
TEST(SharedSteps, OfVerySmallCells) {
    for (const int exponent : {-64, -63, -62}) {
        expect_right(std::vector<float>(1300, std::ldexp(1.5f, exponent)),
                     random_wave(40, 30'000, 100, 3));
    }
}

TEST(Rounds, TakeTheStepsOfFarParticles) {
    const Wave wave = random_wave(kRound, 100'000, 100, 1);
    Wave far = wave;
    for (auto& position : far.positions) position += 100'000;
    const std::vector<float> layer(kWideTile, 1.25f * 0x1p20f);
    EXPECT_EQ(last_round(layer, far).near, 0);
    EXPECT_LT(last_round(layer, far).queued, kMostQueued / 10);
    EXPECT_GT(last_round(std::vector<float>(kWideTile, 1.25f), far).near, kMostNear);
    EXPECT_EQ(last_round(std::vector<float>(kWideTile, 0.0f), far).near, kRound);
}

TEST(Rounds, QueueCellsOfAThirdBinade) {
    std::vector<float> layer(kWideTile, 1.25f * 0x1p20f);
    layer[3] *= 2;
    layer[77] *= 4;
    layer[800] *= 8;
    Wave wave = random_wave(kRound, 100'000, 3, 1);
    for (auto& position : wave.positions) position += 100'000;
    EXPECT_EQ(last_round(layer, wave).near, 0);
    EXPECT_EQ(last_round(layer, wave).queued, 2);
}

TEST(PositiveWaves, AreThoseWithoutNegativeValuesAndZeros) {
    std::vector<Wave> waves = {random_wave(9, 100, 100, 1), Wave(), random_wave(9, 100, 100, 2)};
    EXPECT_TRUE(storms::is_positive(waves));
    for (const std::int32_t value : {0, -1}) {
        std::vector<Wave> others = waves;
        others[2].values[8] = value;
        EXPECT_FALSE(storms::is_positive(others));
    }
}

}  // namespace
