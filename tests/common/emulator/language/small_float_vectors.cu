// SPDX-License-Identifier: MIT
// Prints, for each function of cuda_fp16.h and cuda_bf16.h whose result is defined to the bit, a
// hash of its results for many operands. An H200 wrote
// tests/common/emulator/data/small_float_vectors.txt with this program; the CPU engine must print
// the same.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int kCount = 1 << 16;

// Operands: special values first, then random bits, then numbers of similar size, whose sums
// cancel.
__host__ __device__ inline std::uint16_t operand(std::uint32_t i, std::uint32_t which,
                                                 bool bfloat) {
    std::uint32_t x = (i * 3 + which + 1) * 2654435761u;
    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    x *= 3266489917u;
    x ^= x >> 16;
    const std::uint32_t one = bfloat ? 0x3f80 : 0x3c00, infinity = bfloat ? 0x7f80 : 0x7c00;
    const std::uint32_t special[] = {
        0,      1,      2,     one, one + 1, one - 1, infinity, infinity - 1, infinity + 1,
        0x7fff, 0x0080, 0x0400};
    if (i < 4096) return special[x % 12] | (x >> 16 & 0x8000);
    if (i < kCount / 2) return x & 0xffff;
    return (x & 0x83ff) | (one - (bfloat ? 0x200 : 0x1000) + (x >> 20 & 0x400));
}

template <class H>
__device__ H number(std::uint16_t bits);
template <>
__device__ __half number<__half>(std::uint16_t bits) {
    return __ushort_as_half(bits);
}
template <>
__device__ __nv_bfloat16 number<__nv_bfloat16>(std::uint16_t bits) {
    return __ushort_as_bfloat16(bits);
}
__device__ std::uint64_t bits_of(__half a) { return __half_as_ushort(a); }
__device__ std::uint64_t bits_of(__nv_bfloat16 a) { return __bfloat16_as_ushort(a); }
__device__ std::uint64_t bits_of(__half2 a) { return bits_of(a.x) | bits_of(a.y) << 16; }
__device__ std::uint64_t bits_of(__nv_bfloat162 a) { return bits_of(a.x) | bits_of(a.y) << 16; }
__device__ std::uint64_t bits_of(float a) { return __float_as_uint(a); }
template <class T>
__device__ std::uint64_t bits_of(T a) {
    return static_cast<std::uint64_t>(a);
}

template <class H, class Function>
__global__ void vector_kernel(std::uint64_t* out, bool bfloat) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    const H a = number<H>(operand(i, 0, bfloat)), b = number<H>(operand(i, 1, bfloat)),
            c = number<H>(operand(i, 2, bfloat));
    out[i] = bits_of(Function::call(a, b, c));
}

template <class H, class Function>
void print_hash(const char* name, bool bfloat) {
    std::uint64_t* d_out;
    cudaMalloc(&d_out, kCount * sizeof(std::uint64_t));
    vector_kernel<H, Function><<<kCount / 256, 256>>>(d_out, bfloat);
    std::vector<std::uint64_t> out(kCount);
    cudaMemcpy(out.data(), d_out, kCount * sizeof(std::uint64_t), cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    std::uint64_t hash = 14695981039346656037ull;
    for (const std::uint64_t value : out) hash = (hash ^ value) * 1099511628211ull;
    std::printf("%s %s %016llx\n", bfloat ? "bfloat16" : "half", name,
                static_cast<unsigned long long>(hash));
}

#define CASE(name, expression)                       \
    struct name {                                    \
        template <class H>                           \
        static __device__ auto call(H a, H b, H c) { \
            (void)b;                                 \
            (void)c;                                 \
            return expression;                       \
        }                                            \
    };
CASE(add, __hadd(a, b))
CASE(sub, __hsub(a, b))
CASE(mul, __hmul(a, b))
CASE(divide, __hdiv(a, b))
CASE(fma_, __hfma(a, b, c))
CASE(add_sat, __hadd_sat(a, b))
CASE(mul_sat, __hmul_sat(a, b))
CASE(fma_sat, __hfma_sat(a, b, c))
CASE(fma_relu, __hfma_relu(a, b, c))
CASE(negative, __hneg(a))
CASE(absolute, __habs(a))
CASE(max_, __hmax(a, b))
CASE(min_, __hmin(a, b))
CASE(max_nan, __hmax_nan(a, b))
CASE(min_nan, __hmin_nan(a, b))
CASE(truncated, htrunc(a))
CASE(up, hceil(a))
CASE(down, hfloor(a))
CASE(nearest, hrint(a))
CASE(root, hsqrt(a))
CASE(is_infinite, static_cast<long long>(__hisinf(a)))
CASE(compared, __heq(a, b) | __hne(a, b) << 1 | __hlt(a, b) << 2 | __hle(a, b) << 3 |
                   __hgt(a, b) << 4 | __hge(a, b) << 5)
CASE(compared_unordered, __hequ(a, b) | __hneu(a, b) << 1 | __hltu(a, b) << 2 | __hleu(a, b) << 3 |
                             __hgtu(a, b) << 4 | __hgeu(a, b) << 5)

#define CONVERSION(name, half_form, bfloat_form)                                         \
    struct name {                                                                        \
        static __device__ auto call(__half a, __half b, __half c) {                      \
            const unsigned x = __half_as_ushort(a) | __half_as_ushort(b) << 16u;         \
            const unsigned y = __half_as_ushort(c) * 40503u;                             \
            (void)x;                                                                     \
            (void)y;                                                                     \
            return half_form;                                                            \
        }                                                                                \
        static __device__ auto call(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { \
            const unsigned x = __bfloat16_as_ushort(a) | __bfloat16_as_ushort(b) << 16u; \
            const unsigned y = __bfloat16_as_ushort(c) * 40503u;                         \
            (void)x;                                                                     \
            (void)y;                                                                     \
            return bfloat_form;                                                          \
        }                                                                                \
    };
#define ROUNDINGS(F) F(rn) F(rz) F(rd) F(ru)
#define CONVERSIONS(mode)                                                                 \
    CONVERSION(from_float_##mode, __float2half_##mode(__uint_as_float(x)),                \
               __float2bfloat16_##mode(__uint_as_float(x)))                               \
    CONVERSION(from_int_##mode, __int2half_##mode((int)x), __int2bfloat16_##mode((int)x)) \
    CONVERSION(from_uint_##mode, __uint2half_##mode(x >> (y & 31)),                       \
               __uint2bfloat16_##mode(x >> (y & 31)))                                     \
    CONVERSION(from_short_##mode, __short2half_##mode((short)x),                          \
               __short2bfloat16_##mode((short)x))                                         \
    CONVERSION(from_ll_##mode,                                                            \
               __ll2half_##mode((long long)((std::uint64_t)x << 32 | y) >> (x & 63)),     \
               __ll2bfloat16_##mode((long long)((std::uint64_t)x << 32 | y) >> (x & 63))) \
    CONVERSION(to_int_##mode, __half2int_##mode(a), __bfloat162int_##mode(a))             \
    CONVERSION(to_uint_##mode, __half2uint_##mode(a), __bfloat162uint_##mode(a))          \
    CONVERSION(to_short_##mode, __half2short_##mode(a), __bfloat162short_##mode(a))       \
    CONVERSION(to_ushort_##mode, __half2ushort_##mode(a), __bfloat162ushort_##mode(a))    \
    CONVERSION(to_ll_##mode, __half2ll_##mode(a), __bfloat162ll_##mode(a))                \
    CONVERSION(to_ull_##mode, __half2ull_##mode(a), __bfloat162ull_##mode(a))
ROUNDINGS(CONVERSIONS)
CONVERSION(to_float, __half2float(a), __bfloat162float(a))
CONVERSION(from_double, __double2half((double)__uint_as_float(x) * (1 + 1e-9)),
           __double2bfloat16((double)__uint_as_float(x) * (1 + 1e-9)))
CONVERSION(to_char, __half2char_rz(a), __bfloat162char_rz(a))
CONVERSION(to_uchar, __half2uchar_rz(a), __bfloat162uchar_rz(a))
CONVERSION(complex, __hcmadd(__halves2half2(a, b), __halves2half2(b, c), __halves2half2(c, a)),
           __hcmadd(__halves2bfloat162(a, b), __halves2bfloat162(b, c), __halves2bfloat162(c, a)))

template <class H>
void print_all(bool bfloat) {
#define PRINT(name) print_hash<H, name>(#name, bfloat)
#define PRINT_CONVERSIONS(mode) \
    PRINT(from_float_##mode);   \
    PRINT(from_int_##mode);     \
    PRINT(from_uint_##mode);    \
    PRINT(from_short_##mode);   \
    PRINT(from_ll_##mode);      \
    PRINT(to_int_##mode);       \
    PRINT(to_uint_##mode);      \
    PRINT(to_short_##mode);     \
    PRINT(to_ushort_##mode);    \
    PRINT(to_ll_##mode);        \
    PRINT(to_ull_##mode);
    PRINT(add);
    PRINT(sub);
    PRINT(mul);
    PRINT(divide);
    PRINT(fma_);
    PRINT(add_sat);
    PRINT(mul_sat);
    PRINT(fma_sat);
    PRINT(fma_relu);
    PRINT(negative);
    PRINT(absolute);
    PRINT(max_);
    PRINT(min_);
    PRINT(max_nan);
    PRINT(min_nan);
    PRINT(truncated);
    PRINT(up);
    PRINT(down);
    PRINT(nearest);
    PRINT(root);
    PRINT(is_infinite);
    PRINT(compared);
    PRINT(compared_unordered);
    ROUNDINGS(PRINT_CONVERSIONS) PRINT(to_float);
    PRINT(from_double);
    PRINT(to_char);
    PRINT(to_uchar);
    PRINT(complex);
}

int main() {
    print_all<__half>(false);
    print_all<__nv_bfloat16>(true);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
