// SPDX-License-Identifier: MIT
// CUDA's type conversions and bit casts.
//
// Conversions to integers saturate. NaN becomes 0 where a float goes to 32 bits, and the integer
// with only the highest bit set where a double or 64 bits are concerned, as an H200 does it. A
// plain C++ cast of a value out of range is undefined and cannot be changed here: kernels that need
// saturation call these functions.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <emulator/math_functions.hpp>
#include <limits>
#include <type_traits>

namespace emulator {

template <Rounding mode, class Real>
Real round_to_integral(Real value) {
    if constexpr (mode == Rounding::to_nearest) return std::nearbyint(value);
    if constexpr (mode == Rounding::down) return std::floor(value);
    if constexpr (mode == Rounding::up) return std::ceil(value);
    return std::trunc(value);
}

template <class Integer, Rounding mode, class Real>
Integer to_integer(Real value) {
    using Limits = std::numeric_limits<Integer>;
    if (std::isnan(value)) {
        if (sizeof(Integer) < 8 && sizeof(Real) < 8) return 0;
        constexpr auto kHighestBit = std::make_unsigned_t<Integer>{1}
                                     << (Limits::is_signed ? Limits::digits : Limits::digits - 1);
        return static_cast<Integer>(kHighestBit);
    }
    const Real rounded = round_to_integral<mode>(value);
    // The bounds are powers of two, so exact in floating point; the largest integer is not.
    const Real above = std::ldexp(Real{1}, Limits::digits);
    if (rounded >= above) return Limits::max();
    if (rounded < (Limits::is_signed ? -above : Real{0})) return Limits::min();
    return static_cast<Integer>(rounded);
}

// Integer or double to a narrower floating type, in a given rounding mode (math_functions.cpp).
float to_float_rounded(std::int64_t, Rounding);
float to_float_rounded(std::uint64_t, Rounding);
float to_float_rounded(double, Rounding);
double to_double_rounded(std::int64_t, Rounding);
double to_double_rounded(std::uint64_t, Rounding);

}  // namespace emulator

// ---- bit casts ----
inline int __float_as_int(float value) { return std::bit_cast<int>(value); }
inline unsigned int __float_as_uint(float value) { return std::bit_cast<unsigned int>(value); }
inline float __int_as_float(int bits) { return std::bit_cast<float>(bits); }
inline float __uint_as_float(unsigned int bits) { return std::bit_cast<float>(bits); }
inline long long __double_as_longlong(double value) { return std::bit_cast<long long>(value); }
inline double __longlong_as_double(long long bits) { return std::bit_cast<double>(bits); }
inline int __double2hiint(double value) {
    return static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 32);
}
inline int __double2loint(double value) {
    return static_cast<int>(std::bit_cast<std::uint64_t>(value));
}
inline double __hiloint2double(int high, int low) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(static_cast<unsigned int>(high)) << 32 |
                                 static_cast<unsigned int>(low));
}

// ---- real to integer, and the conversions back that can round ----
#define EMULATOR_CONVERSIONS(suffix, mode)                                              \
    inline int __float2int_##suffix(float x) {                                          \
        return emulator::to_integer<int, emulator::Rounding::mode>(x);                  \
    }                                                                                   \
    inline unsigned int __float2uint_##suffix(float x) {                                \
        return emulator::to_integer<unsigned int, emulator::Rounding::mode>(x);         \
    }                                                                                   \
    inline long long __float2ll_##suffix(float x) {                                     \
        return emulator::to_integer<long long, emulator::Rounding::mode>(x);            \
    }                                                                                   \
    inline unsigned long long __float2ull_##suffix(float x) {                           \
        return emulator::to_integer<unsigned long long, emulator::Rounding::mode>(x);   \
    }                                                                                   \
    inline int __double2int_##suffix(double x) {                                        \
        return emulator::to_integer<int, emulator::Rounding::mode>(x);                  \
    }                                                                                   \
    inline unsigned int __double2uint_##suffix(double x) {                              \
        return emulator::to_integer<unsigned int, emulator::Rounding::mode>(x);         \
    }                                                                                   \
    inline long long __double2ll_##suffix(double x) {                                   \
        return emulator::to_integer<long long, emulator::Rounding::mode>(x);            \
    }                                                                                   \
    inline unsigned long long __double2ull_##suffix(double x) {                         \
        return emulator::to_integer<unsigned long long, emulator::Rounding::mode>(x);   \
    }                                                                                   \
    inline float __int2float_##suffix(int x) {                                          \
        return emulator::to_float_rounded(std::int64_t{x}, emulator::Rounding::mode);   \
    }                                                                                   \
    inline float __uint2float_##suffix(unsigned int x) {                                \
        return emulator::to_float_rounded(std::int64_t{x}, emulator::Rounding::mode);   \
    }                                                                                   \
    inline float __ll2float_##suffix(long long x) {                                     \
        return emulator::to_float_rounded(std::int64_t{x}, emulator::Rounding::mode);   \
    }                                                                                   \
    inline float __ull2float_##suffix(unsigned long long x) {                           \
        return emulator::to_float_rounded(std::uint64_t{x}, emulator::Rounding::mode);  \
    }                                                                                   \
    inline double __ll2double_##suffix(long long x) {                                   \
        return emulator::to_double_rounded(std::int64_t{x}, emulator::Rounding::mode);  \
    }                                                                                   \
    inline double __ull2double_##suffix(unsigned long long x) {                         \
        return emulator::to_double_rounded(std::uint64_t{x}, emulator::Rounding::mode); \
    }                                                                                   \
    inline float __double2float_##suffix(double x) {                                    \
        return emulator::to_float_rounded(x, emulator::Rounding::mode);                 \
    }

EMULATOR_CONVERSIONS(rn, to_nearest)
EMULATOR_CONVERSIONS(rd, down)
EMULATOR_CONVERSIONS(ru, up)
EMULATOR_CONVERSIONS(rz, toward_zero)
#undef EMULATOR_CONVERSIONS

inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned int x) { return x; }
