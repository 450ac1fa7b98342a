// SPDX-License-Identifier: MIT
// Complex numbers of C: cuComplex.h of the toolkit. Division and absolute value scale their
// operands, so that intermediate results neither overflow nor vanish.
#pragma once

#define CU_COMPLEX_H_

#include <vector_functions.h>

#include <cmath>
#include <emulator/qualifiers.hpp>

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

// For float the names end in f, for double they do not: cuCaddf and cuCadd.
#define EMULATOR_COMPLEX(Complex, T, make_name, suffix)                                 \
    __forceinline__ Complex make_name(T r, T i) { return Complex(r, i); }               \
    __forceinline__ T cuCreal##suffix(Complex x) { return x.x; }                        \
    __forceinline__ T cuCimag##suffix(Complex x) { return x.y; }                        \
    __forceinline__ Complex cuConj##suffix(Complex x) { return Complex(x.x, -x.y); }    \
    __forceinline__ Complex cuCadd##suffix(Complex x, Complex y) {                      \
        return Complex(x.x + y.x, x.y + y.y);                                           \
    }                                                                                   \
    __forceinline__ Complex cuCsub##suffix(Complex x, Complex y) {                      \
        return Complex(x.x - y.x, x.y - y.y);                                           \
    }                                                                                   \
    __forceinline__ Complex cuCmul##suffix(Complex x, Complex y) {                      \
        return Complex(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);                   \
    }                                                                                   \
    __forceinline__ Complex cuCdiv##suffix(Complex x, Complex y) {                      \
        const T scale = T(1) / (std::fabs(y.x) + std::fabs(y.y));                       \
        const T xr = x.x * scale, xi = x.y * scale, yr = y.x * scale, yi = y.y * scale; \
        const T square = T(1) / (yr * yr + yi * yi);                                    \
        return Complex((xr * yr + xi * yi) * square, (xi * yr - xr * yi) * square);     \
    }                                                                                   \
    __forceinline__ T cuCabs##suffix(Complex x) { return std::hypot(x.x, x.y); }        \
    __forceinline__ Complex cuCfma##suffix(Complex x, Complex y, Complex z) {           \
        const T real = std::fma(x.x, y.x, z.x), imaginary = std::fma(x.x, y.y, z.y);    \
        return Complex(std::fma(-x.y, y.y, real), std::fma(x.y, y.x, imaginary));       \
    }

EMULATOR_COMPLEX(cuFloatComplex, float, make_cuFloatComplex, f)
EMULATOR_COMPLEX(cuDoubleComplex, double, make_cuDoubleComplex, )
#undef EMULATOR_COMPLEX

__forceinline__ cuComplex make_cuComplex(float real, float imaginary) {
    return cuComplex(real, imaginary);
}
__forceinline__ cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x) {
    return cuDoubleComplex(x.x, x.y);
}
__forceinline__ cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x) {
    return cuFloatComplex(static_cast<float>(x.x), static_cast<float>(x.y));
}
