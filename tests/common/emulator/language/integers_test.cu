// SPDX-License-Identifier: MIT
// Conversions, integer functions and half precision, against plain loops.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <math_constants.h>

#include <cmath>
#include <limits>
#include <vector>

#include "device_array.hpp"

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
