// SPDX-License-Identifier: MIT
// Arithmetic of real numbers, against double and extended precision.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "device_array.hpp"

// ---- real functions ----
constexpr int kRealFunctions = 34;

// One row of results per argument; x in (0, 4].
__global__ void real_kernel(const float* __restrict__ in, float* __restrict__ out, int count) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= count) return;
    const float x = in[i];
    float* row = out + i * kRealFunctions;
    int column = 0;
    row[column++] = rsqrtf(x);
    row[column++] = __frsqrt_rn(x);
    row[column++] = __fsqrt_rn(x);
    row[column++] = rcbrtf(x);
    row[column++] = __expf(x);
    row[column++] = exp10f(x);
    row[column++] = __logf(x);
    row[column++] = __log2f(x);
    row[column++] = __log10f(x);
    row[column++] = __sinf(x);
    row[column++] = __cosf(x);
    row[column++] = __powf(x, 1.5f);
    row[column++] = __fdividef(x, 3.0f);
    row[column++] = fdividef(1.0f, x);
    row[column++] = sinpif(x);
    row[column++] = cospif(x);
    row[column++] = rhypotf(x, 2.0f);
    row[column++] = norm3df(x, 1.0f, 2.0f);
    row[column++] = rnorm3df(x, 1.0f, 2.0f);
    row[column++] = norm4df(x, 1.0f, 2.0f, 3.0f);
    row[column++] = erfinvf(x / 5.0f);
    row[column++] = erfcinvf(x / 5.0f);
    row[column++] = erfcxf(x);
    row[column++] = normcdff(x);
    row[column++] = normcdfinvf(x / 5.0f);
    row[column++] = cyl_bessel_i0f(x);
    row[column++] = j0f(x);
    row[column++] = fmaf(x, x, 1.0f);
    row[column++] = __fmaf_rn(x, x, 1.0f);
    row[column++] = __fadd_rn(x, 0.1f);
    row[column++] = __fmul_rn(x, x);
    float sine, cosine;
    sincosf(x, &sine, &cosine);
    row[column++] = sine + cosine;
    sincospif(x, &sine, &cosine);
    row[column++] = sine - cosine;
    __sincosf(x, &sine, &cosine);
    row[column++] = sine * cosine;
}

double inverse(const std::function<double(double)>& rising, double y) {
    double low = -40.0;
    double high = 40.0;
    for (int i = 0; i < 200; ++i) {
        const double middle = (low + high) / 2.0;
        (rising(middle) < y ? low : high) = middle;
    }
    return low;
}

TEST(Arithmetic, SinglePrecisionFunctions) {
    std::vector<float> values;
    for (int i = 1; i <= 400; ++i) values.push_back(static_cast<float>(i) * 0.01f);
    const int count = static_cast<int>(values.size());
    DeviceArray<float> in(values);
    DeviceArray<float> out(values.size() * kRealFunctions);
    real_kernel<<<(count + 127) / 128, 128>>>(in.data(), out.data(), count);
    const auto results = out.read();
    constexpr double kPi = 3.14159265358979323846;
    for (int i = 0; i < count; ++i) {
        const double x = values[static_cast<std::size_t>(i)];
        const double fifth = values[static_cast<std::size_t>(i)] / 5.0f;
        const double root3 = std::sqrt(x * x + 5.0);
        const double expected[kRealFunctions] = {
            1 / std::sqrt(x),
            1 / std::sqrt(x),
            std::sqrt(x),
            1 / std::cbrt(x),
            std::exp(x),
            std::pow(10.0, x),
            std::log(x),
            std::log2(x),
            std::log10(x),
            std::sin(x),
            std::cos(x),
            std::pow(x, 1.5),
            x / 3,
            1 / x,
            std::sin(kPi * x),
            std::cos(kPi * x),
            1 / std::sqrt(x * x + 4),
            root3,
            1 / root3,
            std::sqrt(x * x + 14),
            inverse([](double y) { return std::erf(y); }, fifth),
            inverse([](double y) { return -std::erfc(y); }, -fifth),
            std::exp(x * x) * std::erfc(x),
            0.5 * std::erfc(-x / std::sqrt(2.0)),
            inverse([](double y) { return 0.5 * std::erfc(-y / std::sqrt(2.0)); }, fifth),
            std::cyl_bessel_i(0.0, x),
            std::cyl_bessel_j(0.0, x),
            x * x + 1,
            x * x + 1,
            x + static_cast<double>(0.1f),
            x * x,
            std::sin(x) + std::cos(x),
            std::sin(kPi * x) - std::cos(kPi * x),
            std::sin(x) * std::cos(x),
        };
        for (int column = 0; column < kRealFunctions; ++column) {
            // Relative to the value or to 1: the GPU's fast forms have absolute errors of that
            // size.
            EXPECT_NEAR(results[static_cast<std::size_t>(i * kRealFunctions + column)],
                        expected[column], 4e-6 * std::max(1.0, std::fabs(expected[column])))
                << "column " << column << " of x = " << x;
        }
    }
}

constexpr int kDoubleFunctions = 14;

__global__ void double_kernel(const double* __restrict__ in, double* __restrict__ out, int count) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= count) return;
    const double x = in[i];
    double* row = out + i * kDoubleFunctions;
    int column = 0;
    row[column++] = rsqrt(x);
    row[column++] = rcbrt(x);
    row[column++] = __dsqrt_rn(x);
    row[column++] = __ddiv_rn(1.0, x);
    row[column++] = __dadd_rn(x, 0.1);
    row[column++] = __dmul_rn(x, x);
    row[column++] = __fma_rn(x, x, 1.0);
    row[column++] = exp10(x);
    row[column++] = norm3d(x, 1.0, 2.0);
    row[column++] = rhypot(x, 2.0);
    row[column++] = erf(erfinv(x / 5.0));
    row[column++] = erfc(erfcinv(x / 5.0));
    row[column++] = normcdf(normcdfinv(x / 5.0));
    row[column++] = sinpi(x) * sinpi(x) + cospi(x) * cospi(x);
}

TEST(Arithmetic, DoublePrecisionFunctions) {
    std::vector<double> values;
    for (int i = 1; i <= 400; ++i) values.push_back(i * 0.01);
    const int count = static_cast<int>(values.size());
    DeviceArray<double> in(values);
    DeviceArray<double> out(values.size() * kDoubleFunctions);
    double_kernel<<<(count + 127) / 128, 128>>>(in.data(), out.data(), count);
    const auto results = out.read();
    for (int i = 0; i < count; ++i) {
        const double x = values[static_cast<std::size_t>(i)];
        const double expected[kDoubleFunctions] = {1 / std::sqrt(x),
                                                   1 / std::cbrt(x),
                                                   std::sqrt(x),
                                                   1 / x,
                                                   x + 0.1,
                                                   x * x,
                                                   std::fma(x, x, 1.0),
                                                   std::pow(10.0, x),
                                                   std::sqrt(x * x + 5),
                                                   1 / std::sqrt(x * x + 4),
                                                   x / 5.0,
                                                   x / 5.0,
                                                   x / 5.0,
                                                   1.0};
        for (int column = 0; column < kDoubleFunctions; ++column) {
            EXPECT_NEAR(results[static_cast<std::size_t>(i * kDoubleFunctions + column)],
                        expected[column], 4e-15 * std::max(1.0, std::fabs(expected[column])))
                << "column " << column << " of x = " << x;
        }
    }
}

__global__ void scaled_erfc_kernel(const double* __restrict__ in, double* __restrict__ out) {
    out[threadIdx.x] = erfcx(in[threadIdx.x]);
}

// The continued fraction of erfc (Abramowitz and Stegun 7.1.14), which converges fast from 3 on.
TEST(Arithmetic, ScaledComplementaryErrorFunction) {
    std::vector<double> values;
    for (int i = 0; i < 200; ++i) values.push_back(3.0 + i * 0.0517);
    DeviceArray<double> in(values);
    DeviceArray<double> out(values.size());
    scaled_erfc_kernel<<<1, static_cast<unsigned int>(values.size())>>>(in.data(), out.data());
    const auto results = out.read();
    for (std::size_t i = 0; i < values.size(); ++i) {
        const long double x = values[i];
        long double tail = x;
        for (int k = 300; k > 0; --k) tail = x + 0.5L * k / tail;
        const long double expected = 1.0L / (std::sqrt(3.14159265358979323846264L) * tail);
        EXPECT_NEAR(results[i], static_cast<double>(expected), 2e-15 * results[i]) << values[i];
    }
}

struct Rounded {
    float add[4], multiply[4], divide[4], root[4], fused[4], reciprocal[4];
    double double_add[4], double_multiply[4], double_divide[4], double_root[4], double_fused[4];
    float from_int[4], from_wide[4], from_double[4];
    double from_unsigned[4];
};

__global__ void rounding_kernel(Rounded* out, float a, float b, double c, double d,
                                long long integer) {
#define IN_EVERY_MODE(array, function, ...)     \
    out->array[0] = function##_rn(__VA_ARGS__); \
    out->array[1] = function##_rd(__VA_ARGS__); \
    out->array[2] = function##_ru(__VA_ARGS__); \
    out->array[3] = function##_rz(__VA_ARGS__)
    IN_EVERY_MODE(add, __fadd, a, b);
    IN_EVERY_MODE(multiply, __fmul, a, b);
    IN_EVERY_MODE(divide, __fdiv, a, b);
    IN_EVERY_MODE(root, __fsqrt, b);
    IN_EVERY_MODE(fused, __fmaf, a, b, 1.0f);
    IN_EVERY_MODE(reciprocal, __frcp, a);
    IN_EVERY_MODE(double_add, __dadd, c, d);
    IN_EVERY_MODE(double_multiply, __dmul, c, d);
    IN_EVERY_MODE(double_divide, __ddiv, c, d);
    IN_EVERY_MODE(double_root, __dsqrt, d);
    IN_EVERY_MODE(double_fused, __fma, c, d, 1.0);
    IN_EVERY_MODE(from_int, __int2float, static_cast<int>(integer >> 32));
    IN_EVERY_MODE(from_wide, __ll2float, integer);
    IN_EVERY_MODE(from_double, __double2float, c);
    IN_EVERY_MODE(from_unsigned, __ull2double, static_cast<unsigned long long>(integer));
#undef IN_EVERY_MODE
}

// Nearest, down, up and towards zero are the right neighbours of the exact result.
template <class Real>
void expect_rounded(const Real (&results)[4], long double exact, const char* what) {
    const Real down = results[1];
    const Real up = results[2];
    EXPECT_LE(static_cast<long double>(down), exact) << what;
    EXPECT_GE(static_cast<long double>(up), exact) << what;
    EXPECT_EQ(std::nextafter(down, std::numeric_limits<Real>::infinity()), up) << what;
    EXPECT_EQ(results[3], exact < 0 ? up : down) << what;
    const bool up_is_nearer = static_cast<long double>(up) - exact < exact - down;
    EXPECT_EQ(results[0], up_is_nearer ? up : down) << what;
}

TEST(Arithmetic, RoundingModes) {
    for (const float sign : {1.0f, -1.0f}) {
        const float a = sign * 1.1f;
        const float b = 3.3e-3f;
        const double c = sign * 1.1;
        const double d = 3.3e-3;
        const long long integer = static_cast<long long>(sign) * 0x7123456789abcdefll;
        DeviceArray<Rounded> out(1);
        rounding_kernel<<<1, 1>>>(out.data(), a, b, c, d, integer);
        const Rounded result = out.read()[0];
        using Wide = long double;
        expect_rounded(result.add, Wide(a) + b, "add");
        expect_rounded(result.multiply, Wide(a) * b, "multiply");
        expect_rounded(result.divide, Wide(a) / b, "divide");
        expect_rounded(result.root, std::sqrt(Wide(b)), "root");
        expect_rounded(result.fused, Wide(a) * b + 1, "fused");
        expect_rounded(result.reciprocal, 1 / Wide(a), "reciprocal");
        expect_rounded(result.double_add, Wide(c) + d, "double add");
        expect_rounded(result.double_multiply, Wide(c) * d, "double multiply");
        expect_rounded(result.double_divide, Wide(c) / d, "double divide");
        expect_rounded(result.double_root, std::sqrt(Wide(d)), "double root");
        expect_rounded(result.double_fused, Wide(c) * d + 1, "double fused");
        expect_rounded(result.from_int, Wide(static_cast<int>(integer >> 32)), "int to float");
        expect_rounded(result.from_wide, Wide(integer), "long long to float");
        expect_rounded(result.from_double, Wide(c), "double to float");
        expect_rounded(result.from_unsigned, Wide(static_cast<unsigned long long>(integer)),
                       "unsigned long long to double");
    }
}

struct Selections {
    int saturated_bits[4];
    float minimum, maximum, with_nan;
    int int_minimum;
    unsigned int mixed_maximum;
    long long wide_minimum;
    unsigned long long unsigned_maximum;
    double real_minimum;
};

__global__ void selection_kernel(Selections* out, float nan) {
    out->saturated_bits[0] = __float_as_int(__saturatef(0.25f));
    out->saturated_bits[1] = __float_as_int(__saturatef(-3.0f));
    out->saturated_bits[2] = __float_as_int(__saturatef(7.0f));
    out->saturated_bits[3] = __float_as_int(__saturatef(nan));
    out->minimum = fminf(1.0f, -2.0f);
    out->maximum = max(1.0f, -2.0f);
    out->with_nan = min(nan, 5.0f);
    out->int_minimum = min(-3, 4);
    out->mixed_maximum = max(3u, 7);
    out->wide_minimum = min(-(1ll << 40), 1ll << 41);
    out->unsigned_maximum = max(~0ull, 1ull);
    out->real_minimum = min(1.5f, 1.25);
}

TEST(Arithmetic, SaturationMinimumAndMaximum) {
    DeviceArray<Selections> out(1);
    selection_kernel<<<1, 1>>>(out.data(), std::numeric_limits<float>::quiet_NaN());
    const Selections result = out.read()[0];
    EXPECT_EQ(result.saturated_bits[0], 0x3e800000);
    EXPECT_EQ(result.saturated_bits[1], 0);
    EXPECT_EQ(result.saturated_bits[2], 0x3f800000);
    EXPECT_EQ(result.saturated_bits[3], 0);
    EXPECT_EQ(result.minimum, -2.0f);
    EXPECT_EQ(result.maximum, 1.0f);
    EXPECT_EQ(result.with_nan, 5.0f);
    EXPECT_EQ(result.int_minimum, -3);
    EXPECT_EQ(result.mixed_maximum, 7u);
    EXPECT_EQ(result.wide_minimum, -(1ll << 40));
    EXPECT_EQ(result.unsigned_maximum, ~0ull);
    EXPECT_EQ(result.real_minimum, 1.25);
}
