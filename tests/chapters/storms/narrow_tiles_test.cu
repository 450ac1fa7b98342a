// SPDX-License-Identifier: MIT
// Stage many_gpus: whether tiles with fewer cells per thread give the same bits as one particle
// after another, and whether far particles are added by steps there, too.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/input/random.hpp"
#include "many_gpus/narrow_tiles.cuh"
#include "problem/storms.hpp"

namespace {

using course::cuda_check, course::DeviceBuffer;
using storms::kLeastBase, storms::kMostNear, storms::kMostQueued, storms::kRound, storms::kShort;
using storms::kTileCells, storms::kUpdateBlock, storms::Round, storms::Wave;

// What a tile's last round has left in shared memory.
struct LastRound {
    int near, queued;
};

// Adds a wave to a layer: tiles without halos, and no relaxation.
template <int kCells>
__global__ void __launch_bounds__(kUpdateBlock, 6)
    add_wave_kernel(float* layer, std::int64_t size, const std::int64_t* positions,
                    const int* values, std::int64_t count, LastRound* rounds) {
    __shared__ Round<kCells> s_round;
    const std::int64_t first = std::int64_t{kTileCells<kCells>} * blockIdx.x;
    const std::int64_t cell = first + kCells * threadIdx.x;
    float own[kCells];
    for (int j = 0; j < kCells; ++j) own[j] = layer[min(cell + j, size - 1)];
    __syncthreads();  // all cells have been read
    storms::add_in_rounds<storms::TurnsOfShortQueues>(own, static_cast<float>(first), s_round,
                                                      static_cast<float>(size), positions, values,
                                                      0, count);
    for (int j = 0; j < kCells; ++j) {
        if (cell + j < size) layer[cell + j] = own[j];
    }
    if (threadIdx.x == 0) rounds[blockIdx.x] = {s_round.near_count, s_round.queued_count};
}

// Returns what the first tile's last round had.
template <int kCells>
LastRound launch_tiles(float* layer, std::int64_t size, const std::int64_t* positions,
                       const int* values, std::int64_t count) {
    const std::int64_t tiles = (size + kTileCells<kCells> - 1) / kTileCells<kCells>;
    DeviceBuffer<LastRound> d_rounds(tiles);
    add_wave_kernel<kCells>
        <<<tiles, kUpdateBlock>>>(layer, size, positions, values, count, d_rounds.data());
    cuda_check(cudaGetLastError());
    LastRound first;
    cuda_check(cudaMemcpy(&first, d_rounds.data(), sizeof(first), cudaMemcpyDeviceToHost));
    return first;
}

// `layer` gets what tiles with six cells per thread add. Those with one, with five and with ten add
// to copies, which must have the same bits.
void launch_wave(float* layer, std::int64_t size, const std::int64_t* positions, const int* values,
                 std::int64_t count) {
    DeviceBuffer<float> d_others[3] = {DeviceBuffer<float>(size), DeviceBuffer<float>(size),
                                       DeviceBuffer<float>(size)};
    for (auto& other : d_others) {
        cuda_check(cudaMemcpy(other.data(), layer, other.bytes(), cudaMemcpyDeviceToDevice));
    }
    launch_tiles<6>(layer, size, positions, values, count);
    launch_tiles<1>(d_others[0].data(), size, positions, values, count);
    launch_tiles<5>(d_others[1].data(), size, positions, values, count);
    launch_tiles<10>(d_others[2].data(), size, positions, values, count);
    std::vector<float> six(size), cells(size);
    cuda_check(cudaMemcpy(six.data(), layer, d_others[0].bytes(), cudaMemcpyDeviceToHost));
    for (const auto& other : d_others) {
        cuda_check(cudaMemcpy(cells.data(), other.data(), other.bytes(), cudaMemcpyDeviceToHost));
        ASSERT_EQ(std::memcmp(cells.data(), six.data(), other.bytes()), 0);
    }
}

#include "tests/chapters/storms/wave_cases.cuh"
// These need expect_right() and random_wave().
#include "tests/chapters/storms/round_cases.cuh"

LastRound last_round(const std::vector<float>& layer, const Wave& wave) {
    OnDevice device(layer, wave);
    return launch_tiles<6>(device.layer.data(), std::ssize(layer), device.positions.data(),
                           device.values.data(), wave.count());
}

// A particle may have fewer steps on fewer cells, so it is as often near.
TEST(NarrowTiles, TakeTheStepsOfFarParticles) {
    Wave far = random_wave(kRound, 100'000, 100, 1);
    for (auto& position : far.positions) position += 100'000;
    const std::vector<float> layer(kTileCells<6>, 1.25f * 0x1p20f);
    EXPECT_EQ(last_round(layer, far).near, 0);
    EXPECT_LT(last_round(layer, far).queued, kMostQueued<6> / 10);
    EXPECT_GT(last_round(std::vector<float>(kTileCells<6>, 1.25f), far).near, kMostNear);
    EXPECT_EQ(last_round(std::vector<float>(kTileCells<6>, 0.0f), far).near, kRound);
}

}  // namespace
