// SPDX-License-Identifier: MIT
// From random bits to real numbers, as cuRAND does it.
//
// Uniform numbers are NVIDIA's bit for bit. Normal numbers come from the same bits by the same
// formula, but the GPU's logarithm, sine and cosine differ in the last bits.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <emulator/special_functions.hpp>

namespace emulator {

// Uniform in (0, 1]. A float takes the upper half of 64 bits, a double their upper 53.
inline float to_uniform(unsigned int bits) {
    constexpr float kUnit = 0x1p-32f;
    return static_cast<float>(bits) * kUnit + kUnit / 2;
}
inline float to_uniform(unsigned long long bits) {
    return to_uniform(static_cast<unsigned int>(bits >> 32));
}
inline double to_uniform_double(unsigned int bits) { return bits * 0x1p-32 + 0x1p-32; }
inline double to_uniform_double(unsigned long long bits) {
    return static_cast<double>(bits >> 11) * 0x1p-53 + 0x1p-54;
}

// 53 bits of two integers, in units of 2^-53 and from half a unit.
inline double to_uniform_double(unsigned int low, unsigned int high) {
    const std::uint64_t bits = low ^ static_cast<std::uint64_t>(high) << (53 - 32);
    return static_cast<double>(bits) * 0x1p-53 + 0x1p-54;
}

// Uniform in (0, 1), for the inversion of a Poisson distribution, which would not end at 1.
inline double to_open_uniform(unsigned int bits) { return bits * 0x1p-32 + 0x1p-33; }
inline double to_open_uniform(unsigned long long bits) {
    return static_cast<double>(bits >> 11) * 0x1p-53 + 0x1p-55;
}

constexpr float kTwoPi = 6.2831855f;

// The Box-Muller transform: two normal numbers from a uniform number and an angle in radians.
inline float2 box_muller(float uniform, float angle) {
    const float radius = std::sqrt(-2.0f * std::log(uniform));
    return make_float2(std::sin(angle) * radius, std::cos(angle) * radius);
}
inline float2 box_muller(unsigned int radius_bits, unsigned int angle_bits) {
    constexpr float kAngleUnit = 0x1p-32f * kTwoPi;
    return box_muller(to_uniform(radius_bits),
                      std::fma(static_cast<float>(angle_bits), kAngleUnit, kAngleUnit / 2));
}
inline double2 box_muller_half_turns(double uniform, double half_turns) {
    const double radius = std::sqrt(-2.0 * std::log(uniform));
    return make_double2(emulator::sine_of_half_turns(half_turns) * radius,
                        emulator::cosine_of_half_turns(half_turns) * radius);
}
inline double2 box_muller_double(uint4 bits) {
    return box_muller_half_turns(to_uniform_double(bits.x, bits.y),
                                 2.0 * to_uniform_double(bits.z, bits.w));
}

// One normal number by the inverse distribution function. The upper half of the bits is mirrored,
// so that no digits of a small probability are lost.
inline float to_normal(unsigned int bits) {
    const bool is_upper = bits > 0x80000000u;
    const float probability = to_uniform(is_upper ? ~bits : bits);
    const float magnitude =
        1.4142135f * static_cast<float>(emulator::inverse_erfc(2.0f * probability));
    return is_upper ? magnitude : -magnitude;
}
inline float to_normal(unsigned long long bits) {
    return to_normal(static_cast<unsigned int>(bits >> 32));
}
inline double normal_quantile(double probability, bool is_upper) {
    const double magnitude = 1.4142135623730951 * emulator::inverse_erfc(2.0 * probability);
    return is_upper ? magnitude : -magnitude;
}
inline double to_normal_double(unsigned int bits) {
    const bool is_upper = bits > 0x80000000u;
    return normal_quantile((is_upper ? ~bits : bits) * 0x1p-32 + 0x1p-33, is_upper);
}
inline double to_normal_double(unsigned long long bits) {
    constexpr std::uint64_t kHalf = std::uint64_t{1} << 52;
    std::uint64_t upper = bits >> 11;
    const bool is_upper = upper > kHalf;
    if (is_upper) upper = (2 * kHalf - 1) - upper;
    return normal_quantile(static_cast<double>(upper) * 0x1p-53 + 0x1p-54, is_upper);
}

}  // namespace emulator
