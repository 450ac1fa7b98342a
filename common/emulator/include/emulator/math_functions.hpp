// SPDX-License-Identifier: MIT
// CUDA's mathematical device functions that the host's <math.h> lacks.
//
// Results are correctly rounded or nearly so; a GPU's may differ in the last bits. Its fast forms
// (__expf, __fdividef, rsqrtf, ...) have errors here, too (approximations.hpp). Compare with
// tolerances.
#pragma once

// The C++ wrappers of the C headers: they put abs, sqrt, pow, ... with all their overloads into the
// global namespace, where kernels expect them.
#include <math.h>
#include <stdlib.h>

#include <cmath>
#include <emulator/approximations.hpp>
#include <emulator/special_functions.hpp>
#include <numbers>

namespace emulator {

enum class Rounding { to_nearest, down, up, toward_zero };

// Arithmetic in a given rounding mode (math_functions.cpp). Exact but slow: they switch the
// processor's mode, so the to_nearest forms below do not use them.
float add_rounded(float a, float b, Rounding);
float multiply_rounded(float a, float b, Rounding);
float divide_rounded(float a, float b, Rounding);
float multiply_add_rounded(float a, float b, float c, Rounding);
float square_root_rounded(float a, Rounding);
double add_rounded(double a, double b, Rounding);
double multiply_rounded(double a, double b, Rounding);
double divide_rounded(double a, double b, Rounding);
double multiply_add_rounded(double a, double b, double c, Rounding);
double square_root_rounded(double a, Rounding);

}  // namespace emulator

// ---- reciprocal roots and norms ----
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
inline float rsqrtf(float x) { return emulator::approximate_rsqrt(x); }
inline double rcbrt(double x) { return 1.0 / std::cbrt(x); }
inline float rcbrtf(float x) { return 1.0f / std::cbrt(x); }
inline double rhypot(double x, double y) { return 1.0 / std::hypot(x, y); }
inline float rhypotf(float x, float y) { return 1.0f / std::hypot(x, y); }
inline double norm3d(double x, double y, double z) { return std::hypot(x, y, z); }
inline float norm3df(float x, float y, float z) { return std::hypot(x, y, z); }
inline double norm4d(double x, double y, double z, double w) {
    return std::hypot(std::hypot(x, y), std::hypot(z, w));
}
inline float norm4df(float x, float y, float z, float w) {
    return static_cast<float>(norm4d(x, y, z, w));
}
inline double rnorm3d(double x, double y, double z) { return 1.0 / norm3d(x, y, z); }
inline float rnorm3df(float x, float y, float z) { return 1.0f / norm3df(x, y, z); }
inline double rnorm4d(double x, double y, double z, double w) { return 1.0 / norm4d(x, y, z, w); }
inline float rnorm4df(float x, float y, float z, float w) { return 1.0f / norm4df(x, y, z, w); }
inline double norm(int count, const double* x) {
    double length = 0.0;
    for (int i = 0; i < count; ++i) length = std::hypot(length, x[i]);
    return length;
}
inline float normf(int count, const float* x) {
    double length = 0.0;
    for (int i = 0; i < count; ++i) length = std::hypot(length, static_cast<double>(x[i]));
    return static_cast<float>(length);
}
inline double rnorm(int count, const double* x) { return 1.0 / norm(count, x); }
inline float rnormf(int count, const float* x) { return 1.0f / normf(count, x); }

// ---- angles in units of pi ----
inline double sinpi(double x) { return emulator::sine_of_half_turns(x); }
inline double cospi(double x) { return emulator::cosine_of_half_turns(x); }
inline float sinpif(float x) { return static_cast<float>(sinpi(static_cast<double>(x))); }
inline float cospif(float x) { return static_cast<float>(cospi(static_cast<double>(x))); }
inline void sincospi(double x, double* sine, double* cosine) {
    *sine = sinpi(x);
    *cosine = cospi(x);
}
inline void sincospif(float x, float* sine, float* cosine) {
    *sine = sinpif(x);
    *cosine = cospif(x);
}

// ---- error function, normal distribution, Bessel functions ----
inline double erfinv(double x) { return emulator::inverse_erf(x); }
inline float erfinvf(float x) { return static_cast<float>(emulator::inverse_erf(x)); }
inline double erfcinv(double x) { return emulator::inverse_erfc(x); }
inline float erfcinvf(float x) { return static_cast<float>(emulator::inverse_erfc(x)); }
inline double erfcx(double x) { return emulator::scaled_erfc(x); }
inline float erfcxf(float x) { return static_cast<float>(emulator::scaled_erfc(x)); }
inline double normcdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }
inline float normcdff(float x) { return static_cast<float>(normcdf(static_cast<double>(x))); }
inline double normcdfinv(double probability) {
    return -std::numbers::sqrt2 * emulator::inverse_erfc(2.0 * probability);
}
inline float normcdfinvf(float probability) {
    return static_cast<float>(normcdfinv(static_cast<double>(probability)));
}
inline double cyl_bessel_i0(double x) { return std::cyl_bessel_i(0.0, std::fabs(x)); }
inline float cyl_bessel_i0f(float x) {
    return static_cast<float>(cyl_bessel_i0(static_cast<double>(x)));
}
inline double cyl_bessel_i1(double x) {
    return std::copysign(std::cyl_bessel_i(1.0, std::fabs(x)), x);
}
inline float cyl_bessel_i1f(float x) {
    return static_cast<float>(cyl_bessel_i1(static_cast<double>(x)));
}

// ---- quotients ----
inline double fdivide(double a, double b) { return a / b; }
inline float fdividef(float a, float b) { return a / b; }

// ---- overloads for float, as CUDA has them ----
inline float rsqrt(float x) { return rsqrtf(x); }
inline float rcbrt(float x) { return rcbrtf(x); }
inline float rhypot(float x, float y) { return rhypotf(x, y); }
inline float sinpi(float x) { return sinpif(x); }
inline float cospi(float x) { return cospif(x); }
inline void sincospi(float x, float* sine, float* cosine) { sincospif(x, sine, cosine); }
inline void sincos(float x, float* sine, float* cosine) { ::sincosf(x, sine, cosine); }
inline float exp10(float x) { return ::exp10f(x); }
inline float erfinv(float x) { return erfinvf(x); }
inline float erfcinv(float x) { return erfcinvf(x); }
inline float erfcx(float x) { return erfcxf(x); }
inline float normcdf(float x) { return normcdff(x); }
inline float normcdfinv(float probability) { return normcdfinvf(probability); }
inline float fdivide(float a, float b) { return a / b; }

// ---- fast forms ----
// The C library declares some of these names itself, with C linkage.
extern "C" {
inline float __expf(float x) noexcept { return emulator::approximate_exp(x); }
inline float __exp10f(float x) noexcept { return emulator::approximate_exp10(x); }
inline float __logf(float x) noexcept { return emulator::approximate_log(x); }
inline float __log2f(float x) noexcept { return emulator::approximate_log2(x); }
inline float __log10f(float x) noexcept { return emulator::approximate_log10(x); }
inline float __powf(float x, float y) noexcept { return emulator::approximate_pow(x, y); }
inline float __sinf(float x) noexcept { return emulator::approximate_sin(x); }
inline float __cosf(float x) noexcept { return emulator::approximate_cos(x); }
inline float __tanf(float x) noexcept { return emulator::approximate_tan(x); }
inline float __tanhf(float x) noexcept { return emulator::approximate_tanh(x); }
inline void __sincosf(float x, float* sine, float* cosine) noexcept {
    *sine = emulator::approximate_sin(x);
    *cosine = emulator::approximate_cos(x);
}
}
inline float __fdividef(float a, float b) { return emulator::approximate_divide(a, b); }
inline float __frsqrt_rn(float x) {
    return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x)));
}
inline float __saturatef(float x) {
    return x >= 0.0f ? (x <= 1.0f ? x : 1.0f) : 0.0f;  // NaN gives 0, as on the GPU
}

// ---- arithmetic with a rounding mode in the name ----
// volatile keeps g++ from contracting the _rn forms into a fused multiply-add: kernels call these
// functions to forbid exactly that.
inline float __fadd_rn(float a, float b) {
    const volatile float sum = a + b;
    return sum;
}
inline float __fsub_rn(float a, float b) {
    const volatile float difference = a - b;
    return difference;
}
inline float __fmul_rn(float a, float b) {
    const volatile float product = a * b;
    return product;
}
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __frcp_rn(float a) { return 1.0f / a; }
inline float __fsqrt_rn(float a) { return std::sqrt(a); }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline float __fmaf_ieee_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline double __dadd_rn(double a, double b) {
    const volatile double sum = a + b;
    return sum;
}
inline double __dsub_rn(double a, double b) {
    const volatile double difference = a - b;
    return difference;
}
inline double __dmul_rn(double a, double b) {
    const volatile double product = a * b;
    return product;
}
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __drcp_rn(double a) { return 1.0 / a; }
inline double __dsqrt_rn(double a) { return std::sqrt(a); }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }

#define EMULATOR_DIRECTED(suffix, mode)                                           \
    inline float __fadd_##suffix(float a, float b) {                              \
        return emulator::add_rounded(a, b, emulator::Rounding::mode);             \
    }                                                                             \
    inline float __fsub_##suffix(float a, float b) {                              \
        return emulator::add_rounded(a, -b, emulator::Rounding::mode);            \
    }                                                                             \
    inline float __fmul_##suffix(float a, float b) {                              \
        return emulator::multiply_rounded(a, b, emulator::Rounding::mode);        \
    }                                                                             \
    inline float __fdiv_##suffix(float a, float b) {                              \
        return emulator::divide_rounded(a, b, emulator::Rounding::mode);          \
    }                                                                             \
    inline float __frcp_##suffix(float a) {                                       \
        return emulator::divide_rounded(1.0f, a, emulator::Rounding::mode);       \
    }                                                                             \
    inline float __fsqrt_##suffix(float a) {                                      \
        return emulator::square_root_rounded(a, emulator::Rounding::mode);        \
    }                                                                             \
    inline float __fmaf_##suffix(float a, float b, float c) {                     \
        return emulator::multiply_add_rounded(a, b, c, emulator::Rounding::mode); \
    }                                                                             \
    inline float __fmaf_ieee_##suffix(float a, float b, float c) {                \
        return emulator::multiply_add_rounded(a, b, c, emulator::Rounding::mode); \
    }                                                                             \
    inline double __dadd_##suffix(double a, double b) {                           \
        return emulator::add_rounded(a, b, emulator::Rounding::mode);             \
    }                                                                             \
    inline double __dsub_##suffix(double a, double b) {                           \
        return emulator::add_rounded(a, -b, emulator::Rounding::mode);            \
    }                                                                             \
    inline double __dmul_##suffix(double a, double b) {                           \
        return emulator::multiply_rounded(a, b, emulator::Rounding::mode);        \
    }                                                                             \
    inline double __ddiv_##suffix(double a, double b) {                           \
        return emulator::divide_rounded(a, b, emulator::Rounding::mode);          \
    }                                                                             \
    inline double __drcp_##suffix(double a) {                                     \
        return emulator::divide_rounded(1.0, a, emulator::Rounding::mode);        \
    }                                                                             \
    inline double __dsqrt_##suffix(double a) {                                    \
        return emulator::square_root_rounded(a, emulator::Rounding::mode);        \
    }                                                                             \
    inline double __fma_##suffix(double a, double b, double c) {                  \
        return emulator::multiply_add_rounded(a, b, c, emulator::Rounding::mode); \
    }

EMULATOR_DIRECTED(rd, down)
EMULATOR_DIRECTED(ru, up)
EMULATOR_DIRECTED(rz, toward_zero)
#undef EMULATOR_DIRECTED

// ---- minimum and maximum ----
// Overloads, not a template: they must win over std::min where a kernel says `using namespace std`.
#define EMULATOR_MIN_MAX(Result, A, B)                                                   \
    constexpr Result min(A a, B b) {                                                     \
        return static_cast<Result>(a) < static_cast<Result>(b) ? static_cast<Result>(a)  \
                                                               : static_cast<Result>(b); \
    }                                                                                    \
    constexpr Result max(A a, B b) {                                                     \
        return static_cast<Result>(a) > static_cast<Result>(b) ? static_cast<Result>(a)  \
                                                               : static_cast<Result>(b); \
    }
#define EMULATOR_MIN_MAX_SIGNED_UNSIGNED(Signed, Unsigned) \
    EMULATOR_MIN_MAX(Signed, Signed, Signed)               \
    EMULATOR_MIN_MAX(Unsigned, Unsigned, Unsigned)         \
    EMULATOR_MIN_MAX(Unsigned, Signed, Unsigned)           \
    EMULATOR_MIN_MAX(Unsigned, Unsigned, Signed)

EMULATOR_MIN_MAX_SIGNED_UNSIGNED(int, unsigned int)
EMULATOR_MIN_MAX_SIGNED_UNSIGNED(long, unsigned long)
EMULATOR_MIN_MAX_SIGNED_UNSIGNED(long long, unsigned long long)
#undef EMULATOR_MIN_MAX_SIGNED_UNSIGNED
#undef EMULATOR_MIN_MAX

inline float min(float a, float b) { return std::fmin(a, b); }
inline float max(float a, float b) { return std::fmax(a, b); }
inline double min(double a, double b) { return std::fmin(a, b); }
inline double max(double a, double b) { return std::fmax(a, b); }
inline double min(float a, double b) { return std::fmin(static_cast<double>(a), b); }
inline double max(float a, double b) { return std::fmax(static_cast<double>(a), b); }
inline double min(double a, float b) { return std::fmin(a, static_cast<double>(b)); }
inline double max(double a, float b) { return std::fmax(a, static_cast<double>(b)); }
inline unsigned int umin(unsigned int a, unsigned int b) { return min(a, b); }
inline unsigned int umax(unsigned int a, unsigned int b) { return max(a, b); }
inline long long llmin(long long a, long long b) { return min(a, b); }
inline long long llmax(long long a, long long b) { return max(a, b); }
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }
