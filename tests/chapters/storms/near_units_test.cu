// SPDX-License-Identifier: MIT
// The block near_units: whether the units of a list of particles are those of one addition after
// another, and whether ties are found.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "blocks/near_units/near_units.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/input/random.hpp"

namespace {

using course::cuda_check, course::DeviceBuffer;

constexpr int kCells = 10, kThreads = 32, kTileCells = kCells * kThreads, kMost = 64;

__global__ void count_kernel(const float* cells, const float2* particles, int count, unsigned ties,
                             int* units, unsigned* found_ties) {
    __shared__ float2 s_particles[kMost];
    __shared__ float s_cells[kTileCells];
    __shared__ int s_count;
    for (int i = threadIdx.x; i < count; i += kThreads) s_particles[i] = particles[i];
    if (threadIdx.x == 0) s_count = count;
    __syncthreads();  // the list has been written
    const int first = kCells * threadIdx.x;
    float own[kCells];
    int own_units[kCells];
    for (int j = 0; j < kCells; ++j) own[j] = cells[first + j];
    found_ties[threadIdx.x] = storms::count_near_units(
        own_units, own, static_cast<float>(first), {s_particles, s_count}, &s_cells[first], ties);
    for (int j = 0; j < kCells; ++j) units[first + j] = own_units[j];
}

float energy_of(float2 particle, int cell) {
    return particle.y / std::sqrt(std::abs(particle.x - static_cast<float>(cell)) + 1);
}

int bits(float number) { return std::bit_cast<int>(number); }

// Of all cells, how many had a tie, and how many differ by an approximation.
struct Seldom {
    int ties = 0, not_approximate = 0;
};

Seldom expect_right(const std::vector<float>& cells, const std::vector<float2>& particles,
                    unsigned ties) {
    const int count = static_cast<int>(particles.size());
    DeviceBuffer<float> d_cells(kTileCells);
    DeviceBuffer<float2> d_particles(count);
    DeviceBuffer<int> d_units(kTileCells);
    DeviceBuffer<unsigned> d_ties(kThreads);
    cuda_check(cudaMemcpy(d_cells.data(), cells.data(), d_cells.bytes(), cudaMemcpyHostToDevice));
    cuda_check(cudaMemcpy(d_particles.data(), particles.data(), d_particles.bytes(),
                          cudaMemcpyHostToDevice));
    count_kernel<<<1, kThreads>>>(d_cells.data(), d_particles.data(), count, ties, d_units.data(),
                                  d_ties.data());
    cuda_check(cudaGetLastError());
    std::vector<int> units(kTileCells);
    std::vector<unsigned> found(kThreads);
    cuda_check(cudaMemcpy(units.data(), d_units.data(), d_units.bytes(), cudaMemcpyDeviceToHost));
    cuda_check(cudaMemcpy(found.data(), d_ties.data(), d_ties.bytes(), cudaMemcpyDeviceToHost));
    Seldom seldom;
    for (int cell = 0; cell < kTileCells; ++cell) {
        const int base = bits(cells[cell]) & -storms::kBinade;
        int expected = 0, least = 0;
        bool has_tie = false;
        for (const float2 particle : particles) {
            const float energy = energy_of(particle, cell);
            const int own = bits(std::bit_cast<float>(base) + energy) - base;
            has_tie |= bits(std::bit_cast<float>(base + 1) + energy) - (base + 1) != own;
            expected += own;
            least += bits(std::bit_cast<float>(base) + energy * (1 - storms::kError)) - base;
        }
        const bool was_tie = ties >> cell % kCells & 1;
        const bool is_tie = found[cell / kCells] >> cell % kCells & 1;
        EXPECT_EQ(is_tie, has_tie || was_tie) << "cell " << cell;
        if (!is_tie) {
            EXPECT_EQ(units[cell], expected) << "cell " << cell;
        }
        seldom.ties += has_tie;
        seldom.not_approximate += !has_tie && least != expected;
    }
    return seldom;
}

std::vector<float2> random_particles(int count, int range, float most, std::uint64_t seed) {
    course::Random random(seed);
    std::vector<float2> particles;
    for (int i = 0; i < count; ++i) {
        const auto share = most * static_cast<float>(1 + random.below(1000)) / 1024;
        particles.push_back(make_float2(static_cast<float>(random.below(range)) - 100, share));
    }
    return particles;
}

// Cells of 2^10 and of 2^12: an energy is up to 2^17 units.
std::vector<float> cells_of_two_binades() {
    std::vector<float> cells(kTileCells);
    for (int i = 0; i < kTileCells; ++i) cells[i] = (i % 7 == 0 ? 4096.0f : 1024.0f) + i % 13;
    return cells;
}

TEST(CountNearUnits, OfAnyParticles) {
    int not_approximate = 0;
    for (const int count : {1, 2, 31, kMost}) {
        for (const float most : {0x1p-12f, 1.0f, 8.0f}) {
            const auto particles = random_particles(count, 600, most, count);
            not_approximate += expect_right(cells_of_two_binades(), particles, 0).not_approximate;
        }
    }
    EXPECT_GT(not_approximate, 20);  // which the bounds alone do not tell
}

TEST(CountNearUnits, WithTies) {
    // A share of half a unit of 2^10, at the particle's own cell and at square distances.
    std::vector<float2> particles = random_particles(20, 300, 1.0f, 5);
    for (int cell = 0; cell < kTileCells; cell += 11) {
        particles.push_back(make_float2(static_cast<float>(cell), 0x1p-14f));
    }
    EXPECT_GT(expect_right(cells_of_two_binades(), particles, 0).ties, 20);
}

TEST(CountNearUnits, KeepsTheTiesThatWereKnown) {
    expect_right(cells_of_two_binades(), random_particles(40, 600, 1.0f, 7), 1u << 3 | 1u << 9);
}

}  // namespace
