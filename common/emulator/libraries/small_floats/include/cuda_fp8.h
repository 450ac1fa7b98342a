// SPDX-License-Identifier: MIT
// 8-bit floating point: conversions only, as in the toolkit. Two formats (CUDA Math API, "FP8
// Intrinsics"): E4M3 has no infinity and ends at 448, E5M2 ends at 57344. Scales are E8M0.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;
using __nv_fp8x4_storage_t = unsigned int;

// What a number becomes that is too large: the largest one, or infinity (in E4M3: NaN).
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

namespace emulator {

struct Fp8Format {
    int mantissa_bits;
    int bias;
    unsigned char largest;
    unsigned char overflow;  // without saturation

    static constexpr Fp8Format of(__nv_fp8_interpretation_t interpretation) {
        return interpretation == __NV_E4M3 ? Fp8Format{3, 7, 0x7e, 0x7f}
                                           : Fp8Format{2, 15, 0x7b, 0x7c};
    }
};

// The magnitude of a positive finite number, rounded to the nearest, of two equally near ones to
// the even one. The codes of ascending numbers ascend, so that a carry gives the next exponent.
inline unsigned int round_to_fp8(double magnitude, Fp8Format format) {
    const int least_exponent = 1 - format.bias;
    const int exponent = magnitude == 0 ? least_exponent : std::ilogb(magnitude);
    const int scale = exponent > least_exponent ? exponent : least_exponent;
    const double units = std::nearbyint(std::ldexp(magnitude, format.mantissa_bits - scale));
    if (exponent > format.bias + 8) return 0x100;  // far too large
    return static_cast<unsigned int>(units) +
           (static_cast<unsigned int>(scale - least_exponent) << format.mantissa_bits);
}

inline double value_of_fp8(__nv_fp8_storage_t code, __nv_fp8_interpretation_t interpretation) {
    const Fp8Format format = Fp8Format::of(interpretation);
    const int magnitude = code & 0x7f;
    const double sign = (code & 0x80) != 0 ? -1.0 : 1.0;
    if (magnitude > format.largest) {
        if (interpretation == __NV_E5M2 && magnitude == format.overflow) {
            return sign * std::numeric_limits<double>::infinity();
        }
        return std::numeric_limits<double>::quiet_NaN();
    }
    const int exponent = magnitude >> format.mantissa_bits;
    const int mantissa = magnitude & ((1 << format.mantissa_bits) - 1);
    const int significand = exponent == 0 ? mantissa : mantissa + (1 << format.mantissa_bits);
    const int scale = (exponent == 0 ? 1 : exponent) - format.bias - format.mantissa_bits;
    return sign * std::ldexp(significand, scale);
}

}  // namespace emulator

inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                 __nv_fp8_interpretation_t interpretation) {
    const emulator::Fp8Format format = emulator::Fp8Format::of(interpretation);
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const unsigned int sign = (bits >> 63) != 0 ? 0x80u : 0u;
    unsigned int code = 0;
    if (std::isnan(x)) {
        // E5M2 keeps the mantissa's highest bits.
        code = interpretation == __NV_E4M3 ? 0x7f : 0x7e | (bits >> 50 & 3);
    } else {
        code = std::isinf(x) ? 0x100 : emulator::round_to_fp8(std::fabs(x), format);
        if (code > format.largest) {
            code = saturate == __NV_SATFINITE ? format.largest : format.overflow;
        }
    }
    return static_cast<__nv_fp8_storage_t>(sign | code);
}
// A NaN loses its sign.
inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                __nv_fp8_interpretation_t interpretation) {
    if (std::isnan(x)) return 0x7f;
    return __nv_cvt_double_to_fp8(static_cast<double>(x), saturate, interpretation);
}
inline __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                                                  __nv_fp8_interpretation_t interpretation) {
    return __nv_cvt_float_to_fp8(__half2float(__half(x)), saturate, interpretation);
}
inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x,
                                                      __nv_saturation_t saturate,
                                                      __nv_fp8_interpretation_t interpretation) {
    return __nv_cvt_float_to_fp8(__bfloat162float(__nv_bfloat16(x)), saturate, interpretation);
}

// Pairs: x is the lower byte.
#define EMULATOR_FP8_PAIR(name, Pair, single, X, Y)                                         \
    inline __nv_fp8x2_storage_t name(Pair v, __nv_saturation_t saturate,                    \
                                     __nv_fp8_interpretation_t interpretation) {            \
        return static_cast<__nv_fp8x2_storage_t>(single(Y, saturate, interpretation) << 8 | \
                                                 single(X, saturate, interpretation));      \
    }
EMULATOR_FP8_PAIR(__nv_cvt_double2_to_fp8x2, double2, __nv_cvt_double_to_fp8, v.x, v.y)
EMULATOR_FP8_PAIR(__nv_cvt_float2_to_fp8x2, float2, __nv_cvt_float_to_fp8, v.x, v.y)
EMULATOR_FP8_PAIR(__nv_cvt_halfraw2_to_fp8x2, __half2_raw, __nv_cvt_halfraw_to_fp8, __half_raw{v.x},
                  __half_raw{v.y})
EMULATOR_FP8_PAIR(__nv_cvt_bfloat16raw2_to_fp8x2, __nv_bfloat162_raw, __nv_cvt_bfloat16raw_to_fp8,
                  __nv_bfloat16_raw{v.x}, __nv_bfloat16_raw{v.y})
#undef EMULATOR_FP8_PAIR

// Each value is one of half precision, too.
inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x,
                                          __nv_fp8_interpretation_t interpretation) {
    const double value = emulator::value_of_fp8(x, interpretation);
    return std::isnan(value) ? __half_raw{0x7fff}
                             : __half_raw(__float2half(static_cast<float>(value)));
}
inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                              __nv_fp8_interpretation_t interpretation) {
    const auto low = static_cast<__nv_fp8_storage_t>(x & 0xff);
    const auto high = static_cast<__nv_fp8_storage_t>(x >> 8);
    return {__nv_cvt_fp8_to_halfraw(low, interpretation).x,
            __nv_cvt_fp8_to_halfraw(high, interpretation).x};
}

namespace emulator {

template <__nv_fp8_interpretation_t kInterpretation>
struct alignas(1) Fp8 {
    __nv_fp8_storage_t __x;

    Fp8() = default;
    explicit Fp8(__half x) : __x(__nv_cvt_halfraw_to_fp8(x, __NV_SATFINITE, kInterpretation)) {}
    explicit Fp8(__nv_bfloat16 x)
        : __x(__nv_cvt_bfloat16raw_to_fp8(x, __NV_SATFINITE, kInterpretation)) {}
    explicit Fp8(float x) : __x(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, kInterpretation)) {}
    explicit Fp8(double x) : __x(__nv_cvt_double_to_fp8(x, __NV_SATFINITE, kInterpretation)) {}
    template <class Integer>
    requires std::is_integral_v<Integer>
    explicit Fp8(Integer x) : Fp8(static_cast<float>(x)) {}

    explicit operator __half() const {
        return __half(__nv_cvt_fp8_to_halfraw(__x, kInterpretation));
    }
    explicit operator __nv_bfloat16() const { return __float2bfloat16(float(*this)); }
    explicit operator float() const { return __half2float(__half(*this)); }
    explicit operator double() const { return static_cast<double>(float(*this)); }
    explicit operator bool() const { return (__x & 0x7f) != 0; }
    // Truncated; too large ones become the largest. A NaN becomes 0, of 64 bits the highest bit.
    template <class Integer>
    requires(std::is_integral_v<Integer> && !std::is_same_v<Integer, bool>) explicit
    operator Integer() const {
        using Limits = std::numeric_limits<Integer>;
        const auto value = static_cast<double>(*this);
        if (std::isnan(value)) {
            return sizeof(Integer) == 8 ? static_cast<Integer>(std::uint64_t{1} << 63) : Integer{0};
        }
        if (value >= static_cast<double>(Limits::max())) return Limits::max();
        if (value <= static_cast<double>(Limits::min())) return Limits::min();
        return static_cast<Integer>(value);
    }
};

template <__nv_fp8_interpretation_t kInterpretation>
struct alignas(2) Fp8x2 {
    __nv_fp8x2_storage_t __x;

    Fp8x2() = default;
    explicit Fp8x2(__half2 v)
        : __x(__nv_cvt_halfraw2_to_fp8x2(v, __NV_SATFINITE, kInterpretation)) {}
    explicit Fp8x2(__nv_bfloat162 v)
        : __x(__nv_cvt_bfloat16raw2_to_fp8x2(v, __NV_SATFINITE, kInterpretation)) {}
    explicit Fp8x2(float2 v) : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, kInterpretation)) {}
    explicit Fp8x2(double2 v)
        : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, kInterpretation)) {}

    explicit operator __half2() const {
        return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, kInterpretation));
    }
    explicit operator float2() const { return __half22float2(__half2(*this)); }
};

template <__nv_fp8_interpretation_t kInterpretation>
struct alignas(4) Fp8x4 {
    using Pair = Fp8x2<kInterpretation>;
    __nv_fp8x4_storage_t __x;

    Fp8x4() = default;
    explicit Fp8x4(__half2 low, __half2 high) : Fp8x4(Pair(low), Pair(high)) {}
    explicit Fp8x4(__nv_bfloat162 low, __nv_bfloat162 high) : Fp8x4(Pair(low), Pair(high)) {}
    explicit Fp8x4(float4 v) : Fp8x4(Pair(make_float2(v.x, v.y)), Pair(make_float2(v.z, v.w))) {}
    explicit Fp8x4(double4 v) : Fp8x4(Pair(make_double2(v.x, v.y)), Pair(make_double2(v.z, v.w))) {}

    explicit operator float4() const {
        Pair low;
        Pair high;
        low.__x = static_cast<__nv_fp8x2_storage_t>(__x & 0xffff);
        high.__x = static_cast<__nv_fp8x2_storage_t>(__x >> 16);
        const auto a = float2(low);
        const auto b = float2(high);
        return make_float4(a.x, a.y, b.x, b.y);
    }

  private:
    Fp8x4(Pair low, Pair high) : __x(static_cast<unsigned int>(high.__x) << 16 | low.__x) {}
};

}  // namespace emulator

using __nv_fp8_e4m3 = emulator::Fp8<__NV_E4M3>;
using __nv_fp8_e5m2 = emulator::Fp8<__NV_E5M2>;
using __nv_fp8x2_e4m3 = emulator::Fp8x2<__NV_E4M3>;
using __nv_fp8x2_e5m2 = emulator::Fp8x2<__NV_E5M2>;
using __nv_fp8x4_e4m3 = emulator::Fp8x4<__NV_E4M3>;
using __nv_fp8x4_e5m2 = emulator::Fp8x4<__NV_E5M2>;

// E8M0 (CUDA Math API, "FP8 Intrinsics"): a byte is a power of two from 2^-127 to 2^127, by which a
// block of 8-bit numbers is scaled, or NaN. Signs are lost.
namespace emulator {

constexpr unsigned int kScaleNan = 0xff;
constexpr int kScaleBias = 127;

// The magnitude's power of two, rounded down to it or up. What is too large becomes 2^127, or NaN
// without saturation.
inline __nv_fp8_storage_t scale_code(double x, __nv_saturation_t saturate, cudaRoundMode rounding) {
    assert(rounding == cudaRoundZero || rounding == cudaRoundPosInf);
    if (std::isnan(x)) return kScaleNan;
    const double magnitude = std::fabs(x);
    const bool up = rounding == cudaRoundPosInf;
    if (std::isinf(x) || (up && magnitude > 0x1p127)) {
        return saturate == __NV_SATFINITE ? kScaleNan - 1 : kScaleNan;
    }
    if (magnitude <= 0x1p-127) return 0;
    // Rounded down, a finite number is never too large.
    if (magnitude >= 0x1p127) return kScaleNan - 1;
    const int exponent = std::ilogb(magnitude);
    const bool exact = magnitude == std::ldexp(1.0, exponent);
    return static_cast<__nv_fp8_storage_t>(exponent + kScaleBias + (up && !exact ? 1 : 0));
}

}  // namespace emulator

inline __nv_fp8_storage_t __nv_cvt_double_to_e8m0(double x, __nv_saturation_t saturate,
                                                  cudaRoundMode rounding) {
    return emulator::scale_code(x, saturate, rounding);
}
inline __nv_fp8_storage_t __nv_cvt_float_to_e8m0(float x, __nv_saturation_t saturate,
                                                 cudaRoundMode rounding) {
    return emulator::scale_code(static_cast<double>(x), saturate, rounding);
}
inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw x,
                                                       __nv_saturation_t saturate,
                                                       cudaRoundMode rounding) {
    return __nv_cvt_float_to_e8m0(__bfloat162float(__nv_bfloat16(x)), saturate, rounding);
}

// Pairs: x is the lower byte.
#define EMULATOR_SCALE_PAIR(name, Pair, single, X, Y)                                              \
    inline __nv_fp8x2_storage_t name(Pair v, __nv_saturation_t saturate, cudaRoundMode rounding) { \
        return static_cast<__nv_fp8x2_storage_t>(single(Y, saturate, rounding) << 8 |              \
                                                 single(X, saturate, rounding));                   \
    }
EMULATOR_SCALE_PAIR(__nv_cvt_double2_to_e8m0x2, double2, __nv_cvt_double_to_e8m0, v.x, v.y)
EMULATOR_SCALE_PAIR(__nv_cvt_float2_to_e8m0x2, float2, __nv_cvt_float_to_e8m0, v.x, v.y)
EMULATOR_SCALE_PAIR(__nv_cvt_bfloat162raw_to_e8m0x2, __nv_bfloat162_raw,
                    __nv_cvt_bfloat16raw_to_e8m0, __nv_bfloat16_raw{v.x}, __nv_bfloat16_raw{v.y})
#undef EMULATOR_SCALE_PAIR

// Every scale is a bfloat16, too.
inline __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x) {
    if (x == emulator::kScaleNan) return __nv_bfloat16_raw{0x7fff};
    if (x == 0) return __nv_bfloat16_raw{0x0040};  // 2^-127 is a denormal
    return __nv_bfloat16_raw{static_cast<unsigned short>(x << 7)};
}
inline __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(__nv_fp8x2_storage_t x) {
    const auto low = static_cast<__nv_fp8_storage_t>(x & 0xff);
    const auto high = static_cast<__nv_fp8_storage_t>(x >> 8);
    return {__nv_cvt_e8m0_to_bf16raw(low).x, __nv_cvt_e8m0_to_bf16raw(high).x};
}

struct alignas(1) __nv_fp8_e8m0 {
    __nv_fp8_storage_t __x;

    // Constructors round up and saturate.
    __nv_fp8_e8m0() = default;
    explicit __nv_fp8_e8m0(__half x) : __nv_fp8_e8m0(__half2float(x)) {}
    explicit __nv_fp8_e8m0(__nv_bfloat16 x) : __nv_fp8_e8m0(__bfloat162float(x)) {}
    explicit __nv_fp8_e8m0(float x)
        : __x(__nv_cvt_float_to_e8m0(x, __NV_SATFINITE, cudaRoundPosInf)) {}
    explicit __nv_fp8_e8m0(double x)
        : __x(__nv_cvt_double_to_e8m0(x, __NV_SATFINITE, cudaRoundPosInf)) {}
    template <class Integer>
    requires std::is_integral_v<Integer>
    explicit __nv_fp8_e8m0(Integer x) {
        // A long double holds all integers, so that none is rounded down to a power of two first.
        const long double magnitude = std::fabs(static_cast<long double>(x));
        const auto nearest = static_cast<double>(magnitude);
        const bool rounded_down = static_cast<long double>(nearest) < magnitude;
        __x = __nv_fp8_e8m0(rounded_down ? std::nextafter(nearest, HUGE_VAL) : nearest).__x;
    }

    explicit operator __nv_bfloat16() const { return __nv_bfloat16(__nv_cvt_e8m0_to_bf16raw(__x)); }
    explicit operator float() const { return __bfloat162float(__nv_bfloat16(*this)); }
    explicit operator double() const { return static_cast<double>(float(*this)); }
    explicit operator __half() const { return __float2half_rn(float(*this)); }
    explicit operator bool() const { return true; }
    // Truncated; too large ones become the largest. A NaN becomes 0, of 64 bits the highest bit.
    template <class Integer>
    requires(std::is_integral_v<Integer> && !std::is_same_v<Integer, bool>) explicit
    operator Integer() const {
        using Limits = std::numeric_limits<Integer>;
        const auto value = static_cast<double>(*this);
        if (std::isnan(value)) {
            return sizeof(Integer) == 8 ? static_cast<Integer>(1ull << 63) : Integer{0};
        }
        if (value >= static_cast<double>(Limits::max())) return Limits::max();
        return static_cast<Integer>(value);
    }
};

struct alignas(2) __nv_fp8x2_e8m0 {
    __nv_fp8x2_storage_t __x;

    __nv_fp8x2_e8m0() = default;
    explicit __nv_fp8x2_e8m0(__half2 v) : __nv_fp8x2_e8m0(__half22float2(v)) {}
    explicit __nv_fp8x2_e8m0(__nv_bfloat162 v)
        : __x(__nv_cvt_bfloat162raw_to_e8m0x2(v, __NV_SATFINITE, cudaRoundPosInf)) {}
    explicit __nv_fp8x2_e8m0(float2 v)
        : __x(__nv_cvt_float2_to_e8m0x2(v, __NV_SATFINITE, cudaRoundPosInf)) {}
    explicit __nv_fp8x2_e8m0(double2 v)
        : __x(__nv_cvt_double2_to_e8m0x2(v, __NV_SATFINITE, cudaRoundPosInf)) {}

    explicit operator __nv_bfloat162() const {
        return __nv_bfloat162(__nv_cvt_e8m0x2_to_bf162raw(__x));
    }
    explicit operator float2() const { return __bfloat1622float2(__nv_bfloat162(*this)); }
    explicit operator __half2() const { return __float22half2_rn(float2(*this)); }
};

struct alignas(4) __nv_fp8x4_e8m0 {
    __nv_fp8x4_storage_t __x;

    __nv_fp8x4_e8m0() = default;
    explicit __nv_fp8x4_e8m0(__half2 low, __half2 high)
        : __nv_fp8x4_e8m0(__nv_fp8x2_e8m0(low), __nv_fp8x2_e8m0(high)) {}
    explicit __nv_fp8x4_e8m0(__nv_bfloat162 low, __nv_bfloat162 high)
        : __nv_fp8x4_e8m0(__nv_fp8x2_e8m0(low), __nv_fp8x2_e8m0(high)) {}
    explicit __nv_fp8x4_e8m0(float4 v)
        : __nv_fp8x4_e8m0(__nv_fp8x2_e8m0(make_float2(v.x, v.y)),
                          __nv_fp8x2_e8m0(make_float2(v.z, v.w))) {}
    explicit __nv_fp8x4_e8m0(double4 v)
        : __nv_fp8x4_e8m0(__nv_fp8x2_e8m0(make_double2(v.x, v.y)),
                          __nv_fp8x2_e8m0(make_double2(v.z, v.w))) {}

    explicit operator float4() const {
        __nv_fp8x2_e8m0 low;
        __nv_fp8x2_e8m0 high;
        low.__x = static_cast<__nv_fp8x2_storage_t>(__x & 0xffff);
        high.__x = static_cast<__nv_fp8x2_storage_t>(__x >> 16);
        const auto a = float2(low);
        const auto b = float2(high);
        return make_float4(a.x, a.y, b.x, b.y);
    }

  private:
    __nv_fp8x4_e8m0(__nv_fp8x2_e8m0 low, __nv_fp8x2_e8m0 high)
        : __x(static_cast<unsigned int>(high.__x) << 16 | low.__x) {}
};
