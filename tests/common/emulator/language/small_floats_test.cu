// SPDX-License-Identifier: MIT
// __half and __nv_bfloat16 against a reference that shares nothing with them: exact integers, and a
// search among all numbers of the format.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace {

__extension__ typedef __int128 Wide;

__host__ __device__ inline std::uint16_t bits_of(__half a) { return __half_as_ushort(a); }
__host__ __device__ inline std::uint16_t bits_of(__nv_bfloat16 a) {
    return __bfloat16_as_ushort(a);
}
template <class H>
__host__ __device__ H number(std::uint16_t bits) {
    if constexpr (sizeof(H) == 2 && std::is_same_v<H, __half>) {
        return __ushort_as_half(bits);
    } else {
        return __ushort_as_bfloat16(bits);
    }
}

// A format by its definition: the value of a bit pattern, as a multiple of 2^-kScale.
template <class H>
struct Reference;
template <>
struct Reference<__half> {
    static constexpr int kMantissa = 10, kBias = 15, kInfinity = 0x7c00;
    static constexpr std::uint16_t kFirst = 0, kLast = kInfinity - 1;
};
template <>
struct Reference<__nv_bfloat16> {
    static constexpr int kMantissa = 7, kBias = 127, kInfinity = 0x7f80;
    // Numbers from 2^-20 to 2^20: exact sums and products fit into 128 bits.
    static constexpr std::uint16_t kFirst = (127 - 20) << 7, kLast = (127 + 20) << 7;
};

constexpr int kScale = 54;  // twice the lowest exponent of what is tested, for products

// The magnitude in units of 2^-kScale.
template <class H>
Wide magnitude(std::uint16_t bits) {
    using R = Reference<H>;
    const int exponent = (bits & 0x7fff) >> R::kMantissa;
    const Wide mantissa =
        (bits & ((1 << R::kMantissa) - 1)) | (exponent > 0 ? 1 << R::kMantissa : 0);
    const int power = std::max(exponent, 1) - R::kBias - R::kMantissa + kScale;
    return power >= 0 ? mantissa << power : mantissa >> -power;
}

template <class H>
Wide exact(std::uint16_t bits) {
    return (bits & 0x8000) != 0 ? -magnitude<H>(bits) : magnitude<H>(bits);
}

// The bits of the number nearest to value * 2^-kScale; of two, the even one.
template <class H>
std::uint16_t nearest(Wide value) {
    const std::uint16_t sign = value < 0 ? 0x8000 : 0;
    const Wide size = value < 0 ? -value : value;
    int low = 0, high = Reference<H>::kInfinity;  // bit patterns are in the order of their values
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        (magnitude<H>(middle) <= size ? low : high) = middle;
    }
    // Infinity lies where the next number would.
    const Wide below = size - magnitude<H>(low), above = magnitude<H>(high) - size;
    const bool up = above < below || (above == below && low % 2 != 0);
    return sign | static_cast<std::uint16_t>(up ? high : low);
}

enum Operation { kAdd, kSubtract, kMultiply, kFma };

template <class H>
__global__ void arithmetic_kernel(const std::uint16_t* in, std::uint16_t* out, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const H a = number<H>(in[3 * i]), b = number<H>(in[3 * i + 1]), c = number<H>(in[3 * i + 2]);
    out[4 * i + kAdd] = bits_of(__hadd(a, b));
    out[4 * i + kSubtract] = bits_of(__hsub(a, b));
    out[4 * i + kMultiply] = bits_of(__hmul(a, b));
    out[4 * i + kFma] = bits_of(__hfma(a, b, c));
}

template <class H>
void check_arithmetic() {
    using R = Reference<H>;
    constexpr int kCount = 20000;
    std::mt19937 random(7);
    std::vector<std::uint16_t> in(3 * kCount);
    for (std::uint16_t& bits : in) {
        bits = static_cast<std::uint16_t>(R::kFirst + random() % (R::kLast - R::kFirst + 1u));
        if (random() % 2 == 0) bits |= 0x8000;
    }
    // Some sums that cancel almost, and operands of very different size.
    for (int i = 0; i < kCount; i += 5) in[3 * i + 1] = (in[3 * i] ^ 0x8000) + i % 3;
    std::uint16_t *d_in, *d_out;
    ASSERT_EQ(cudaMallocManaged(&d_in, in.size() * 2), cudaSuccess);
    ASSERT_EQ(cudaMallocManaged(&d_out, 4 * kCount * 2), cudaSuccess);
    std::copy(in.begin(), in.end(), d_in);
    arithmetic_kernel<H><<<(kCount + 255) / 256, 256>>>(d_in, d_out, kCount);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (int i = 0; i < kCount; ++i) {
        const Wide a = exact<H>(in[3 * i]), b = exact<H>(in[3 * i + 1]),
                   c = exact<H>(in[3 * i + 2]);
        if (magnitude<H>(in[3 * i]) == 0 || magnitude<H>(in[3 * i + 1]) == 0) continue;
        // Operands are multiples of 2^-27, so a product is a multiple of 2^-54.
        const Wide product = (a >> kScale / 2) * (b >> kScale / 2);
        const std::uint16_t* result = d_out + 4 * i;
        if (a + b != 0) {
            ASSERT_EQ(result[kAdd], nearest<H>(a + b)) << in[3 * i] << ' ' << in[3 * i + 1];
        }
        if (a - b != 0) {
            ASSERT_EQ(result[kSubtract], nearest<H>(a - b));
        }
        ASSERT_EQ(result[kMultiply] & 0x7fff, nearest<H>(product) & 0x7fff);
        ASSERT_EQ(result[kMultiply] >> 15, (in[3 * i] ^ in[3 * i + 1]) >> 15);
        if (product + c != 0) {
            ASSERT_EQ(result[kFma], nearest<H>(product + c));
        }
    }
    cudaFree(d_in);
    cudaFree(d_out);
}

TEST(SmallFloats, ArithmeticOfHalfIsRoundedOnce) { check_arithmetic<__half>(); }
TEST(SmallFloats, ArithmeticOfBfloat16IsRoundedOnce) { check_arithmetic<__nv_bfloat16>(); }

template <class H>
H from_float(float x, int mode);
template <>
__half from_float<__half>(float x, int mode) {
    return mode == 0   ? __float2half_rn(x)
           : mode == 1 ? __float2half_rz(x)
           : mode == 2 ? __float2half_rd(x)
                       : __float2half_ru(x);
}
template <>
__nv_bfloat16 from_float<__nv_bfloat16>(float x, int mode) {
    return mode == 0   ? __float2bfloat16_rn(x)
           : mode == 1 ? __float2bfloat16_rz(x)
           : mode == 2 ? __float2bfloat16_rd(x)
                       : __float2bfloat16_ru(x);
}

// Between every two neighbours: their middle, and numbers just below and above it.
template <class H>
void check_rounding() {
    for (int bits = 0; bits < Reference<H>::kInfinity; ++bits) {
        const float low = number<H>(static_cast<std::uint16_t>(bits));
        const double next = bits + 1 == Reference<H>::kInfinity
                                ? 2.0 * low - static_cast<float>(number<H>(bits - 1))
                                : static_cast<float>(number<H>(bits + 1));
        const auto middle = static_cast<float>((low + next) / 2);
        for (const int sign : {0, 0x8000}) {
            const auto of = [&](float x, int mode) {
                return bits_of(from_float<H>(sign != 0 ? -x : x, mode)) ^ sign;
            };
            const int away = sign != 0 ? 2 : 3, inwards = sign != 0 ? 3 : 2;
            ASSERT_EQ(of(low, 0), bits);
            ASSERT_EQ(of(low, away), bits);
            ASSERT_EQ(of(middle, 0), bits + bits % 2);
            ASSERT_EQ(of(std::nextafter(middle, 0.0f), 0), bits);
            ASSERT_EQ(of(std::nextafter(middle, INFINITY), 0), bits + 1);
            ASSERT_EQ(of(middle, 1), bits);
            ASSERT_EQ(of(middle, inwards), bits);
            ASSERT_EQ(of(middle, away), bits + 1);
        }
    }
    for (const float none : {INFINITY, NAN}) {
        for (int mode = 0; mode < 4; ++mode) {
            EXPECT_EQ(bits_of(from_float<H>(none, mode)),
                      std::isnan(none) ? 0x7fff : Reference<H>::kInfinity);
        }
    }
}

TEST(SmallFloats, ConversionsToHalfRoundInAllModes) { check_rounding<__half>(); }
TEST(SmallFloats, ConversionsToBfloat16RoundInAllModes) { check_rounding<__nv_bfloat16>(); }

TEST(SmallFloats, NanAndZeros) {
    const __half nan = __ushort_as_half(0x7e01), one(1.0f), zero(0.0f), minus(-0.0f);
    EXPECT_EQ(bits_of(__hmax(nan, one)), bits_of(one));
    EXPECT_EQ(bits_of(__hmax_nan(nan, one)), 0x7fff);
    EXPECT_EQ(bits_of(__hmin(zero, minus)), 0x8000);
    EXPECT_EQ(bits_of(__hmax(minus, zero)), 0);
    EXPECT_FALSE(__heq(nan, nan) || __hne(nan, one) || __hlt(nan, one));
    EXPECT_TRUE(__hequ(nan, nan) && __hneu(nan, one) && __hltu(nan, one));
    EXPECT_TRUE(nan != nan);
    EXPECT_EQ(__heq2_mask(__half2(one, zero), __half2(one, one)), 0xffffu);
    EXPECT_FALSE(__hbeq2(__half2(one, zero), __half2(one, one)));
    EXPECT_EQ(__hisinf(__ushort_as_half(0xfc00)), -1);
    EXPECT_EQ(bits_of(__hadd_sat(one, one)), bits_of(one));
    EXPECT_EQ(__half2int_rz(nan), 0);
    EXPECT_EQ(__bfloat162short_rz(__nv_bfloat16(1e9f)), 32767);
    EXPECT_EQ(__bfloat162uint_rz(__nv_bfloat16(-3.0f)), 0u);
}

template <class H, class H2>
__global__ void moves_kernel(H* sum, H2* pair, unsigned short* shuffled) {
    atomicAdd(sum, H(1.0f));
    atomicAdd(pair, H2(H(1.0f), H(2.0f)));
    const H own = H(static_cast<float>(threadIdx.x));
    shuffled[threadIdx.x] = bits_of(__shfl_xor_sync(0xffffffffu, own, 1));
}

template <class H, class H2>
void check_moves() {
    H* sum;
    H2* pair;
    unsigned short* shuffled;
    cudaMallocManaged(&sum, sizeof(H));
    cudaMallocManaged(&pair, sizeof(H2));
    cudaMallocManaged(&shuffled, 64);
    *sum = H(0.5f);
    *pair = H2(H(0.0f), H(1.0f));
    moves_kernel<H, H2><<<1, 32>>>(sum, pair, shuffled);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(static_cast<float>(*sum), 32.5f);
    EXPECT_EQ(__low2float(*pair), 32.0f);
    EXPECT_EQ(__high2float(*pair), 65.0f);
    EXPECT_EQ(shuffled[4], bits_of(H(5.0f)));
    cudaFree(sum);
    cudaFree(pair);
    cudaFree(shuffled);
}

TEST(SmallFloats, AtomicSumsAndShuffles) {
    check_moves<__half, __half2>();
    check_moves<__nv_bfloat16, __nv_bfloat162>();
}

}  // namespace
