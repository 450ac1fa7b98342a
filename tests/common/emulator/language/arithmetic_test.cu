// SPDX-License-Identifier: MIT
// Arithmetic device functions against double precision, wide integers and plain loops.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <math_constants.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "device_array.hpp"

// ---- real functions ----
constexpr int kRealFunctions = 34;

// One row of results an argument; x in (0, 4].
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

// ---- conversions ----
struct Converted {
    int nearest, down, up, toward_zero;
    unsigned int unsigned_nearest;
    long long wide_nearest;
    unsigned long long wide_unsigned_up;
    int from_double;
    unsigned int unsigned_from_double;
    long long wide_from_double;
};

__global__ void conversion_kernel(const float* __restrict__ in, Converted* __restrict__ out) {
    const float x = in[threadIdx.x];
    Converted result;
    result.nearest = __float2int_rn(x);
    result.down = __float2int_rd(x);
    result.up = __float2int_ru(x);
    result.toward_zero = __float2int_rz(x);
    result.unsigned_nearest = __float2uint_rn(x);
    result.wide_nearest = __float2ll_rn(x);
    result.wide_unsigned_up = __float2ull_ru(x);
    result.from_double = __double2int_rn(static_cast<double>(x));
    result.unsigned_from_double = __double2uint_rn(static_cast<double>(x));
    result.wide_from_double = __double2ll_rn(static_cast<double>(x));
    out[threadIdx.x] = result;
}

TEST(Conversions, RoundAndSaturate) {
    const std::vector<float> values = {
        2.5f, -2.5f, 3.5f, 0.4f, 1e20f, -1e20f, std::numeric_limits<float>::quiet_NaN()};
    DeviceArray<float> in(values);
    DeviceArray<Converted> out(values.size());
    conversion_kernel<<<1, static_cast<unsigned int>(values.size())>>>(in.data(), out.data());
    const auto results = out.read();
    const int nearest[] = {2, -2, 4, 0, INT32_MAX, INT32_MIN, 0};
    const int down[] = {2, -3, 3, 0, INT32_MAX, INT32_MIN, 0};
    const int up[] = {3, -2, 4, 1, INT32_MAX, INT32_MIN, 0};
    const int toward_zero[] = {2, -2, 3, 0, INT32_MAX, INT32_MIN, 0};
    const unsigned int unsigned_nearest[] = {2, 0, 4, 0, UINT32_MAX, 0, 0};
    const long long wide[] = {2, -2, 4, 0, INT64_MAX, INT64_MIN, INT64_MIN};
    const unsigned long long wide_up[] = {3, 0, 4, 1, UINT64_MAX, 0, 1ull << 63};
    for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_EQ(results[i].nearest, nearest[i]) << values[i];
        EXPECT_EQ(results[i].down, down[i]) << values[i];
        EXPECT_EQ(results[i].up, up[i]) << values[i];
        EXPECT_EQ(results[i].toward_zero, toward_zero[i]) << values[i];
        EXPECT_EQ(results[i].unsigned_nearest, unsigned_nearest[i]) << values[i];
        EXPECT_EQ(results[i].wide_nearest, wide[i]) << values[i];
        EXPECT_EQ(results[i].wide_unsigned_up, wide_up[i]) << values[i];
        const bool is_nan = std::isnan(values[i]);
        EXPECT_EQ(results[i].from_double, is_nan ? INT32_MIN : nearest[i]) << values[i];
        EXPECT_EQ(results[i].unsigned_from_double, is_nan ? 1u << 31 : unsigned_nearest[i])
            << values[i];
        EXPECT_EQ(results[i].wide_from_double, wide[i]) << values[i];
    }
}

__global__ void bits_kernel(double* out, double in) {
    out[0] = __hiloint2double(__double2hiint(in), __double2loint(in));
    out[1] = __longlong_as_double(__double_as_longlong(in) + 1);
    out[2] = static_cast<double>(__int_as_float(__float_as_int(1.5f) + 1));
    out[3] = static_cast<double>(__uint_as_float(__float_as_uint(-0.0f)));
    out[4] = static_cast<double>(__ull2float_rn(1ull << 63));
    out[5] = static_cast<double>(CUDART_PI_F) - CUDART_PI;
}

TEST(Conversions, Bits) {
    DeviceArray<double> out(6);
    bits_kernel<<<1, 1>>>(out.data(), -1.1);
    const auto results = out.read();
    EXPECT_EQ(results[0], -1.1);
    EXPECT_EQ(results[1], std::nextafter(-1.1, -2.0));
    EXPECT_EQ(results[2], 1.5 + 0x1p-23);
    EXPECT_TRUE(std::signbit(results[3]));
    EXPECT_EQ(results[4], 0x1p63);
    EXPECT_NEAR(results[5], 0.0, 1e-7);
}

// ---- integers ----
struct Integers {
    int ones, ones_wide, leading, leading_wide, first, first_wide;
    unsigned int reversed, permuted, left, right, left_clamped, right_clamped;
    unsigned long long reversed_wide, high_wide_unsigned;
    int product24, high, average, average_up, dot;
    unsigned int unsigned_product24, unsigned_high, differences, unsigned_differences, unsigned_dot;
    long long high_wide;
};

__global__ void integer_kernel(const unsigned long long* __restrict__ in,
                               Integers* __restrict__ out) {
    const unsigned long long wide = in[threadIdx.x];
    const auto x = static_cast<unsigned int>(wide);
    const auto y = static_cast<unsigned int>(wide >> 32);
    const auto a = static_cast<int>(x);
    const auto b = static_cast<int>(y);
    Integers result;
    result.ones = __popc(x);
    result.ones_wide = __popcll(wide);
    result.leading = __clz(a);
    result.leading_wide = __clzll(static_cast<long long>(wide));
    result.first = __ffs(a);
    result.first_wide = __ffsll(static_cast<long long>(wide));
    result.reversed = __brev(x);
    result.reversed_wide = __brevll(wide);
    result.permuted = __byte_perm(x, y, 0x7b01u);
    result.left = __funnelshift_l(x, y, 37);
    result.right = __funnelshift_r(x, y, 37);
    result.left_clamped = __funnelshift_lc(x, y, 37);
    result.right_clamped = __funnelshift_rc(x, y, 7);
    result.product24 = __mul24(a, b);
    result.unsigned_product24 = __umul24(x, y);
    result.high = __mulhi(a, b);
    result.unsigned_high = __umulhi(x, y);
    result.high_wide = __mul64hi(static_cast<long long>(wide), -0x123456789abcdefll);
    result.high_wide_unsigned = __umul64hi(wide, 0xfedcba9876543210ull);
    result.average = __hadd(a, b);
    result.average_up = __rhadd(a, b);
    result.differences = __sad(a, b, 3u);
    result.unsigned_differences = __usad(x, y, 3u);
    result.dot = __dp4a(a, b, 5);
    result.unsigned_dot = __dp4a(x, y, 5u);
    out[threadIdx.x] = result;
}

// The low 24 bits with their sign.
long long low24(int x) {
    const long long bits = x & 0xffffff;
    return bits >= 0x800000 ? bits - 0x1000000 : bits;
}

TEST(Integers, AgreeWithPlainLoops) {
    const std::vector<unsigned long long> values = {0ull,
                                                    1ull,
                                                    1ull << 63,
                                                    ~0ull,
                                                    0x123456789abcdef0ull,
                                                    0x80ff7f0180ff7f01ull,
                                                    0x7fffffff80000000ull,
                                                    0x00800000ffffff7full};
    DeviceArray<unsigned long long> in(values);
    DeviceArray<Integers> out(values.size());
    integer_kernel<<<1, static_cast<unsigned int>(values.size())>>>(in.data(), out.data());
    const auto results = out.read();
    __extension__ typedef __int128 Wide;
    __extension__ typedef unsigned __int128 UnsignedWide;
    for (std::size_t k = 0; k < values.size(); ++k) {
        const unsigned long long wide = values[k];
        const auto x = static_cast<unsigned int>(wide);
        const auto y = static_cast<unsigned int>(wide >> 32);
        const auto a = static_cast<int>(x);
        const auto b = static_cast<int>(y);
        const Integers& result = results[k];
        int ones = 0, ones_wide = 0, leading = 32, leading_wide = 64, first = 0, first_wide = 0;
        unsigned int reversed = 0;
        unsigned long long reversed_wide = 0;
        for (int bit = 63; bit >= 0; --bit) {
            if ((wide >> bit & 1) == 0) continue;
            ++ones_wide;
            first_wide = bit + 1;
            leading_wide = std::min(leading_wide, 63 - bit);
            reversed_wide |= 1ull << (63 - bit);
            if (bit < 32) {
                ++ones;
                first = bit + 1;
                leading = std::min(leading, 31 - bit);
                reversed |= 1u << (31 - bit);
            }
        }
        EXPECT_EQ(result.ones, ones);
        EXPECT_EQ(result.ones_wide, ones_wide);
        EXPECT_EQ(result.leading, leading);
        EXPECT_EQ(result.leading_wide, leading_wide);
        EXPECT_EQ(result.first, first);
        EXPECT_EQ(result.first_wide, first_wide);
        EXPECT_EQ(result.reversed, reversed);
        EXPECT_EQ(result.reversed_wide, reversed_wide);
        // Selectors 1, 0, 11 (that is 3: the fourth bit does not count) and 7 give bytes 0 to 3.
        EXPECT_EQ(result.permuted,
                  (x >> 8 & 0xffu) | (x & 0xffu) << 8 | (x >> 24) << 16 | (y >> 24) << 24);
        EXPECT_EQ(result.left, static_cast<unsigned int>(wide << 5 >> 32));
        EXPECT_EQ(result.right, static_cast<unsigned int>(wide >> 5));
        EXPECT_EQ(result.left_clamped, x);
        EXPECT_EQ(result.right_clamped, static_cast<unsigned int>(wide >> 7));
        EXPECT_EQ(result.product24, static_cast<int>(low24(a) * low24(b)));
        EXPECT_EQ(result.unsigned_product24, (x & 0xffffffu) * (y & 0xffffffu));
        EXPECT_EQ(result.high, static_cast<int>(static_cast<long long>(a) * b >> 32));
        EXPECT_EQ(result.unsigned_high,
                  static_cast<unsigned int>(static_cast<unsigned long long>(x) * y >> 32));
        EXPECT_EQ(result.high_wide,
                  static_cast<long long>(
                      Wide(static_cast<long long>(wide)) * -0x123456789abcdefll >> 64));
        EXPECT_EQ(result.high_wide_unsigned, static_cast<unsigned long long>(
                                                 UnsignedWide(wide) * 0xfedcba9876543210ull >> 64));
        const long long sum = static_cast<long long>(a) + b;
        EXPECT_EQ(result.average, static_cast<int>(sum >> 1));
        EXPECT_EQ(result.average_up, static_cast<int>((sum + 1) >> 1));
        EXPECT_EQ(result.differences,
                  static_cast<unsigned int>(std::llabs(static_cast<long long>(a) - b) + 3));
        EXPECT_EQ(result.unsigned_differences,
                  static_cast<unsigned int>(
                      std::llabs(static_cast<long long>(x) - static_cast<long long>(y)) + 3));
        int dot = 5;
        unsigned int unsigned_dot = 5;
        for (int shift = 0; shift < 32; shift += 8) {
            dot += static_cast<signed char>(x >> shift) * static_cast<signed char>(y >> shift);
            unsigned_dot += (x >> shift & 0xffu) * (y >> shift & 0xffu);
        }
        EXPECT_EQ(result.dot, dot);
        EXPECT_EQ(result.unsigned_dot, unsigned_dot);
    }
}

// ---- half precision ----
__global__ void half_kernel(float* out) {
    const __half third = __float2half(1.0f / 3.0f);
    const __half2 pair = __floats2half2_rn(1.5f, -2.0f);
    out[0] = __half2float(third);
    out[1] = __half2float(__hadd(third, __float2half(1.0f)));
    out[2] = __half2float(__hmul(third, third));
    out[3] = __half2float(__hfma(third, __float2half(3.0f), __float2half(-1.0f)));
    const float2 sum = __half22float2(__hadd2(pair, pair));
    out[4] = sum.x;
    out[5] = sum.y;
    out[6] = __hlt(third, __float2half(0.5f)) ? 1.0f : 0.0f;
    out[7] = __half2float(__float2half(1e6f));
    out[8] = static_cast<float>(__half_as_ushort(__float2half(1.0f)));
}

TEST(Half, RoundsToElevenBits) {
    DeviceArray<float> out(9);
    half_kernel<<<1, 1>>>(out.data());
    const auto results = out.read();
    EXPECT_EQ(results[0], 0.333251953125f);
    EXPECT_EQ(results[1], 1.3330078125f);
    EXPECT_EQ(results[2], 0.111083984375f);
    EXPECT_EQ(results[3], -0.000244140625f);
    EXPECT_EQ(results[4], 3.0f);
    EXPECT_EQ(results[5], -4.0f);
    EXPECT_EQ(results[6], 1.0f);
    EXPECT_TRUE(std::isinf(results[7]));
    EXPECT_EQ(results[8], 15360.0f);
}
