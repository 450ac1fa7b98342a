// SPDX-License-Identifier: MIT
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <emulator/conversions.hpp>
#include <emulator/math_functions.hpp>
#include <limits>
#include <numbers>

namespace emulator {

namespace {

class RoundingScope {
  public:
    explicit RoundingScope(Rounding mode) : previous_(std::fegetround()) {
        std::fesetround(mode == Rounding::down          ? FE_DOWNWARD
                        : mode == Rounding::up          ? FE_UPWARD
                        : mode == Rounding::toward_zero ? FE_TOWARDZERO
                                                        : FE_TONEAREST);
    }
    ~RoundingScope() { std::fesetround(previous_); }
    RoundingScope(const RoundingScope&) = delete;
    RoundingScope& operator=(const RoundingScope&) = delete;

  private:
    int previous_;
};

// g++ does not know that the mode matters: volatile operands and a volatile result keep the
// operation between the two mode switches.
template <class Result, class Operation, class... Operands>
Result compute_rounded(Rounding mode, Operation operation, Operands... operands) {
    const RoundingScope scope(mode);
    const volatile Result result = operation(static_cast<const volatile Operands&>(operands)...);
    return result;
}

template <class Real>
Real add(Rounding mode, Real a, Real b) {
    return compute_rounded<Real>(
        mode, [](const volatile Real& x, const volatile Real& y) { return x + y; }, a, b);
}

template <class Real>
Real multiply(Rounding mode, Real a, Real b) {
    return compute_rounded<Real>(
        mode, [](const volatile Real& x, const volatile Real& y) { return x * y; }, a, b);
}

template <class Real>
Real divide(Rounding mode, Real a, Real b) {
    return compute_rounded<Real>(
        mode, [](const volatile Real& x, const volatile Real& y) { return x / y; }, a, b);
}

template <class Real>
Real multiply_add(Rounding mode, Real a, Real b, Real c) {
    return compute_rounded<Real>(
        mode,
        [](const volatile Real& x, const volatile Real& y, const volatile Real& z) {
            return std::fma(static_cast<Real>(x), static_cast<Real>(y), static_cast<Real>(z));
        },
        a, b, c);
}

template <class Real>
Real square_root(Rounding mode, Real a) {
    return compute_rounded<Real>(
        mode, [](const volatile Real& x) { return std::sqrt(static_cast<Real>(x)); }, a);
}

template <class Real, class Source>
Real convert(Rounding mode, Source value) {
    return compute_rounded<Real>(
        mode, [](const volatile Source& x) { return static_cast<Real>(x); }, value);
}

constexpr double kTwoOverSqrtPi = 2.0 * std::numbers::inv_sqrtpi;

// Inverse of erfc on (0, 1] by Halley's method on erfc(y) - x, whose second derivative is
// -2 y times the first. The start is Hastings' rational approximation of the normal quantile
// (Abramowitz and Stegun 26.2.22), good to 3e-3; each step cubes the error.
double inverse_erfc_upper(double x) {
    const double t = std::sqrt(-2.0 * std::log(0.5 * x));
    double y =
        (t - (2.30753 + 0.27061 * t) / (1.0 + t * (0.99229 + 0.04481 * t))) / std::numbers::sqrt2;
    for (int step = 0; step < 3; ++step) {
        const double newton = (std::erfc(y) - x) / (kTwoOverSqrtPi * std::exp(-y * y));
        y += newton / (1.0 - y * newton);
    }
    return y;
}

}  // namespace

float add_rounded(float a, float b, Rounding mode) { return add(mode, a, b); }
double add_rounded(double a, double b, Rounding mode) { return add(mode, a, b); }
float multiply_rounded(float a, float b, Rounding mode) { return multiply(mode, a, b); }
double multiply_rounded(double a, double b, Rounding mode) { return multiply(mode, a, b); }
float divide_rounded(float a, float b, Rounding mode) { return divide(mode, a, b); }
double divide_rounded(double a, double b, Rounding mode) { return divide(mode, a, b); }
float multiply_add_rounded(float a, float b, float c, Rounding mode) {
    return multiply_add(mode, a, b, c);
}
double multiply_add_rounded(double a, double b, double c, Rounding mode) {
    return multiply_add(mode, a, b, c);
}
float square_root_rounded(float a, Rounding mode) { return square_root(mode, a); }
double square_root_rounded(double a, Rounding mode) { return square_root(mode, a); }

float to_float_rounded(std::int64_t value, Rounding mode) { return convert<float>(mode, value); }
float to_float_rounded(double value, Rounding mode) { return convert<float>(mode, value); }
double to_double_rounded(std::int64_t value, Rounding mode) { return convert<double>(mode, value); }

// x86-64 converts unsigned 64-bit integers in software, which is right to nearest only: an extended
// value holds them exactly and rounds once.
float to_float_rounded(std::uint64_t value, Rounding mode) {
    static_assert(std::numeric_limits<long double>::digits >= 64);
    return convert<float>(mode, static_cast<long double>(value));
}
double to_double_rounded(std::uint64_t value, Rounding mode) {
    return convert<double>(mode, static_cast<long double>(value));
}

double inverse_erfc(double x) {
    if (std::isnan(x) || x < 0.0 || x > 2.0) return std::numeric_limits<double>::quiet_NaN();
    if (x == 0.0) return std::numeric_limits<double>::infinity();
    if (x == 2.0) return -std::numeric_limits<double>::infinity();
    if (x > 0.5 && x < 1.5) return inverse_erf(1.0 - x);  // exact difference, no cancellation
    return x < 1.0 ? inverse_erfc_upper(x) : -inverse_erfc_upper(2.0 - x);
}

double inverse_erf(double x) {
    if (std::isnan(x) || std::fabs(x) > 1.0) return std::numeric_limits<double>::quiet_NaN();
    const double magnitude = std::fabs(x);
    if (magnitude == 1.0) return std::copysign(std::numeric_limits<double>::infinity(), x);
    if (magnitude >= 0.5) return std::copysign(inverse_erfc_upper(1.0 - magnitude), x);
    double y = magnitude / kTwoOverSqrtPi;
    for (int step = 0; step < 4; ++step) {
        const double newton = (std::erf(y) - magnitude) / (kTwoOverSqrtPi * std::exp(-y * y));
        y -= newton / (1.0 + y * newton);
    }
    return std::copysign(y, x);
}

double scaled_erfc(double x) {
    if (x > 12.0) {
        // Asymptotic series: sum of (-1)^k (2k-1)!! / (2 x^2)^k; at 12 the tenth term is below
        // 1e-16.
        const double ratio = 1.0 / (2.0 * x * x);
        double term = 1.0;
        double sum = 1.0;
        for (int k = 1; k <= 10; ++k) {
            term *= -(2 * k - 1) * ratio;
            sum += term;
        }
        return sum * std::numbers::inv_sqrtpi / x;
    }
    // x * x is needed to more than double precision: exp magnifies its rounding error.
    const double square = x * x;
    const double square_error = std::fma(x, x, -square);
    return std::exp(square) * (1.0 + square_error) * std::erfc(x);
}

}  // namespace emulator
