// SPDX-License-Identifier: MIT
// 8-bit floating point against a search through all codes.
#include <cuda_fp8.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "device_array.hpp"

namespace {

constexpr int kCodes = 256;
constexpr int kInputs = 4096;

__global__ void value_kernel(float* e4m3, float* e5m2) {
    const int i = threadIdx.x;
    __nv_fp8_e4m3 a;
    __nv_fp8_e5m2 b;
    a.__x = b.__x = static_cast<__nv_fp8_storage_t>(i);
    e4m3[i] = static_cast<float>(a);
    e5m2[i] = static_cast<float>(b);
}

__global__ void convert_kernel(const float* in, unsigned int* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = in[i];
    out[4 * i] = __nv_fp8_e4m3(x).__x;
    out[4 * i + 1] = __nv_fp8_e5m2(x).__x;
    out[4 * i + 2] = __nv_cvt_float_to_fp8(x, __NV_NOSAT, __NV_E4M3);
    out[4 * i + 3] = __nv_cvt_float2_to_fp8x2(make_float2(x, -x), __NV_NOSAT, __NV_E5M2);
}

// The code whose value is nearest; of two, the one with an even mantissa. `values` ascend up to the
// largest number.
unsigned int nearest(const std::vector<float>& values, int largest, unsigned int overflow,
                     double x) {
    const unsigned int sign = std::signbit(x) ? 0x80 : 0;
    const double magnitude = std::fabs(x);
    int best = 0;
    for (int code = 1; code <= largest; ++code) {
        const double gain =
            std::fabs(values[best] - magnitude) - std::fabs(values[code] - magnitude);
        if (gain > 0 || (gain == 0 && code % 2 == 0)) best = code;
    }
    // Where the next number would be the nearest, if there were one.
    const double step = values[largest] - values[largest - 1];
    const double limit = values[largest] + step / 2;
    const bool is_too_large = largest % 2 == 0 ? magnitude > limit : magnitude >= limit;
    return sign | (is_too_large ? overflow : static_cast<unsigned int>(best));
}

TEST(Fp8, ValuesOfAllCodes) {
    DeviceArray<float> e4m3(std::vector<float>(kCodes, 0.0f));
    DeviceArray<float> e5m2(std::vector<float>(kCodes, 0.0f));
    value_kernel<<<1, kCodes>>>(e4m3.data(), e5m2.data());
    const auto a = e4m3.read();
    const auto b = e5m2.read();
    EXPECT_EQ(a[0x7e], 448.0f);
    EXPECT_EQ(a[0x01], 0x1p-9f);
    EXPECT_EQ(a[0x38], 1.0f);
    EXPECT_TRUE(std::isnan(a[0x7f]) && std::isnan(a[0xff]));
    EXPECT_EQ(b[0x7b], 57344.0f);
    EXPECT_EQ(b[0x01], 0x1p-16f);
    EXPECT_EQ(b[0x3c], 1.0f);
    EXPECT_EQ(b[0xfc], -INFINITY);
    EXPECT_TRUE(std::isnan(b[0x7d]));
    for (int i = 1; i < 0x7f; ++i) {
        EXPECT_LT(a[i - 1], a[i]) << i;
        EXPECT_EQ(a[0x80 + i], -a[i]) << i;
        if (i <= 0x7c) {
            EXPECT_LT(b[i - 1], b[i]) << i;
        }
    }
}

TEST(Fp8, ConversionsRoundToTheNearest) {
    DeviceArray<float> e4m3(std::vector<float>(kCodes, 0.0f));
    DeviceArray<float> e5m2(std::vector<float>(kCodes, 0.0f));
    value_kernel<<<1, kCodes>>>(e4m3.data(), e5m2.data());
    const auto a = e4m3.read();
    const auto b = e5m2.read();
    std::vector<float> inputs;
    for (int i = 0; i < kInputs; ++i) {
        // Middles of neighbours, numbers next to them, and others of all sizes.
        const int code = i % 123;
        const float middle = i % 2 == 0 ? (a[code] + a[code + 1]) / 2 : (b[code] + b[code + 1]) / 2;
        const float x = i % 4 < 2 ? middle : std::nextafter(middle, i % 8 < 4 ? 0.0f : 1e9f);
        inputs.push_back(i % 7 == 0
                             ? std::ldexp(1.0f + static_cast<float>(i) / kInputs, i % 60 - 30)
                         : i % 3 == 0 ? -x
                                      : x);
    }
    DeviceArray<float> in(inputs);
    DeviceArray<unsigned int> out(std::vector<unsigned int>(4 * kInputs, 0u));
    convert_kernel<<<kInputs / 128, 128>>>(in.data(), out.data());
    const auto codes = out.read();
    for (int i = 0; i < kInputs; ++i) {
        const double x = inputs[i];
        EXPECT_EQ(codes[4 * i], nearest(a, 0x7e, 0x7e, x)) << x;
        EXPECT_EQ(codes[4 * i + 1], nearest(b, 0x7b, 0x7b, x)) << x;
        EXPECT_EQ(codes[4 * i + 2], nearest(a, 0x7e, 0x7f, x)) << x;
        EXPECT_EQ(codes[4 * i + 3], nearest(b, 0x7b, 0x7c, x) | nearest(b, 0x7b, 0x7c, -x) << 8)
            << x;
    }
}

__global__ void integer_kernel(int* out) {
    out[0] = static_cast<int>(__nv_fp8_e4m3(-3.7f));
    out[1] = static_cast<unsigned char>(__nv_fp8_e4m3(448.0f));
    out[2] = static_cast<unsigned char>(__nv_fp8_e4m3(-5.0f));
    out[3] = static_cast<int>(__nv_fp8_e4m3(NAN));
    out[4] = static_cast<bool>(__nv_fp8_e5m2(-0.0f));
    out[5] = static_cast<signed char>(__nv_fp8_e5m2(-57344.0f));
    const auto v = static_cast<float4>(__nv_fp8x4_e4m3(make_float4(1.0f, -2.0f, 1000.0f, 0.4f)));
    out[6] = static_cast<int>(v.x + 10 * v.y + v.z);
    const auto h = static_cast<float2>(__nv_fp8x2_e5m2(__floats2half2_rn(3.0f, 0.3f)));
    out[7] = static_cast<int>(h.x + 16 * h.y);
}

TEST(Fp8, IntegersAndVectors) {
    DeviceArray<int> out(std::vector<int>(8, -1));
    integer_kernel<<<1, 1>>>(out.data());
    EXPECT_EQ(out.read(), (std::vector<int>{-3, 255, 0, 0, 0, -128, 429, 8}));
}

}  // namespace
