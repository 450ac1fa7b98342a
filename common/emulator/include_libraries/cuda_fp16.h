// SPDX-License-Identifier: MIT
// 16-bit floating point for the CPU engine: storage, conversions, and scalar and paired arithmetic,
// each operation rounded once to nearest even as on the GPU.
#pragma once

#include <cuda_runtime.h>

#include <bit>
#include <cmath>

struct __half {
    __extension__ _Float16 value;

    __half() = default;
    constexpr __half(float x) : value(static_cast<_Float16>(x)) {}
    constexpr __half(double x) : value(static_cast<_Float16>(x)) {}
    constexpr __half(int x) : value(static_cast<_Float16>(x)) {}
    constexpr __half(unsigned int x) : value(static_cast<_Float16>(x)) {}
    constexpr operator float() const { return static_cast<float>(value); }
};

// The low half first. Where memory accesses are counted (g++ -fsanitize=thread) it is copied as one
// word: half by half would be two accesses where the hardware makes one.
struct alignas(4) __half2 {
    __half x, y;

    __half2() = default;
    constexpr __half2(__half low, __half high) : x(low), y(high) {}
#ifdef __SANITIZE_THREAD__
    constexpr __half2(const __half2& other) { *this = other; }
    constexpr __half2& operator=(const __half2& other) {
        if (__builtin_is_constant_evaluated()) {
            x = other.x;
            y = other.y;
        } else {
            typedef unsigned int Word __attribute__((may_alias));
            *reinterpret_cast<Word*>(this) = *reinterpret_cast<const Word*>(&other);
        }
        return *this;
    }
#endif
};

typedef __half half;
typedef __half2 half2;

// ---- conversions ----
inline __half __float2half(float x) { return __half(x); }
inline __half __float2half_rn(float x) { return __half(x); }
inline __half __double2half(double x) { return __half(x); }
inline __half __int2half_rn(int x) { return __half(x); }
inline __half __uint2half_rn(unsigned int x) { return __half(x); }
inline float __half2float(__half x) { return x; }
inline int __half2int_rn(__half x) { return __float2int_rn(x); }
inline int __half2int_rz(__half x) { return __float2int_rz(x); }
inline unsigned short __half_as_ushort(__half x) { return std::bit_cast<unsigned short>(x); }
inline __half __ushort_as_half(unsigned short bits) { return std::bit_cast<__half>(bits); }
inline __half2 __halves2half2(__half low, __half high) { return {low, high}; }
inline __half2 __half2half2(__half x) { return {x, x}; }
inline __half2 __floats2half2_rn(float low, float high) { return {__half(low), __half(high)}; }
inline __half2 __float2half2_rn(float x) { return {__half(x), __half(x)}; }
inline __half2 __float22half2_rn(float2 x) { return {__half(x.x), __half(x.y)}; }
inline float2 __half22float2(__half2 x) { return make_float2(x.x, x.y); }
inline __half __low2half(__half2 x) { return x.x; }
inline __half __high2half(__half2 x) { return x.y; }
inline float __low2float(__half2 x) { return x.x; }
inline float __high2float(__half2 x) { return x.y; }

// ---- arithmetic: in a wider type, then rounded once ----
inline __half __hadd(__half a, __half b) {
    return __half(static_cast<double>(a) + static_cast<double>(b));
}
inline __half __hsub(__half a, __half b) {
    return __half(static_cast<double>(a) - static_cast<double>(b));
}
inline __half __hmul(__half a, __half b) {
    return __half(static_cast<float>(a) * static_cast<float>(b));
}
inline __half __hdiv(__half a, __half b) {
    return __half(static_cast<float>(a) / static_cast<float>(b));
}
inline __half __hfma(__half a, __half b, __half c) {
    return __half(static_cast<double>(a) * static_cast<double>(b) + static_cast<double>(c));
}
inline __half __hneg(__half a) { return __half(-static_cast<float>(a)); }
inline __half __habs(__half a) { return __half(std::fabs(static_cast<float>(a))); }
inline __half __hmin(__half a, __half b) {
    return __half(std::fmin(static_cast<float>(a), static_cast<float>(b)));
}
inline __half __hmax(__half a, __half b) {
    return __half(std::fmax(static_cast<float>(a), static_cast<float>(b)));
}
inline __half hsqrt(__half a) { return __half(std::sqrt(static_cast<float>(a))); }
inline __half hexp(__half a) { return __half(std::exp(static_cast<float>(a))); }
inline __half hlog(__half a) { return __half(std::log(static_cast<float>(a))); }
inline bool __hisnan(__half a) { return std::isnan(static_cast<float>(a)); }

inline __half operator+(__half a, __half b) { return __hadd(a, b); }
inline __half operator-(__half a, __half b) { return __hsub(a, b); }
inline __half operator*(__half a, __half b) { return __hmul(a, b); }
inline __half operator/(__half a, __half b) { return __hdiv(a, b); }
inline __half operator-(__half a) { return __hneg(a); }
inline __half& operator+=(__half& a, __half b) { return a = a + b; }
inline __half& operator-=(__half& a, __half b) { return a = a - b; }
inline __half& operator*=(__half& a, __half b) { return a = a * b; }
inline __half& operator/=(__half& a, __half b) { return a = a / b; }

#define EMULATOR_HALF_COMPARISON(name, operation)                     \
    inline bool operator operation(__half a, __half b) {              \
        return static_cast<float>(a) operation static_cast<float>(b); \
    }                                                                 \
    inline bool name(__half a, __half b) {                            \
        return static_cast<float>(a) operation static_cast<float>(b); \
    }
EMULATOR_HALF_COMPARISON(__heq, ==)
EMULATOR_HALF_COMPARISON(__hne, !=)
EMULATOR_HALF_COMPARISON(__hlt, <)
EMULATOR_HALF_COMPARISON(__hle, <=)
EMULATOR_HALF_COMPARISON(__hgt, >)
EMULATOR_HALF_COMPARISON(__hge, >=)
#undef EMULATOR_HALF_COMPARISON

inline __half2 __hadd2(__half2 a, __half2 b) { return {a.x + b.x, a.y + b.y}; }
inline __half2 __hsub2(__half2 a, __half2 b) { return {a.x - b.x, a.y - b.y}; }
inline __half2 __hmul2(__half2 a, __half2 b) { return {a.x * b.x, a.y * b.y}; }
inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
inline __half2 operator+(__half2 a, __half2 b) { return __hadd2(a, b); }
inline __half2 operator-(__half2 a, __half2 b) { return __hsub2(a, b); }
inline __half2 operator*(__half2 a, __half2 b) { return __hmul2(a, b); }
