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

// The power of two at or below the magnitude, which is no denormal number.
double power_of(double value) {
    constexpr std::uint64_t kExponent = 0x7ff0000000000000;
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & kExponent);
}
// The distance of a float of this size to the next: so many of its powers of two.
constexpr double kUnit = 0x1p-23;

std::uint64_t bits_of(float x, float y = 0.0f) {
    return std::uint64_t{std::bit_cast<std::uint32_t>(x)} << 32 | std::bit_cast<std::uint32_t>(y);
}

// Whether the value is a float itself, or too small or too large for one with an error.
bool is_kept(double value) {
    return static_cast<double>(static_cast<float>(value)) == value ||
           !(std::fabs(value) >= std::numeric_limits<float>::min() &&
             std::fabs(value) <= std::numeric_limits<float>::max());
}

// A number in [-2^63, 2^63) that depends on nothing else. Each function and seed has numbers of its
// own.
double number_of(Function function, std::uint64_t arguments) {
    std::uint64_t state =
        arguments ^ (approximation_seed << 8 | std::uint64_t(function)) * 0x9e3779b97f4a7c15;
    const std::uint64_t mixed = course::next_splitmix64(state);
    return static_cast<double>(static_cast<std::int64_t>(mixed));
}
constexpr double kShare = 0x1p-63;  // makes it a number in [-1, 1)

// The value with an error of up to `bound`, its rounding included.
float err(Function function, std::uint64_t arguments, double value, double bound) {
    if (is_kept(value)) return static_cast<float>(value);
    const double room = bound - 0.5 * kUnit * power_of(value);
    if (room <= 0) return static_cast<float>(value);
    return static_cast<float>(value + number_of(function, arguments) * kShare * room);
}

// Of values that are kept, and of the few that a test of the exponent alone does not settle.
[[gnu::noinline]] float err_rarely(double value, double part) {
    if (is_kept(value)) return static_cast<float>(value);
    return static_cast<float>(value + part * power_of(value));
}

// The same with a bound of so many units. All that does not need the value comes first: while the
// processor waits for the value, it computes the rest.
[[gnu::always_inline]] inline float err_by_units(Function function, std::uint64_t arguments,
                                                 double value, double units) {
    const double part = number_of(function, arguments) * ((units - 0.5) * (kUnit * kShare));
    // From 2^-126 to 2^127, and with more digits than a float has.
    constexpr std::uint64_t kMoreDigits = (1u << 29) - 1;
    constexpr std::uint64_t kFirst = 1023 - 126;
    constexpr std::uint64_t kCount = 253;
    const auto bits = std::bit_cast<std::uint64_t>(value);
    if ((bits & kMoreDigits) == 0 || (bits >> 52 & 0x7ff) - kFirst >= kCount) [[unlikely]] {
        return err_rarely(value, part);
    }
    return static_cast<float>(value + part * power_of(value));
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

// std::floor() is a call. The exponentials of large numbers are no floats, and keep their values.
double whole_part(double positive) {
    return positive < 1e9 ? static_cast<double>(static_cast<int>(positive)) : 0.0;
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
                        2 + whole_part(std::fabs(1.173 * x)));
}

float approximate_exp10(float x) noexcept {
    if (is_exact()) return ::exp10f(x);
    return err_by_units(Function::exp10, bits_of(x), ::exp10(static_cast<double>(x)),
                        2 + whole_part(std::fabs(2.97 * x)));
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
