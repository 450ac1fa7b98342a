// SPDX-License-Identifier: MIT
// The block rounded_units: whether whole numbers of units give the bits of rounded additions.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "blocks/rounded_units/rounded_units.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/input/random.hpp"

namespace {

using course::cuda_check, course::DeviceBuffer, storms::Units;

constexpr int kNumbers = 32;  // one per lane
constexpr int kBinadeBits = (127 + 10) * storms::kBinade;  // of 2^10: a unit is 2^-13

struct Found {
    Units units, unpacked;
    unsigned even_end,
        odd_end;  // the bits after all lanes' units, from 2^10 and the float after it
};

__global__ void units_kernel(const float* numbers, Found* found) {
    const float number = numbers[threadIdx.x];
    const Units units = storms::units_of_warp(kBinadeBits, number);
    bool is_tie;
    const int own = storms::rounded_units(kBinadeBits, number, is_tie);
    // From an odd sum on, a tie is rounded to the other side.
    bool is_odd_up = false;
    if (is_tie)
        is_odd_up =
            __int_as_float(kBinadeBits + 1) + number > __int_as_float(kBinadeBits + 1 + own);
    unsigned ends[2];
    for (int odd = 0; odd < 2; ++odd) {
        Units of_lane = {own, is_tie ? (is_odd_up ? 1 : -1) : 0};
        const unsigned start = storms::add_lanes_below(kBinadeBits + odd, of_lane);
        ends[odd] = __shfl_sync(~0u, start + of_lane.even, 31);
    }
    if (threadIdx.x == 0)
        *found = {units, storms::units_of(storms::word_of(units)), ends[0], ends[1]};
}

void expect_right(const std::vector<float>& numbers) {
    DeviceBuffer<float> d_numbers(kNumbers);
    DeviceBuffer<Found> d_found(1);
    cuda_check(
        cudaMemcpy(d_numbers.data(), numbers.data(), d_numbers.bytes(), cudaMemcpyHostToDevice));
    units_kernel<<<1, kNumbers>>>(d_numbers.data(), d_found.data());
    cuda_check(cudaGetLastError());
    Found found;
    cuda_check(cudaMemcpy(&found, d_found.data(), sizeof(found), cudaMemcpyDeviceToHost));
    int ends[2];
    for (int odd = 0; odd < 2; ++odd) {
        float sum = std::bit_cast<float>(kBinadeBits + odd);
        for (const float number : numbers) sum += number;
        ends[odd] = std::bit_cast<int>(sum);
    }
    EXPECT_EQ(found.units.even, ends[0] - kBinadeBits);
    EXPECT_EQ(found.units.more, ends[1] - (kBinadeBits + 1) - found.units.even);
    EXPECT_EQ(found.unpacked.even, found.units.even);
    EXPECT_EQ(found.unpacked.more, found.units.more);
    EXPECT_EQ(found.even_end, static_cast<unsigned>(ends[0]));
    EXPECT_EQ(found.odd_end, static_cast<unsigned>(ends[1]));
}

TEST(RoundedUnits, OfAnyNumbers) {
    course::Random random(3);
    for (int trial = 0; trial < 100; ++trial) {
        std::vector<float> numbers(kNumbers);
        for (auto& number : numbers) {
            number = std::ldexp(static_cast<float>(1 + random.below(1 << 20)), -20 - trial % 20);
        }
        expect_right(numbers);
    }
}

// Halves of a unit: at one lane, at some, and at all. More of them round up or down by one.
TEST(RoundedUnits, InTheMiddleOfTwoFloats) {
    for (int pitch = 1; pitch <= kNumbers; ++pitch) {
        for (int first = 0; first < 2; ++first) {
            std::vector<float> numbers(kNumbers, 3 * 0x1p-13f);
            for (int i = first; i < kNumbers; i += pitch) {
                numbers[i] = (static_cast<float>(i % 3) + 0.5f) * 0x1p-13f;
            }
            expect_right(numbers);
        }
    }
}

__global__ void binade_kernel(const float* numbers, int* binades) {
    binades[threadIdx.x] = storms::binade_of(numbers[threadIdx.x]);
}

TEST(BinadeOf, IsThePowerOfTwoBelow) {
    const std::vector<float> numbers = {1024.0f, 1025.0f, std::nextafter(2048.0f, 0.0f), 2048.0f,
                                        0.0f};
    const float expected[] = {1024.0f, 1024.0f, 1024.0f, 2048.0f, 0.0f};
    const int count = static_cast<int>(numbers.size());
    DeviceBuffer<float> d_numbers(count);
    DeviceBuffer<int> d_binades(count);
    cuda_check(
        cudaMemcpy(d_numbers.data(), numbers.data(), d_numbers.bytes(), cudaMemcpyHostToDevice));
    binade_kernel<<<1, count>>>(d_numbers.data(), d_binades.data());
    cuda_check(cudaGetLastError());
    std::vector<int> binades(count);
    cuda_check(
        cudaMemcpy(binades.data(), d_binades.data(), d_binades.bytes(), cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; ++i) EXPECT_EQ(binades[i], std::bit_cast<int>(expected[i]));
}

}  // namespace
