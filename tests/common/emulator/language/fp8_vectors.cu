// SPDX-License-Identifier: MIT
// Prints conversions to and from 8-bit floating point. The same program wrote
// data/fp8_vectors.txt on an H200.
#include <cuda_fp8.h>

#include <cstdio>
#include <cstring>

namespace {

constexpr int kCodes = 256;

// Everything that a code becomes, mixed into one number.
template <class Fp8>
__device__ unsigned long long describe_code(int code) {
    Fp8 value;
    value.__x = static_cast<unsigned char>(code);
    const __half_raw half = static_cast<__half>(value);
    const __nv_bfloat16_raw bfloat = static_cast<__nv_bfloat16>(value);
    unsigned long long mixed = half.x;
    const auto mix = [&](unsigned long long part) { mixed = (mixed ^ part) * 1099511628211ull; };
    mix(__float_as_uint(static_cast<float>(value)));
    if (static_cast<float>(value) == static_cast<float>(value)) mix(bfloat.x);
    mix(static_cast<bool>(value));
    mix(static_cast<unsigned char>(value));
    mix(static_cast<unsigned short>(value));
    mix(static_cast<unsigned int>(value));
    mix(static_cast<unsigned long long>(value));
    mix(static_cast<unsigned long long>(static_cast<signed char>(value)));
    mix(static_cast<unsigned long long>(static_cast<short>(value)));
    mix(static_cast<unsigned long long>(static_cast<int>(value)));
    mix(static_cast<unsigned long long>(static_cast<long long>(value)));
    return mixed;
}

__global__ void describe_kernel(unsigned long long* out) {
    out[threadIdx.x] = describe_code<__nv_fp8_e4m3>(threadIdx.x);
    out[kCodes + threadIdx.x] = describe_code<__nv_fp8_e5m2>(threadIdx.x);
}

// Conversions of the half with these bits, and of numbers near it.
__device__ unsigned int describe_half(unsigned short bits, __nv_fp8_interpretation_t format) {
    const __half_raw raw{bits};
    const float value = __half2float(__half(raw));
    unsigned int mixed = __nv_cvt_halfraw_to_fp8(raw, __NV_SATFINITE, format);
    const auto mix = [&](unsigned int part) { mixed = (mixed ^ part) * 16777619u; };
    mix(__nv_cvt_halfraw_to_fp8(raw, __NV_NOSAT, format));
    mix(__nv_cvt_float_to_fp8(value * 1.0001f, __NV_SATFINITE, format));
    mix(__nv_cvt_float_to_fp8(value * 0.9999f, __NV_NOSAT, format));
    mix(__nv_cvt_float_to_fp8(value * 3.0f, __NV_SATFINITE, format));
    if (value == value) mix(__nv_cvt_double_to_fp8(value * 1.0000001, __NV_NOSAT, format));
    mix(__nv_cvt_float2_to_fp8x2(make_float2(value, value * 1e-3f), __NV_SATFINITE, format));
    return mixed;
}

__global__ void convert_kernel(unsigned int* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned int e4m3 = describe_half(static_cast<unsigned short>(i), __NV_E4M3);
    const unsigned int e5m2 = describe_half(static_cast<unsigned short>(i), __NV_E5M2);
    // Sums do not depend on the order of the threads.
    atomicAdd(&out[2 * (i / 1024)], e4m3 * (2u * static_cast<unsigned int>(i) + 1u));
    atomicAdd(&out[2 * (i / 1024) + 1], e5m2 * (2u * static_cast<unsigned int>(i) + 1u));
}

__global__ void vector_kernel(float4* out) {
    const float4 in = make_float4(1.3f, -500.0f, 0.007f, 60000.0f);
    out[0] = static_cast<float4>(__nv_fp8x4_e4m3(in));
    out[1] = static_cast<float4>(__nv_fp8x4_e5m2(in));
    const float2 pair = static_cast<float2>(__nv_fp8x2_e4m3(__floats2half2_rn(0.1f, 17.0f)));
    out[2] = make_float4(pair.x, pair.y, static_cast<float>(__nv_fp8_e5m2(17)),
                         static_cast<float>(__nv_fp8_e4m3(-1000ll)));
}

// ---- Scales: E8M0

// Whatever a scale becomes.
__device__ unsigned long long describe_scale(int code) {
    __nv_fp8_e8m0 value;
    value.__x = static_cast<unsigned char>(code);
    const __half_raw half = static_cast<__half>(value);
    const __nv_bfloat16_raw bfloat = static_cast<__nv_bfloat16>(value);
    unsigned long long mixed = bfloat.x;
    const auto mix = [&](unsigned long long part) { mixed = (mixed ^ part) * 1099511628211ull; };
    if (code != 255) mix(half.x);
    mix(__float_as_uint(static_cast<float>(value)));
    if (code != 255) mix(__double_as_longlong(static_cast<double>(value)));
    mix(static_cast<bool>(value));
    mix(static_cast<unsigned char>(value));
    mix(static_cast<unsigned short>(value));
    mix(static_cast<unsigned int>(value));
    mix(static_cast<unsigned long long>(value));
    mix(static_cast<unsigned long>(value));
    mix(static_cast<unsigned long long>(static_cast<signed char>(value)));
    mix(static_cast<unsigned long long>(static_cast<short>(value)));
    mix(static_cast<unsigned long long>(static_cast<int>(value)));
    mix(static_cast<unsigned long long>(static_cast<long long>(value)));
    return mixed;
}
__global__ void describe_scales_kernel(unsigned long long* out) {
    out[threadIdx.x] = describe_scale(threadIdx.x);
}

// Four codes: rounded to zero and up, with saturation and without.
template <class Convert>
__device__ unsigned int four_codes(Convert convert) {
    return convert(__NV_SATFINITE, cudaRoundZero) << 24 | convert(__NV_NOSAT, cudaRoundZero) << 16 |
           convert(__NV_SATFINITE, cudaRoundPosInf) << 8 | convert(__NV_NOSAT, cudaRoundPosInf);
}

// All 16-bit patterns, as bfloat16 and as the upper half of a float.
__global__ void scales_kernel(unsigned int* out) {
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    const __nv_bfloat16_raw raw{static_cast<unsigned short>(i)};
    const float value = __uint_as_float(i << 16 | (i * 2654435761u >> 16 & 3));
    const unsigned int from_bfloat = four_codes([&](auto saturate, auto rounding) {
        return static_cast<unsigned int>(__nv_cvt_bfloat16raw_to_e8m0(raw, saturate, rounding));
    });
    const unsigned int from_float = four_codes([&](auto saturate, auto rounding) {
        return static_cast<unsigned int>(__nv_cvt_float_to_e8m0(value, saturate, rounding));
    });
    atomicAdd(&out[2 * (i / 1024)], from_bfloat * (2u * i + 1u));
    atomicAdd(&out[2 * (i / 1024) + 1], from_float * (2u * i + 1u));
}

constexpr int kDoubles = 20;
__device__ const double special[kDoubles] = {0.0,
                                             -0.0,
                                             1.0,
                                             1.0000000000000002,
                                             0.9999999999999999,
                                             3.0,
                                             -5.0,
                                             1e-30,
                                             1e-45,
                                             1e-300,
                                             5.877471754111438e-39,
                                             5.8774717541114385e-39,
                                             1e38,
                                             1.7014118346046923e38,
                                             1.8e38,
                                             3.4028234663852886e38,
                                             3.4028236e38,
                                             1e300,
                                             -1e300,
                                             2e-39};

__global__ void doubles_kernel(unsigned int* out, float4* vectors) {
    for (int i = 0; i < kDoubles + 3; ++i) {
        const double value = i < kDoubles        ? special[i]
                             : i == kDoubles     ? __longlong_as_double(0x7ff0000000000000ll)
                             : i == kDoubles + 1 ? __longlong_as_double(0xfff0000000000000ull)
                                                 : __longlong_as_double(0x7ff8000000000001ll);
        out[i] = four_codes([&](auto saturate, auto rounding) {
            return static_cast<unsigned int>(__nv_cvt_double_to_e8m0(value, saturate, rounding));
        });
    }
    const long long integers[] = {0,
                                  1,
                                  -1,
                                  3,
                                  255,
                                  257,
                                  65537,
                                  -70000,
                                  1ll << 40,
                                  (1ll << 40) + 1,
                                  -(1ll << 62) - 1,
                                  0x7fffffffffffffffll};
    int at = kDoubles + 3;
    for (const long long x : integers) {
        out[at++] =
            __nv_fp8_e8m0(x).__x | __nv_fp8_e8m0(static_cast<unsigned long long>(x)).__x << 8 |
            __nv_fp8_e8m0(static_cast<int>(x)).__x << 16 |
            static_cast<unsigned int>(__nv_fp8_e8m0(static_cast<unsigned short>(x)).__x) << 24;
    }
    const float4 in = make_float4(1.3f, -500.0f, 0.007f, 60000.0f);
    vectors[0] = static_cast<float4>(__nv_fp8x4_e8m0(in));
    vectors[1] = static_cast<float4>(__nv_fp8x4_e8m0(make_double4(1e-9, 2, -7, 1e30)));
    const float2 pair = static_cast<float2>(__nv_fp8x2_e8m0(__floats2half2_rn(0.1f, 17.0f)));
    const __half2 halves = static_cast<__half2>(__nv_fp8x2_e8m0(make_double2(0.3, 9.0)));
    vectors[2] = make_float4(pair.x, pair.y, __low2float(halves), __high2float(halves));
    out[at++] = __nv_cvt_float2_to_e8m0x2(make_float2(5.0f, 1e-3f), __NV_NOSAT, cudaRoundZero);
    out[at++] = __nv_fp8x2_e8m0(__floats2bfloat162_rn(3.0f, 1e9f)).__x;
    const __nv_bfloat162_raw two = __nv_cvt_e8m0x2_to_bf162raw(0x80ff);
    out[at++] = two.x | static_cast<unsigned int>(two.y) << 16;
    out[at] = __nv_fp8x4_e8m0(__floats2half2_rn(2.0f, 4.5f), __floats2half2_rn(0.2f, 8.0f)).__x;
}

void show_scales() {
    unsigned long long* codes = nullptr;
    unsigned int* sums = nullptr;
    float4* vectors = nullptr;
    cudaMallocManaged(&codes, kCodes * sizeof *codes);
    cudaMallocManaged(&sums, 256 * sizeof *sums);
    cudaMallocManaged(&vectors, 3 * sizeof *vectors);
    cudaMemset(sums, 0, 256 * sizeof *sums);
    describe_scales_kernel<<<1, kCodes>>>(codes);
    scales_kernel<<<256, 256>>>(sums);
    doubles_kernel<<<1, 1>>>(sums + 128, vectors);
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) std::printf("%s\n", cudaGetErrorName(error));
    for (int i = 0; i < kCodes; ++i) std::printf("scale %02x %016llx\n", i, codes[i]);
    for (int i = 0; i < 64; ++i) {
        std::printf("scales %d %08x %08x\n", i, sums[2 * i], sums[2 * i + 1]);
    }
    for (int i = 0; i < kDoubles + 19; ++i) std::printf("special %d %08x\n", i, sums[128 + i]);
    for (int i = 0; i < 3; ++i) {
        std::printf("scale vector %d %a %a %a %a\n", i, vectors[i].x, vectors[i].y, vectors[i].z,
                    vectors[i].w);
    }
}

}  // namespace

int main() {
    unsigned long long* codes = nullptr;
    unsigned int* sums = nullptr;
    float4* vectors = nullptr;
    cudaMallocManaged(&codes, 2 * kCodes * sizeof *codes);
    cudaMallocManaged(&sums, 128 * sizeof *sums);
    cudaMallocManaged(&vectors, 3 * sizeof *vectors);
    cudaMemset(sums, 0, 128 * sizeof *sums);
    describe_kernel<<<1, kCodes>>>(codes);
    convert_kernel<<<256, 256>>>(sums);
    vector_kernel<<<1, 1>>>(vectors);
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) std::printf("%s\n", cudaGetErrorName(error));
    for (int i = 0; i < kCodes; ++i) {
        std::printf("code %02x %016llx %016llx\n", i, codes[i], codes[kCodes + i]);
    }
    for (int i = 0; i < 64; ++i)
        std::printf("halves %d %08x %08x\n", i, sums[2 * i], sums[2 * i + 1]);
    for (int i = 0; i < 3; ++i) {
        std::printf("vector %d %a %a %a %a\n", i, vectors[i].x, vectors[i].y, vectors[i].z,
                    vectors[i].w);
    }
    show_scales();
    return 0;
}
