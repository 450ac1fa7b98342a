// SPDX-License-Identifier: MIT
// Stage limit/11: whether rounds of steps, near particles and queued cells give the same bits as
// one particle after another, and which of these ways a round takes.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/input/random.hpp"
#include "limit/08_shared_root/passes.cuh"
#include "limit/11_shared_steps/rounds.cuh"

namespace {

using course::cuda_check, course::DeviceBuffer, storms::kUpdateBlock;

using storms::kLeastBase, storms::kMostCells, storms::kMostNear, storms::kRound, storms::kShort,
    storms::Wave;
constexpr int kWideTile = storms::kTileCells<kMostCells>;
constexpr int kMostQueued = storms::kMostQueued<kMostCells>;

// What a tile's last round has left in shared memory.
struct LastRound {
    int near, queued;
};

// Adds a wave to a layer: tiles without halos, and no relaxation.
__global__ void __launch_bounds__(kUpdateBlock, 6)
    add_wave_kernel(float* layer, std::int64_t size, const std::int64_t* positions,
                    const int* values, std::int64_t count, LastRound* rounds) {
    __shared__ storms::Round<kMostCells> s_round;
    const std::int64_t first = std::int64_t{kWideTile} * blockIdx.x;
    const std::int64_t cell = first + kMostCells * threadIdx.x;
    float own[kMostCells];
    for (int j = 0; j < kMostCells; ++j) own[j] = layer[min(cell + j, size - 1)];
    __syncthreads();  // all cells have been read
    storms::add_in_rounds<storms::CellPerThread>(own, static_cast<float>(first), s_round,
                                                 static_cast<float>(size), positions, values, 0,
                                                 count);
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
// These need expect_right() and random_wave().
#include "tests/chapters/storms/round_cases.cuh"

// Adds a wave to a layer. Returns what the first tile's last round had.
LastRound last_round(const std::vector<float>& layer, const Wave& wave) {
    OnDevice device(layer, wave);
    return launch_wave(device.layer.data(), std::ssize(layer), device.positions.data(),
                       device.values.data(), wave.count())[0];
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
