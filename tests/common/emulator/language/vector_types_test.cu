// SPDX-License-Identifier: MIT
// CUDA's vector types. The table is checked by nvcc too: it is CUDA's, not ours.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>

#include "device_array.hpp"

#if defined(__NVCC__)
#pragma nv_diag_suppress 1444  // the four-component types of 8-byte components are deprecated there
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"  // plain structs there
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif

template <class T, std::size_t size, std::size_t alignment>
constexpr bool has_layout() {
    return sizeof(T) == size && alignof(T) == alignment &&
           std::is_trivially_default_constructible_v<T> && std::is_trivially_copyable_v<T> &&
           std::is_standard_layout_v<T>;
}

#define CHECK_LAYOUTS(name, size)                             \
    static_assert(has_layout<name##1, size, size>());         \
    static_assert(has_layout<name##2, 2 * size, 2 * size>()); \
    static_assert(has_layout<name##3, 3 * size, size>());     \
    static_assert(has_layout<name##4, 4 * size, (4 * size > 16 ? 16 : 4 * size)>())

CHECK_LAYOUTS(char, 1);
CHECK_LAYOUTS(uchar, 1);
CHECK_LAYOUTS(short, 2);
CHECK_LAYOUTS(ushort, 2);
CHECK_LAYOUTS(int, 4);
CHECK_LAYOUTS(uint, 4);
CHECK_LAYOUTS(float, 4);
CHECK_LAYOUTS(long, 8);
CHECK_LAYOUTS(ulong, 8);
CHECK_LAYOUTS(longlong, 8);
CHECK_LAYOUTS(ulonglong, 8);
CHECK_LAYOUTS(double, 8);
#if CUDART_VERSION >= 13000
static_assert(has_layout<double4_16a, 32, 16>() && has_layout<double4_32a, 32, 32>());
static_assert(has_layout<longlong4_16a, 32, 16>() && has_layout<ulonglong4_32a, 32, 32>());
#endif
static_assert(sizeof(dim3) == 12 && alignof(dim3) == 4);

static_assert(std::is_same_v<decltype(char4::x), signed char>);
static_assert(std::is_same_v<decltype(uchar2::y), unsigned char>);
static_assert(std::is_same_v<decltype(longlong2::x), long long>);
static_assert(std::is_same_v<decltype(ulong3::z), unsigned long>);
static_assert(offsetof(float4, x) == 0 && offsetof(float4, y) == 4 && offsetof(float4, w) == 12);
static_assert(offsetof(double4, w) == 24 && offsetof(uchar4, z) == 2);

constexpr float4 kConstant{1.0f, 2.0f, 3.0f, 4.0f};
constexpr float4 kCopy = kConstant;
static_assert(kCopy.x == 1.0f && kCopy.w == 4.0f);

TEST(VectorTypes, BracesAndFunctionsMakeTheSameVectors) {
    const float4 braces{1.0f, 2.0f, 3.0f, 4.0f};
    const float4 function = make_float4(1.0f, 2.0f, 3.0f, 4.0f);
    EXPECT_EQ(braces.x, function.x);
    EXPECT_EQ(braces.y, function.y);
    EXPECT_EQ(braces.z, function.z);
    EXPECT_EQ(braces.w, function.w);
    const float4 zero{};
    EXPECT_EQ(zero.x + zero.y + zero.z + zero.w, 0.0f);
    const int2 partial{7};
    EXPECT_EQ(partial.x, 7);
    EXPECT_EQ(partial.y, 0);
    const double4 wide = make_double4(1.0, 2.0, 3.0, 4.0);
    EXPECT_EQ(wide.x + 10.0 * wide.y + 100.0 * wide.z + 1000.0 * wide.w, 4321.0);
    const uchar4 bytes = make_uchar4(1, 2, 3, 255);
    EXPECT_EQ(bytes.w, 255);
    const ushort3 three = make_ushort3(1, 2, 65535);
    EXPECT_EQ(three.z, 65535);
}

TEST(VectorTypes, ComponentsAreOrdinaryVariables) {
    float4 v = make_float4(1.0f, 2.0f, 3.0f, 4.0f);
    float* z = &v.z;
    *z += 10.0f;
    v.x *= 2.0f;
    float4 copy;
    copy = v;
    v.y = 0.0f;
    EXPECT_EQ(copy.x, 2.0f);
    EXPECT_EQ(copy.y, 2.0f);
    EXPECT_EQ(copy.z, 13.0f);
}

TEST(VectorTypes, Dim3FillsWithOnes) {
    const dim3 one_dimension = 5;
    EXPECT_EQ(one_dimension.x * one_dimension.y * one_dimension.z, 5u);
    const dim3 two(2, 3);
    EXPECT_EQ(two.z, 1u);
    const uint3 plain = dim3(4, 5, 6);
    EXPECT_EQ(plain.z, 6u);
    EXPECT_EQ(dim3(uint3{7, 8, 9}).y, 8u);
}

constexpr int kThreads = 64;

// Vectors in registers, in shared memory and as whole copies in both directions.
__global__ void reverse_kernel(const float4* __restrict__ in, float4* __restrict__ out,
                               double4* __restrict__ wide) {
    __shared__ float4 s_values[kThreads];
    __shared__ short2 s_shorts[kThreads];
    s_values[threadIdx.x] = in[threadIdx.x];
    s_shorts[threadIdx.x] = make_short2(static_cast<short>(threadIdx.x), -1);
    __syncthreads();
    const int other = kThreads - 1 - static_cast<int>(threadIdx.x);
    float4 value = s_values[other];
    value.w = static_cast<float>(s_shorts[other].x + s_shorts[other].y);
    out[threadIdx.x] = value;
    const double4 first = wide[threadIdx.x];
    wide[threadIdx.x] = make_double4(first.w, first.z, first.y, first.x);
}

TEST(VectorTypes, KernelsCopyThem) {
    std::vector<float4> values;
    std::vector<double4> wide_values;
    for (int i = 0; i < kThreads; ++i) {
        const auto x = static_cast<float>(i);
        values.push_back(make_float4(x, 2.0f * x, -x, 0.0f));
        wide_values.push_back(make_double4(i, i + 1, i + 2, i + 3));
    }
    DeviceArray<float4> in(values);
    DeviceArray<float4> out(kThreads);
    DeviceArray<double4> wide(wide_values);
    reverse_kernel<<<1, kThreads>>>(in.data(), out.data(), wide.data());
    const std::vector<float4> reversed = out.read();
    const std::vector<double4> turned = wide.read();
    for (int i = 0; i < kThreads; ++i) {
        const auto x = static_cast<float>(kThreads - 1 - i);
        EXPECT_EQ(reversed[i].x, x);
        EXPECT_EQ(reversed[i].y, 2.0f * x);
        EXPECT_EQ(reversed[i].z, -x);
        EXPECT_EQ(reversed[i].w, x - 1.0f);
        EXPECT_EQ(turned[i].x, i + 3);
        EXPECT_EQ(turned[i].w, i);
    }
}
