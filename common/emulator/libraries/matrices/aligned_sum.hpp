// SPDX-License-Identifier: MIT
// Sums of products as an H200's tensor cores compute them (emulator/tensor_cores.hpp).
#pragma once

#include <cstdint>

namespace emulator {

// The sums are cut off so many binary places below the largest exponent.
constexpr std::int32_t kPlaces = 25;

// mantissa x 2^(exponent - 23), where the mantissa has 24 bits or is 0. `kind`: see split().
struct SplitReal {
    std::int32_t mantissa;
    std::int16_t exponent;
    std::int16_t special;  // 0, or kSpecial, for infinities and NaN
    float value;
};

SplitReal split(float value);

// a[0] b[0] + a[1] b[1] + … + c, rounded toward zero, or to the nearest half (as its bits).
float float_sum(const SplitReal* a, const SplitReal* b, int count, float c);
std::uint16_t half_sum(const SplitReal* a, const SplitReal* b, int count, float c);

// The nearest half, as its bits; +0 for a zero.
std::uint16_t half_of(double value);

}  // namespace emulator
