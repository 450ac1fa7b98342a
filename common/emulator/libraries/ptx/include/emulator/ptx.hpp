// SPDX-License-Identifier: MIT
// The functions that inline PTX becomes (translator/ptx_instructions.py), from the PTX ISA's
// descriptions. Tested against an H200 (tests/common/emulator/data/ptx_vectors.txt).
#pragma once

#include <cuda_runtime.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <emulator/ptx_conversions.hpp>
#include <emulator/ptx_memory.hpp>
#include <emulator/ptx_video.hpp>
#include <emulator/warp_matrices.hpp>
#include <emulator/warpgroup_matrices.hpp>
#include <limits>
#include <type_traits>

namespace emulator::ptx {

template <class T>
constexpr int kBits = 8 * static_cast<int>(sizeof(T));
template <class T>
using Unsigned = std::make_unsigned_t<T>;
template <class T>
using Wider =
    std::conditional_t<sizeof(T) == 2,
                       std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

// ---- integer arithmetic, modulo 2 to the power of the bits
template <class T>
constexpr T add(T a, T b) {
    return static_cast<T>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b));
}
template <class T>
constexpr T sub(T a, T b) {
    return static_cast<T>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b));
}
template <class T>
constexpr T saturated(std::int64_t value) {
    using Limits = std::numeric_limits<T>;
    return value < Limits::min()   ? Limits::min()
           : value > Limits::max() ? Limits::max()
                                   : static_cast<T>(value);
}
template <class T>
constexpr T add_saturated(T a, T b) {
    return saturated<T>(std::int64_t{a} + b);
}
template <class T>
constexpr T sub_saturated(T a, T b) {
    return saturated<T>(std::int64_t{a} - b);
}

// The condition code CC.CF, which one instruction leaves to the next.
bool& carry_flag();

template <class T, bool kTakesCarry, bool kKeepsCarry>
EMULATOR_UNRECORDED T add_with_carry(T a, T b) {
    const auto x = static_cast<Unsigned<T>>(a);
    Unsigned<T> sum = 0;
    bool carry = __builtin_add_overflow(x, static_cast<Unsigned<T>>(b), &sum);
    if (kTakesCarry) {
        carry |= __builtin_add_overflow(sum, Unsigned<T>{carry_flag()}, &sum);
    }
    if (kKeepsCarry) carry_flag() = carry;
    return static_cast<T>(sum);
}
template <class T, bool kTakesCarry, bool kKeepsCarry>
EMULATOR_UNRECORDED T sub_with_borrow(T a, T b) {
    const auto x = static_cast<Unsigned<T>>(a);
    Unsigned<T> difference = 0;
    bool borrow = __builtin_sub_overflow(x, static_cast<Unsigned<T>>(b), &difference);
    if (kTakesCarry) {
        borrow |= __builtin_sub_overflow(difference, Unsigned<T>{carry_flag()}, &difference);
    }
    if (kKeepsCarry) carry_flag() = borrow;
    return static_cast<T>(difference);
}

template <class T>
constexpr T multiply_lo(T a, T b) {
    using U = std::conditional_t<sizeof(T) < 4, std::uint32_t, Unsigned<T>>;
    return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
}
template <class T>
constexpr Wider<T> multiply_wide(T a, T b) {
    return static_cast<Wider<T>>(Wider<T>{a} * Wider<T>{b});
}
template <class T>
T multiply_hi(T a, T b) {
    if constexpr (sizeof(T) == 8) {
        if constexpr (std::is_signed_v<T>) return __mul64hi(a, b);
        return __umul64hi(static_cast<Unsigned<T>>(a), static_cast<Unsigned<T>>(b));
    } else {
        return static_cast<T>(multiply_wide(a, b) >> kBits<T>);
    }
}

template <class T>
constexpr std::int64_t low_24_bits(T value) {
    const auto bits = static_cast<std::uint32_t>(value) << 8;
    return std::is_signed_v<T> ? static_cast<std::int32_t>(bits) >> 8 : std::int64_t{bits >> 8};
}
template <class T>
constexpr T multiply_24_lo(T a, T b) {
    return static_cast<T>(low_24_bits(a) * low_24_bits(b));
}
// The upper 32 bits of the product's 48.
template <class T>
constexpr T multiply_24_hi(T a, T b) {
    return static_cast<T>(low_24_bits(a) * low_24_bits(b) >> 16);
}

// A GPU gives all ones for a division by zero.
template <class T>
T quotient(T a, T b) {
    if (b == 0) return static_cast<T>(~T{0});
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return sub<T>(0, a);
    return static_cast<T>(a / b);
}
template <class T>
T remainder(T a, T b) {
    if (b == 0) return a;
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
}

template <class T>
T minimum(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
        return std::fmin(a, b);
    } else {
        return a < b ? a : b;
    }
}
template <class T>
T maximum(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
        return std::fmax(a, b);
    } else {
        return a > b ? a : b;
    }
}
template <class T>
T negative(T value) {
    if constexpr (std::is_floating_point_v<T>) {
        return -value;
    } else {
        return sub<T>(0, value);
    }
}
template <class T>
T absolute(T value) {
    if constexpr (std::is_floating_point_v<T>) {
        return std::fabs(value);
    } else {
        return value < 0 ? negative(value) : value;
    }
}
template <class T>
constexpr T sum_of_difference(T a, T b, T c) {
    return a < b ? add(c, sub(b, a)) : add(c, sub(a, b));
}

// ---- bits
template <class T>
constexpr T bit_and(T a, T b) {
    return static_cast<T>(a & b);
}
template <class T>
constexpr T bit_or(T a, T b) {
    return static_cast<T>(a | b);
}
template <class T>
constexpr T bit_xor(T a, T b) {
    return static_cast<T>(a ^ b);
}
template <class T>
constexpr T bit_not(T value) {
    if constexpr (std::is_same_v<T, bool>) {
        return !value;
    } else {
        return static_cast<T>(~value);
    }
}
template <class T>
constexpr T is_zero(T value) {
    return value == 0;
}
template <class T>
T reversed(T value) {
    if constexpr (sizeof(T) == 8) return static_cast<T>(__brevll(value));
    return static_cast<T>(__brev(static_cast<unsigned int>(value)));
}
template <class T>
constexpr std::uint32_t ones(T value) {
    return static_cast<std::uint32_t>(std::popcount(value));
}
template <class T>
constexpr std::uint32_t leading_zeros(T value) {
    return static_cast<std::uint32_t>(std::countl_zero(value));
}
// The highest bit that is set, or in a negative number clear; all ones if there is none.
template <class T, bool kAsShift>
constexpr std::uint32_t highest_bit(T value) {
    auto bits = static_cast<Unsigned<T>>(value);
    if (std::is_signed_v<T> && value < 0) bits = static_cast<Unsigned<T>>(~bits);
    if (bits == 0) return 0xffffffffu;
    const auto position = static_cast<std::uint32_t>(std::bit_width(bits) - 1);
    return kAsShift ? static_cast<std::uint32_t>(kBits<T> - 1) - position : position;
}
// Amounts above the number of bits count as that number.
template <class T>
constexpr T shifted_left(T value, std::uint32_t amount) {
    return amount >= kBits<T> ? T{0} : static_cast<T>(static_cast<Unsigned<T>>(value) << amount);
}
template <class T>
constexpr T shifted_right(T value, std::uint32_t amount) {
    if (amount < static_cast<std::uint32_t>(kBits<T>)) return static_cast<T>(value >> amount);
    return value < 0 ? static_cast<T>(-1) : T{0};
}
// bfe: the sign of a field that passes the highest bit is that bit.
template <class T>
constexpr T extracted(T value, std::uint32_t position, std::uint32_t length) {
    position &= 0xff;
    length &= 0xff;
    if (length == 0) return 0;
    constexpr std::uint32_t kHighest = kBits<T> - 1;
    const auto bits = static_cast<Unsigned<T>>(value);
    const std::uint32_t last = position + length - 1 < kHighest ? position + length - 1 : kHighest;
    const bool sign = std::is_signed_v<T> && (bits >> last & 1) != 0;
    Unsigned<T> result = 0;
    for (std::uint32_t i = 0; i <= kHighest; ++i) {
        const bool inside = i < length && position + i <= kHighest;
        const bool bit = inside ? (bits >> (position + i) & 1) != 0 : sign;
        result |= static_cast<Unsigned<T>>(Unsigned<T>{bit} << i);
    }
    return static_cast<T>(result);
}
template <class T>
constexpr T inserted(T field, T value, std::uint32_t position, std::uint32_t length) {
    position &= 0xff;
    length &= 0xff;
    for (std::uint32_t i = 0; i < length && position + i < static_cast<std::uint32_t>(kBits<T>);
         ++i) {
        const T bit = static_cast<T>(T{1} << (position + i));
        value = (field >> i & 1) != 0 ? static_cast<T>(value | bit) : static_cast<T>(value & ~bit);
    }
    return value;
}
constexpr std::uint32_t looked_up(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                  std::uint32_t table) {
    std::uint32_t result = 0;
    for (std::uint32_t i = 0; i < 8; ++i) {
        if ((table >> i & 1) == 0) continue;
        result |= ((i & 4) != 0 ? a : ~a) & ((i & 2) != 0 ? b : ~b) & ((i & 1) != 0 ? c : ~c);
    }
    return result;
}
template <bool kClamps>
constexpr std::uint32_t bit_mask(std::uint32_t position, std::uint32_t length) {
    if (!kClamps) {
        position &= 31;
        length &= 31;
    }
    const std::uint32_t mask = length >= 32 ? 0xffffffffu : (1u << length) - 1u;
    return position >= 32 ? 0 : mask << position;
}
template <class T, bool kClamps>
constexpr T extended(T value, std::uint32_t width) {
    if (!kClamps) width &= 31;
    if (width >= 32) return value;
    if (width == 0) return 0;
    return static_cast<T>(static_cast<T>(static_cast<std::uint32_t>(value) << (32 - width)) >>
                          (32 - width));
}

enum class Permutation { none, f4e, b4e, rc8, ecl, ecr, rc16 };
// prmt: without a mode, bit 3 of a selector repeats the sign of its byte.
constexpr std::uint32_t permuted(Permutation mode, std::uint32_t a, std::uint32_t b,
                                 std::uint32_t selector) {
    const std::uint64_t bytes = std::uint64_t{b} << 32 | a;
    const int s = static_cast<int>(selector & 3);
    std::uint32_t result = 0;
    for (int i = 0; i < 4; ++i) {
        int byte = 0;
        bool repeats_sign = false;
        switch (mode) {
            case Permutation::none:
                byte = static_cast<int>(selector >> 4 * i & 7);
                repeats_sign = (selector >> 4 * i & 8) != 0;
                break;
            case Permutation::f4e:
                byte = s + i;
                break;
            case Permutation::b4e:
                byte = (s - i + 8) % 8;
                break;
            case Permutation::rc8:
                byte = s;
                break;
            case Permutation::ecl:
                byte = i > s ? i : s;
                break;
            case Permutation::ecr:
                byte = i < s ? i : s;
                break;
            case Permutation::rc16:
                byte = (s & 1) * 2 + i % 2;
                break;
        }
        auto value = static_cast<std::uint32_t>(bytes >> 8 * byte) & 0xffu;
        if (repeats_sign) value = (value & 0x80u) != 0 ? 0xffu : 0;
        result |= value << 8 * i;
    }
    return result;
}

template <bool kSignedA, bool kSignedB>
constexpr std::uint32_t dp4a(std::uint32_t a, std::uint32_t b, std::uint32_t sum) {
    for (int shift = 0; shift < 32; shift += 8) {
        const int x = kSignedA ? int{static_cast<std::int8_t>(a >> shift)} : int(a >> shift & 0xff);
        const int y = kSignedB ? int{static_cast<std::int8_t>(b >> shift)} : int(b >> shift & 0xff);
        sum += static_cast<std::uint32_t>(x * y);
    }
    return sum;
}
template <bool kSignedA, bool kSignedB, int kFirstByte>
constexpr std::uint32_t dp2a(std::uint32_t a, std::uint32_t b, std::uint32_t sum) {
    for (int i = 0; i < 2; ++i) {
        const std::uint32_t half = a >> 16 * i;
        const std::uint32_t byte = b >> 8 * (kFirstByte + i);
        const int x = kSignedA ? int{static_cast<std::int16_t>(half)} : int(half & 0xffff);
        const int y = kSignedB ? int{static_cast<std::int8_t>(byte)} : int(byte & 0xff);
        sum += static_cast<std::uint32_t>(x * y);
    }
    return sum;
}

// ---- floating point
template <class T>
bool are_numbers(T a, T b) {
    return a == a && b == b;
}
template <class T>
bool are_unordered(T a, T b) {
    return !are_numbers(a, b);
}
template <class T>
T reciprocal(T value) {
    return T{1} / value;
}
template <class T>
T square_root(T value) {
    return std::sqrt(value);
}
inline float reciprocal_approximation(float value) { return approximate_reciprocal(value); }
inline float square_root_approximation(float value) { return approximate_sqrt(value); }
inline float inverse_root(float value) { return approximate_rsqrt(value); }
template <class T>
T inverse_root(T value) {
    return T{1} / std::sqrt(value);
}
inline float power_of_two(float value) { return approximate_exp2(value); }
inline float logarithm(float value) { return approximate_log2(value); }
inline float sine(float value) { return approximate_sin(value); }
inline float cosine(float value) { return approximate_cos(value); }
inline float hyperbolic_tangent(float value) { return approximate_tanh(value); }
template <class T>
T with_sign(T sign, T value) {
    return std::copysign(value, sign);
}

}  // namespace emulator::ptx
