// SPDX-License-Identifier: MIT
// E8M0 (CUDA Math API, "FP8 Intrinsics"): a byte is a power of two from 2^-127 to 2^127, by which a
// block of 8-bit numbers is scaled, or NaN. Signs are lost. Part of cuda_fp8.h.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cassert>
#include <cmath>
#include <limits>
#include <type_traits>

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
