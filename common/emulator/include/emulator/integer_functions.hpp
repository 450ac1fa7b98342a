// SPDX-License-Identifier: MIT
// CUDA's integer intrinsics.
#pragma once

#include <bit>
#include <cstdint>
#include <emulator/vector_types.hpp>

// ---- counting and reversing bits ----
inline int __popc(unsigned int x) { return std::popcount(x); }
inline int __popcll(unsigned long long x) { return std::popcount(x); }
inline int __clz(int x) { return std::countl_zero(static_cast<unsigned int>(x)); }
inline int __clzll(long long x) { return std::countl_zero(static_cast<unsigned long long>(x)); }
// Position of the lowest set bit, from 1; 0 when there is none.
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned int __brev(unsigned int x) {
    x = __builtin_bswap32(x);
    x = (x & 0x0f0f0f0fu) << 4 | (x >> 4 & 0x0f0f0f0fu);
    x = (x & 0x33333333u) << 2 | (x >> 2 & 0x33333333u);
    return (x & 0x55555555u) << 1 | (x >> 1 & 0x55555555u);
}
inline unsigned long long __brevll(unsigned long long x) {
    return static_cast<unsigned long long>(__brev(static_cast<unsigned int>(x))) << 32 |
           __brev(static_cast<unsigned int>(x >> 32));
}
// Position of the n-th set bit counted from bit `base`: upwards for a positive n, downwards for a
// negative one, `base` itself for 0 when it is set; 0xffffffff when there is none.
inline unsigned int __fns(unsigned int mask, unsigned int base, int n) {
    const int step = n < 0 ? -1 : 1;
    int left = n == 0 ? 1 : n * step;
    for (int bit = static_cast<int>(base); bit >= 0 && bit < 32; bit += step) {
        if ((mask >> bit & 1u) != 0 && --left == 0) return static_cast<unsigned int>(bit);
        if (n == 0) break;
    }
    return 0xffffffffu;
}

// ---- bytes and funnel shifts ----
// Four bytes picked from the eight of x (0-3) and y (4-7); bit 3 of a selector repeats the sign.
inline unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) {
    const std::uint64_t bytes = static_cast<std::uint64_t>(y) << 32 | x;
    unsigned int result = 0;
    for (int i = 0; i < 4; ++i) {
        // Three bits choose: the fourth, which means "its sign" to the instruction, is masked off.
        const unsigned int choice = selector >> 4 * i & 7u;
        result |= (static_cast<unsigned int>(bytes >> 8 * choice) & 0xffu) << 8 * i;
    }
    return result;
}
// The high word of high:low shifted left, the low word of high:low shifted right; the amount is
// taken modulo 32 (l, r) or clamped to 32 (lc, rc).
inline unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int shift) {
    const std::uint64_t both = static_cast<std::uint64_t>(high) << 32 | low;
    return static_cast<unsigned int>((both << (shift < 32 ? shift : 32)) >> 32);
}
inline unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int shift) {
    const std::uint64_t both = static_cast<std::uint64_t>(high) << 32 | low;
    return static_cast<unsigned int>(both >> (shift < 32 ? shift : 32));
}
inline unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift) {
    return __funnelshift_lc(low, high, shift & 31u);
}
inline unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift) {
    return __funnelshift_rc(low, high, shift & 31u);
}

// ---- products ----
// 24-bit operands, the low 32 bits of the product.
inline int __mul24(int x, int y) {
    const std::int64_t a = static_cast<std::int32_t>(static_cast<std::uint32_t>(x) << 8) >> 8;
    const std::int64_t b = static_cast<std::int32_t>(static_cast<std::uint32_t>(y) << 8) >> 8;
    return static_cast<int>(a * b);
}
inline unsigned int __umul24(unsigned int x, unsigned int y) {
    return (x & 0xffffffu) * (y & 0xffffffu);
}
inline int __mulhi(int x, int y) {
    return static_cast<int>(static_cast<std::int64_t>(x) * y >> 32);
}
inline unsigned int __umulhi(unsigned int x, unsigned int y) {
    return static_cast<unsigned int>(static_cast<std::uint64_t>(x) * y >> 32);
}
inline long long __mul64hi(long long x, long long y) {
    __extension__ typedef __int128 Wide;
    return static_cast<long long>(static_cast<Wide>(x) * y >> 64);
}
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    __extension__ typedef unsigned __int128 Wide;
    return static_cast<unsigned long long>(static_cast<Wide>(x) * y >> 64);
}

// ---- sums of differences, averages, dot products of bytes ----
inline unsigned int __usad(unsigned int x, unsigned int y, unsigned int z) {
    return (x > y ? x - y : y - x) + z;
}
inline unsigned int __sad(int x, int y, unsigned int z) {
    const std::int64_t difference = static_cast<std::int64_t>(x) - y;
    return static_cast<unsigned int>(difference < 0 ? -difference : difference) + z;
}
inline int __hadd(int x, int y) {
    return static_cast<int>((static_cast<std::int64_t>(x) + y) >> 1);
}
inline int __rhadd(int x, int y) {
    return static_cast<int>((static_cast<std::int64_t>(x) + y + 1) >> 1);
}
inline unsigned int __uhadd(unsigned int x, unsigned int y) {
    return static_cast<unsigned int>((static_cast<std::uint64_t>(x) + y) >> 1);
}
inline unsigned int __urhadd(unsigned int x, unsigned int y) {
    return static_cast<unsigned int>((static_cast<std::uint64_t>(x) + y + 1) >> 1);
}
inline int __dp4a(int a, int b, int sum) {
    auto total = static_cast<unsigned int>(sum);
    for (int shift = 0; shift < 32; shift += 8) {
        total += static_cast<unsigned int>(static_cast<signed char>(a >> shift) *
                                           static_cast<signed char>(b >> shift));
    }
    return static_cast<int>(total);
}
inline unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int sum) {
    for (int shift = 0; shift < 32; shift += 8) sum += (a >> shift & 0xffu) * (b >> shift & 0xffu);
    return sum;
}
inline int __dp4a(char4 a, char4 b, int sum) {
    return sum + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
inline unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int sum) {
    return sum + static_cast<unsigned int>(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w);
}
// Two 16-bit operands with two bytes of the other operand: its lower (lo) or upper (hi) two.
namespace emulator {
template <class Halfword, class Byte, class Sum>
constexpr Sum dot_product_2(Sum halfwords, Sum bytes, int first_byte, Sum sum) {
    auto total = static_cast<unsigned int>(sum);
    for (int i = 0; i < 2; ++i) {
        const int halfword = static_cast<Halfword>(halfwords >> 16 * i);
        const Sum byte{static_cast<Byte>(bytes >> 8 * (first_byte + i))};
        total += static_cast<unsigned int>(halfword * byte);
    }
    return static_cast<Sum>(total);
}
}  // namespace emulator
#define EMULATOR_DP2A(name, first_byte)                                                         \
    inline int name(int a, int b, int sum) {                                                    \
        return emulator::dot_product_2<std::int16_t, std::int8_t>(a, b, first_byte, sum);       \
    }                                                                                           \
    inline unsigned int name(unsigned int a, unsigned int b, unsigned int sum) {                \
        return emulator::dot_product_2<std::uint16_t, std::uint8_t>(a, b, first_byte, sum);     \
    }                                                                                           \
    inline int name(short2 a, char4 b, int sum) {                                               \
        return name(std::bit_cast<int>(a.machine_vector), std::bit_cast<int>(b.machine_vector), \
                    sum);                                                                       \
    }                                                                                           \
    inline unsigned int name(ushort2 a, uchar4 b, unsigned int sum) {                           \
        return name(std::bit_cast<unsigned int>(a.machine_vector),                              \
                    std::bit_cast<unsigned int>(b.machine_vector), sum);                        \
    }
EMULATOR_DP2A(__dp2a_lo, 0)
EMULATOR_DP2A(__dp2a_hi, 2)
#undef EMULATOR_DP2A
