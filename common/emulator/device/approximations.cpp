// SPDX-License-Identifier: MIT
#include <bit>
#include <cmath>
#include <cstdint>
#include <emulator/approximations.hpp>
#include <emulator/thread.hpp>
#include <limits>
#include <numbers>

#include "common/emulator/process/settings.hpp"
#include "common/input/splitmix64.hpp"

namespace emulator {
namespace {

enum class Function : std::uint64_t {
    rsqrt,
    reciprocal,
    sqrt,
    divide,
    exp2,
    exp,
    exp10,
    log2,
    log,
    log10,
    sin,
    cos,
    tanh
};

// The documented bound is 2. The largest error on an H200 is 1.51 units, of all floats from 1 to 4
// (and from 2^-126 to 2^-124, and from 2^100 to 2^102).
constexpr double kRsqrtUnits = 1.5;

bool is_exact() { return approximation_seed == 0 || current_thread == nullptr; }

// The distance of a float of this size to the next; the value is no denormal number.
double unit_of(double value) {
    constexpr std::uint64_t kExponent = 0x7ff0000000000000;
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & kExponent) * 0x1p-23;
}

std::uint64_t bits_of(float x, float y = 0.0f) {
    return std::uint64_t{std::bit_cast<std::uint32_t>(x)} << 32 | std::bit_cast<std::uint32_t>(y);
}

// The value with an error of up to `bound`, its rounding included.
float err(Function function, std::uint64_t arguments, double value, double bound) {
    const auto exact = static_cast<float>(value);
    const bool is_normal = std::fabs(value) >= std::numeric_limits<float>::min() &&
                           std::fabs(value) <= std::numeric_limits<float>::max();
    if (!is_normal || static_cast<double>(exact) == value) return exact;
    const double room = bound - 0.5 * unit_of(value);
    if (room <= 0) return exact;
    // Each function and seed has numbers of its own.
    std::uint64_t state =
        arguments ^ (approximation_seed << 8 | std::uint64_t(function)) * 0x9e3779b97f4a7c15;
    const std::uint64_t mixed = course::next_splitmix64(state);
    const double share = static_cast<double>(static_cast<std::int64_t>(mixed)) * 0x1p-63;
    return static_cast<float>(value + share * room);
}

float err_by_units(Function function, std::uint64_t arguments, double value, double units) {
    return err(function, arguments, value, units * unit_of(value));
}

// Logarithms: an absolute bound near 1, units elsewhere.
float err_near_one(Function function, float x, double value, double bound, double units) {
    if (x >= 0.5f && x <= 2.0f) return err(function, bits_of(x), value, bound);
    return err_by_units(function, bits_of(x), value, units);
}

// Sine and cosine: the bound holds in [-pi, pi], and grows with the distance from it.
float err_of_angle(Function function, float x, double value, double bound) {
    const double periods = std::fabs(x) * std::numbers::inv_pi;
    return err(function, bits_of(x), value, bound * std::max(1.0, periods));
}

}  // namespace

float approximate_rsqrt(float x) noexcept {
    const double value = 1.0 / std::sqrt(static_cast<double>(x));
    // Rounded once. As on a GPU, this is not always the rounded reciprocal of the rounded root.
    if (is_exact()) return static_cast<float>(value);
    return err_by_units(Function::rsqrt, bits_of(x), value, kRsqrtUnits);
}

float approximate_reciprocal(float x) noexcept {
    if (is_exact()) return 1.0f / x;
    return err_by_units(Function::reciprocal, bits_of(x), 1.0 / static_cast<double>(x), 1);
}

float approximate_sqrt(float x) noexcept {
    if (is_exact()) return std::sqrt(x);
    const double value = std::sqrt(static_cast<double>(x));
    return err(Function::sqrt, bits_of(x), value, value * 0x1p-23);
}

float approximate_divide(float a, float b) noexcept {
    if (is_exact()) return a / b;
    // The divisor's reciprocal is a denormal number there, which is taken as 0.
    if (std::fabs(b) > 0x1p126f && std::isfinite(b)) {
        return a * std::copysign(0.0f, b);
    }
    return err_by_units(Function::divide, bits_of(a, b),
                        static_cast<double>(a) / static_cast<double>(b), 2);
}

float approximate_exp2(float x) noexcept {
    if (is_exact()) return std::exp2(x);
    const double value = std::exp2(static_cast<double>(x));
    return err(Function::exp2, bits_of(x), value, value * 0x1p-22);
}

float approximate_exp(float x) noexcept {
    if (is_exact()) return std::exp(x);
    return err_by_units(Function::exp, bits_of(x), std::exp(static_cast<double>(x)),
                        2 + std::floor(std::fabs(1.173 * x)));
}

float approximate_exp10(float x) noexcept {
    if (is_exact()) return ::exp10f(x);
    return err_by_units(Function::exp10, bits_of(x), ::exp10(static_cast<double>(x)),
                        2 + std::floor(std::fabs(2.97 * x)));
}

float approximate_log2(float x) noexcept {
    if (is_exact()) return std::log2(x);
    return err_near_one(Function::log2, x, std::log2(static_cast<double>(x)), 0x1p-22, 2);
}

float approximate_log(float x) noexcept {
    if (is_exact()) return std::log(x);
    static const double bound = std::exp2(-21.41);
    return err_near_one(Function::log, x, std::log(static_cast<double>(x)), bound, 3);
}

float approximate_log10(float x) noexcept {
    if (is_exact()) return std::log10(x);
    return err_near_one(Function::log10, x, std::log10(static_cast<double>(x)), 0x1p-24, 3);
}

float approximate_sin(float x) noexcept {
    if (is_exact()) return std::sin(x);
    static const double bound = std::exp2(-21.41);
    return err_of_angle(Function::sin, x, std::sin(static_cast<double>(x)), bound);
}

float approximate_cos(float x) noexcept {
    if (is_exact()) return std::cos(x);
    static const double bound = std::exp2(-21.19);
    return err_of_angle(Function::cos, x, std::cos(static_cast<double>(x)), bound);
}

float approximate_tan(float x) noexcept {
    if (is_exact()) return std::tan(x);
    return approximate_sin(x) * approximate_reciprocal(approximate_cos(x));
}

float approximate_tanh(float x) noexcept {
    if (is_exact()) return std::tanh(x);
    const double value = std::tanh(static_cast<double>(x));
    return err(Function::tanh, bits_of(x), value, std::fabs(value) * 0x1p-11);
}

float approximate_pow(float x, float y) noexcept {
    if (is_exact()) return std::pow(x, y);
    return approximate_exp2(y * approximate_log2(x));
}

}  // namespace emulator
