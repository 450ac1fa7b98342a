// SPDX-License-Identifier: MIT
// The two 16-bit floating-point formats, __half and __nv_bfloat16: rounding and exact sums in
// integer arithmetic. Results are those of the GPU to the bit where the PTX ISA defines them:
// one rounding per operation, subnormal numbers are kept, a NaN result is 0x7fff.
#pragma once

#include <cuda_runtime.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace emulator {

template <int kExponentBits>
struct SmallFormat {
    static constexpr int kMantissaBits = 15 - kExponentBits;
    static constexpr int kLeastExponent = 2 - (1 << (kExponentBits - 1));
    static constexpr std::uint16_t kInfinity =
        static_cast<std::uint16_t>(0x7fff >> kMantissaBits << kMantissaBits);
    static constexpr std::uint16_t kNan = 0x7fff;
};
using HalfFormat = SmallFormat<5>;
using BfloatFormat = SmallFormat<8>;

// significand * 2^exponent, rounded once.
template <class Format>
constexpr std::uint16_t round_small(bool negative, std::uint64_t significand, int exponent,
                                    Rounding mode) {
    const auto sign = static_cast<std::uint16_t>(negative ? 0x8000 : 0);
    if (significand == 0) return sign;
    const int highest = 63 - std::countl_zero(significand) + exponent;
    const int scale = highest > Format::kLeastExponent ? highest : Format::kLeastExponent;
    const int shift = scale - Format::kMantissaBits - exponent;  // how many bits are cut off
    std::uint64_t kept = 0;
    int beyond_half =
        -1;  // the part that is cut off is below (-1), at (0) or above half of the last
    bool exact = true;
    if (shift <= 0) {
        kept = significand << -shift;
    } else {
        kept = shift > 63 ? 0 : significand >> shift;
        const std::uint64_t half = shift > 64 ? 0 : std::uint64_t{1} << (shift - 1);
        const std::uint64_t rest = shift > 63 ? significand : significand & ((half << 1) - 1);
        exact = rest == 0;
        beyond_half = half == 0 || rest < half ? -1 : rest == half ? 0 : 1;
    }
    const bool up = mode == Rounding::to_nearest
                        ? beyond_half > 0 || (beyond_half == 0 && (kept & 1) != 0)
                        : !exact && ((mode == Rounding::up && !negative) ||
                                     (mode == Rounding::down && negative));
    kept += up ? 1 : 0;
    if (highest > Format::kLeastExponent + (1 << (15 - Format::kMantissaBits))) {
        kept = std::uint64_t{1} << 32;  // far too large
    } else if (highest >= Format::kLeastExponent) {
        kept += static_cast<std::uint64_t>(highest - Format::kLeastExponent)
                << Format::kMantissaBits;
    }
    if (kept >= Format::kInfinity) {
        const bool stays_finite = mode == Rounding::toward_zero ||
                                  (mode == Rounding::down && !negative) ||
                                  (mode == Rounding::up && negative);
        kept = stays_finite ? Format::kInfinity - 1u : Format::kInfinity;
    }
    return static_cast<std::uint16_t>(sign | kept);
}

template <class Format>
constexpr std::uint16_t small_from_double(double x, Rounding mode = Rounding::to_nearest) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const auto exponent = static_cast<int>(bits >> 52 & 0x7ff);
    const std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
    const bool negative = bits >> 63 != 0;
    if (exponent == 0x7ff) {
        if (mantissa != 0) return Format::kNan;
        return static_cast<std::uint16_t>(Format::kInfinity | (negative ? 0x8000 : 0));
    }
    if (exponent == 0) return round_small<Format>(negative, mantissa, -1074, mode);
    return round_small<Format>(negative, mantissa | std::uint64_t{1} << 52, exponent - 1075, mode);
}

// The conversion of a double that a program asks for: a NaN keeps its sign and its highest bits, as
// measured on an H200. (Other operations give the canonical NaN.)
template <class Format>
constexpr std::uint16_t convert_double(double x) {
    if (x == x) return small_from_double<Format>(x);
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const auto mantissa = static_cast<std::uint16_t>((bits & ((std::uint64_t{1} << 52) - 1)) >>
                                                     (52 - Format::kMantissaBits));
    return static_cast<std::uint16_t>((bits >> 48 & 0x8000) | Format::kInfinity | mantissa |
                                      1u << (Format::kMantissaBits - 1));
}

template <class Format, class Integer>
constexpr std::uint16_t small_from_integer(Integer x, Rounding mode = Rounding::to_nearest) {
    const bool negative = x < 0;
    const auto bits = static_cast<std::uint64_t>(x);
    return round_small<Format>(negative, negative ? 0 - bits : bits, 0, mode);
}

// Every value of a small format is one of float, and is itself there.
template <class Format>
constexpr float float_from_small(std::uint16_t bits) {
    constexpr int kShift = 23 - Format::kMantissaBits;
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
    const std::uint32_t magnitude = bits & 0x7fffu;
    if constexpr (kShift == 16) {
        return std::bit_cast<float>(sign | magnitude << 16);
    } else if (magnitude > Format::kInfinity) {
        return std::bit_cast<float>(0x7fffffffu);  // as PTX's cvt
    } else if (magnitude == Format::kInfinity) {
        return std::bit_cast<float>(sign | 0x7f800000u);
    } else {
        // As a float with a too small exponent, then multiplied by the missing power of two.
        const float scaled = std::bit_cast<float>(magnitude << kShift) * 0x1p+112f;
        return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | sign);
    }
}

// a + b with the last bit set if the sum is not exact ("rounded to odd"): rounding it again to
// fewer bits gives the exact sum, rounded once. (Boldo and Melquiond, Emulation of a FMA, 2008.)
inline double sum_to_odd(double a, double b) {
    const double sum = a + b;
    if (!std::isfinite(sum) || sum == 0.0) return sum;
    const double part = sum - a;
    const double error = (a - (sum - part)) + (b - part);
    const auto bits = std::bit_cast<std::uint64_t>(sum);
    if (error == 0.0 || (bits & 1) != 0) return sum;
    // Towards the exact sum: away from zero if the error has the sum's sign.
    return std::bit_cast<double>(std::signbit(error) == std::signbit(sum) ? bits + 1 : bits - 1);
}

// A number's value as an integer of type T: saturated, and 0 for NaN, as PTX's cvt does. bfloat16
// becomes a 64-bit integer by way of float, whose NaN gives the highest bit.
template <class T, class Format>
T saturated(float rounded) {
    if (std::isnan(rounded)) {
        constexpr bool kByFloat = sizeof(T) == 8 && std::is_same_v<Format, BfloatFormat>;
        return kByFloat ? static_cast<T>(std::uint64_t{1} << 63) : 0;
    }
    constexpr auto kLeast = static_cast<float>(std::numeric_limits<T>::min());
    constexpr auto kGreatest = static_cast<float>(std::numeric_limits<T>::max());
    if (rounded <= kLeast) return std::numeric_limits<T>::min();
    if (rounded >= kGreatest) return std::numeric_limits<T>::max();
    return static_cast<T>(rounded);
}

// One of the formats as a type. Derived types add the toolkit's names.
template <class Format>
struct SmallFloat {
    std::uint16_t bits;

    SmallFloat() = default;
    constexpr float value() const { return float_from_small<Format>(bits); }
};

}  // namespace emulator
