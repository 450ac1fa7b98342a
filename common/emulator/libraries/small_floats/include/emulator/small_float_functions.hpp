// SPDX-License-Identifier: MIT
// The functions that __half and __nv_bfloat16 both have, as macros: H is the type, H2 the pair.
// EMULATOR_SMALL_* are undefined by the header that uses them.
#pragma once

#include <emulator/small_float.hpp>

namespace emulator {

template <class H>
H small_of(double x) {
    return H::from_bits(small_from_double<typename H::Format>(x));
}
template <class H>
H canonical_nan() {
    return H::from_bits(H::Format::kNan);
}
template <class H>
bool is_nan(H a) {
    return (a.bits & 0x7fff) > H::Format::kInfinity;
}
template <class H>
H with_sign(H a, int sign) {
    if (is_nan(a)) return canonical_nan<H>();
    return H::from_bits(static_cast<std::uint16_t>((a.bits & 0x7fff) | sign << 15));
}
// Clamped to 0 .. 1; NaN becomes 0.
template <class H>
H saturate(H a) {
    const float value = a.value();
    return value >= 1.0f ? small_of<H>(1) : value > 0.0f ? a : small_of<H>(0);
}
template <class H>
H relu(H a) {
    return is_nan(a) ? canonical_nan<H>() : (a.bits & 0x8000) != 0 ? small_of<H>(0) : a;
}
template <class H>
H fused(H a, H b, H c) {
    return small_of<H>(
        sum_to_odd(static_cast<double>(a.value()) * static_cast<double>(b.value()), c.value()));
}
template <class H>
H sum(H a, H b) {
    return small_of<H>(sum_to_odd(a.value(), b.value()));
}
template <class H>
H difference(H a, H b) {
    return small_of<H>(sum_to_odd(a.value(), -static_cast<double>(b.value())));
}
template <class H>
H product(H a, H b) {
    return small_of<H>(static_cast<double>(a.value()) * static_cast<double>(b.value()));
}
template <class H>
H quotient(H a, H b) {
    return small_of<H>(static_cast<double>(a.value()) / static_cast<double>(b.value()));
}
// The greater (or smaller) of two; +0 is greater than -0. A NaN loses, or wins if `nan_wins`.
template <class H>
H extreme(H a, H b, bool greater, bool nan_wins) {
    if (is_nan(a) || is_nan(b)) {
        if (nan_wins || (is_nan(a) && is_nan(b))) return canonical_nan<H>();
        return is_nan(a) ? b : a;
    }
    const float x = a.value(), y = b.value();
    if (x == y) return ((a.bits & 0x8000) != 0) == greater ? b : a;
    return (x > y) == greater ? a : b;
}

}  // namespace emulator

// ---- integers: `name` is half or bfloat16; the suffixes are the rounding modes'
#define EMULATOR_SMALL_TO(name, H, T, t, suffix, round)             \
    inline T __##name##2##t##_##suffix(H a) {                       \
        return emulator::saturated<T, H::Format>(round(a.value())); \
    }
#define EMULATOR_SMALL_FROM(name, H, T, t, suffix, mode)                                           \
    inline H __##t##2##name##_##suffix(T x) {                                                      \
        return H::from_bits(emulator::small_from_integer<H::Format>(x, emulator::Rounding::mode)); \
    }
#define EMULATOR_SMALL_INTEGER(name, H, T, t)            \
    EMULATOR_SMALL_TO(name, H, T, t, rn, std::nearbyint) \
    EMULATOR_SMALL_TO(name, H, T, t, rz, std::trunc)     \
    EMULATOR_SMALL_TO(name, H, T, t, rd, std::floor)     \
    EMULATOR_SMALL_TO(name, H, T, t, ru, std::ceil)      \
    EMULATOR_SMALL_FROM(name, H, T, t, rn, to_nearest)   \
    EMULATOR_SMALL_FROM(name, H, T, t, rz, toward_zero)  \
    EMULATOR_SMALL_FROM(name, H, T, t, rd, down)         \
    EMULATOR_SMALL_FROM(name, H, T, t, ru, up)

#define EMULATOR_SMALL_CONVERSIONS(name, H, H2)                                                   \
    EMULATOR_SMALL_INTEGER(name, H, int, int)                                                     \
    EMULATOR_SMALL_INTEGER(name, H, unsigned int, uint)                                           \
    EMULATOR_SMALL_INTEGER(name, H, short, short)                                                 \
    EMULATOR_SMALL_INTEGER(name, H, unsigned short, ushort)                                       \
    EMULATOR_SMALL_INTEGER(name, H, unsigned long long, ull)                                      \
    EMULATOR_SMALL_INTEGER(name, H, long long, ll)                                                \
    EMULATOR_SMALL_TO(name, H, signed char, char, rz, std::trunc)                                 \
    EMULATOR_SMALL_TO(name, H, unsigned char, uchar, rz, std::trunc)                              \
    inline H __float2##name(float x) { return H(x); }                                             \
    inline H __float2##name##_rn(float x) { return H(x); }                                        \
    inline H __float2##name##_rz(float x) {                                                       \
        return H::from_bits(                                                                      \
            emulator::small_from_double<H::Format>(x, emulator::Rounding::toward_zero));          \
    }                                                                                             \
    inline H __float2##name##_rd(float x) {                                                       \
        return H::from_bits(emulator::small_from_double<H::Format>(x, emulator::Rounding::down)); \
    }                                                                                             \
    inline H __float2##name##_ru(float x) {                                                       \
        return H::from_bits(emulator::small_from_double<H::Format>(x, emulator::Rounding::up));   \
    }                                                                                             \
    inline H __double2##name(double x) { return H(x); }                                           \
    inline float __##name##2float(H a) { return a.value(); }                                      \
    inline short __##name##_as_short(H a) { return static_cast<short>(a.bits); }                  \
    inline unsigned short __##name##_as_ushort(H a) { return a.bits; }                            \
    inline H __short_as_##name(short x) { return H::from_bits(static_cast<std::uint16_t>(x)); }   \
    inline H __ushort_as_##name(unsigned short x) { return H::from_bits(x); }                     \
    inline H2 make_##name##2(H x, H y) { return {x, y}; }                                         \
    inline H2 __halves2##name##2(H low, H high) { return {low, high}; }                           \
    inline H2 __##name##2##name##2(H a) { return {a, a}; }                                        \
    inline H2 __floats2##name##2_rn(float low, float high) { return {H(low), H(high)}; }          \
    inline H2 __float2##name##2_rn(float x) { return {H(x), H(x)}; }                              \
    inline H2 __float22##name##2_rn(float2 x) { return {H(x.x), H(x.y)}; }                        \
    inline float2 __##name##22float2(H2 a) { return make_float2(a.x.value(), a.y.value()); }      \
    inline H __low2##name(H2 a) { return a.x; }                                                   \
    inline H __high2##name(H2 a) { return a.y; }                                                  \
    inline H2 __low2##name##2(H2 a) { return {a.x, a.x}; }                                        \
    inline H2 __high2##name##2(H2 a) { return {a.y, a.y}; }                                       \
    inline H2 __lows2##name##2(H2 a, H2 b) { return {a.x, b.x}; }                                 \
    inline H2 __highs2##name##2(H2 a, H2 b) { return {a.y, b.y}; }                                \
    inline H2 __lowhigh2highlow(H2 a) { return {a.y, a.x}; }                                      \
    inline float __low2float(H2 a) { return a.x.value(); }                                        \
    inline float __high2float(H2 a) { return a.y.value(); }

// ---- one operation on numbers, the same on both numbers of pairs
#define EMULATOR_SMALL_UNARY(H, H2, name, name2, expression) \
    inline H name(H a) { return expression; }                \
    inline H2 name2(H2 a) { return {name(a.x), name(a.y)}; }
#define EMULATOR_SMALL_BINARY(H, H2, name, name2, expression) \
    inline H name(H a, H b) { return expression; }            \
    inline H2 name2(H2 a, H2 b) { return {name(a.x, b.x), name(a.y, b.y)}; }
#define EMULATOR_SMALL_FUSED(H, H2, name, name2, expression) \
    inline H name(H a, H b, H c) { return expression; }      \
    inline H2 name2(H2 a, H2 b, H2 c) { return {name(a.x, b.x, c.x), name(a.y, b.y, c.y)}; }

// Mathematical functions: computed in double and rounded. A GPU's may differ in the last bit.
#define EMULATOR_SMALL_MATH(H, H2, name, expression) \
    EMULATOR_SMALL_UNARY(H, H2, h##name, h2##name,   \
                         (emulator::small_of<H>([](double x) { return expression; }(a.value()))))

#define EMULATOR_SMALL_ARITHMETIC(H, H2)                                                          \
    EMULATOR_SMALL_BINARY(H, H2, __hadd, __hadd2, (emulator::sum(a, b)))                          \
    EMULATOR_SMALL_BINARY(H, H2, __hsub, __hsub2, (emulator::difference(a, b)))                   \
    EMULATOR_SMALL_BINARY(H, H2, __hmul, __hmul2, (emulator::product(a, b)))                      \
    EMULATOR_SMALL_BINARY(H, H2, __hadd_rn, __hadd2_rn, (emulator::sum(a, b)))                    \
    EMULATOR_SMALL_BINARY(H, H2, __hsub_rn, __hsub2_rn, (emulator::difference(a, b)))             \
    EMULATOR_SMALL_BINARY(H, H2, __hmul_rn, __hmul2_rn, (emulator::product(a, b)))                \
    EMULATOR_SMALL_BINARY(H, H2, __hdiv, __h2div, (emulator::quotient(a, b)))                     \
    EMULATOR_SMALL_BINARY(H, H2, __hadd_sat, __hadd2_sat, (emulator::saturate(__hadd(a, b))))     \
    EMULATOR_SMALL_BINARY(H, H2, __hsub_sat, __hsub2_sat, (emulator::saturate(__hsub(a, b))))     \
    EMULATOR_SMALL_BINARY(H, H2, __hmul_sat, __hmul2_sat, (emulator::saturate(__hmul(a, b))))     \
    EMULATOR_SMALL_BINARY(H, H2, __hmax, __hmax2, (emulator::extreme(a, b, true, false)))         \
    EMULATOR_SMALL_BINARY(H, H2, __hmin, __hmin2, (emulator::extreme(a, b, false, false)))        \
    EMULATOR_SMALL_BINARY(H, H2, __hmax_nan, __hmax2_nan, (emulator::extreme(a, b, true, true)))  \
    EMULATOR_SMALL_BINARY(H, H2, __hmin_nan, __hmin2_nan, (emulator::extreme(a, b, false, true))) \
    EMULATOR_SMALL_FUSED(H, H2, __hfma, __hfma2, (emulator::fused(a, b, c)))                      \
    EMULATOR_SMALL_FUSED(H, H2, __hfma_sat, __hfma2_sat, (emulator::saturate(__hfma(a, b, c))))   \
    EMULATOR_SMALL_FUSED(H, H2, __hfma_relu, __hfma2_relu, (emulator::relu(__hfma(a, b, c))))     \
    EMULATOR_SMALL_UNARY(H, H2, __hneg, __hneg2,                                                  \
                         (emulator::with_sign(a, (a.bits ^ 0x8000) >> 15)))                       \
    EMULATOR_SMALL_UNARY(H, H2, __habs, __habs2, (emulator::with_sign(a, 0)))                     \
    /* a * b + c of complex numbers: the real part is x */                                        \
    inline H2 __hcmadd(H2 a, H2 b, H2 c) {                                                        \
        return {__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)),                                  \
                __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))};                                         \
    }                                                                                             \
    EMULATOR_SMALL_MATH(H, H2, trunc, std::trunc(x))                                              \
    EMULATOR_SMALL_MATH(H, H2, ceil, std::ceil(x))                                                \
    EMULATOR_SMALL_MATH(H, H2, floor, std::floor(x))                                              \
    EMULATOR_SMALL_MATH(H, H2, rint, std::nearbyint(x))                                           \
    EMULATOR_SMALL_MATH(H, H2, sqrt, std::sqrt(x))                                                \
    EMULATOR_SMALL_MATH(H, H2, rsqrt, 1.0 / std::sqrt(x))                                         \
    EMULATOR_SMALL_MATH(H, H2, rcp, 1.0 / x)                                                      \
    EMULATOR_SMALL_MATH(H, H2, log, std::log(x))                                                  \
    EMULATOR_SMALL_MATH(H, H2, log2, std::log2(x))                                                \
    EMULATOR_SMALL_MATH(H, H2, log10, std::log10(x))                                              \
    EMULATOR_SMALL_MATH(H, H2, exp, std::exp(x))                                                  \
    EMULATOR_SMALL_MATH(H, H2, exp2, std::exp2(x))                                                \
    EMULATOR_SMALL_MATH(H, H2, exp10, ::exp10(x))                                                 \
    EMULATOR_SMALL_MATH(H, H2, cos, std::cos(x))                                                  \
    EMULATOR_SMALL_MATH(H, H2, sin, std::sin(x))                                                  \
    EMULATOR_SMALL_MATH(H, H2, tanh, std::tanh(x))                                                \
    EMULATOR_SMALL_MATH(H, H2, tanh_approx, std::tanh(x))                                         \
    inline bool __hisnan(H a) { return emulator::is_nan(a); }                                     \
    inline H2 __hisnan2(H2 a) {                                                                   \
        return {H(__hisnan(a.x) ? 1.0f : 0.0f), H(__hisnan(a.y) ? 1.0f : 0.0f)};                  \
    }                                                                                             \
    inline int __hisinf(H a) {                                                                    \
        return (a.bits & 0x7fff) != H::Format::kInfinity ? 0 : (a.bits & 0x8000) != 0 ? -1 : 1;   \
    }

// ---- comparisons: of ordered numbers, and (with u) also true if one is NaN
#define EMULATOR_SMALL_COMPARISON(H, H2, name, expression)                                      \
    inline bool __h##name(H a, H b) { return expression; }                                      \
    inline H2 __h##name##2(H2 a, H2 b) {                                                        \
        return {H(__h##name(a.x, b.x) ? 1.0f : 0.0f), H(__h##name(a.y, b.y) ? 1.0f : 0.0f)};    \
    }                                                                                           \
    inline unsigned int __h##name##2_mask(H2 a, H2 b) {                                         \
        return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u); \
    }                                                                                           \
    inline bool __hb##name##2(H2 a, H2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }

#define EMULATOR_SMALL_COMPARISONS(H, H2)                                                    \
    EMULATOR_SMALL_COMPARISON(H, H2, eq, a.value() == b.value())                             \
    EMULATOR_SMALL_COMPARISON(H, H2, ne, a.value() < b.value() || a.value() > b.value())     \
    EMULATOR_SMALL_COMPARISON(H, H2, lt, a.value() < b.value())                              \
    EMULATOR_SMALL_COMPARISON(H, H2, le, a.value() <= b.value())                             \
    EMULATOR_SMALL_COMPARISON(H, H2, gt, a.value() > b.value())                              \
    EMULATOR_SMALL_COMPARISON(H, H2, ge, a.value() >= b.value())                             \
    EMULATOR_SMALL_COMPARISON(H, H2, equ, !(a.value() < b.value() || a.value() > b.value())) \
    EMULATOR_SMALL_COMPARISON(H, H2, neu, a.value() != b.value())                            \
    EMULATOR_SMALL_COMPARISON(H, H2, ltu, !(a.value() >= b.value()))                         \
    EMULATOR_SMALL_COMPARISON(H, H2, leu, !(a.value() > b.value()))                          \
    EMULATOR_SMALL_COMPARISON(H, H2, gtu, !(a.value() <= b.value()))                         \
    EMULATOR_SMALL_COMPARISON(H, H2, geu, !(a.value() < b.value()))

#define EMULATOR_SMALL_OPERATORS(H, one, add, sub, mul, div, neg, equal, unequal, less, \
                                 less_equal, greater, greater_equal)                    \
    inline H operator+(H a, H b) { return add(a, b); }                                  \
    inline H operator-(H a, H b) { return sub(a, b); }                                  \
    inline H operator*(H a, H b) { return mul(a, b); }                                  \
    inline H operator/(H a, H b) { return div(a, b); }                                  \
    inline H& operator+=(H& a, H b) { return a = add(a, b); }                           \
    inline H& operator-=(H& a, H b) { return a = sub(a, b); }                           \
    inline H& operator*=(H& a, H b) { return a = mul(a, b); }                           \
    inline H& operator/=(H& a, H b) { return a = div(a, b); }                           \
    inline H operator+(H a) { return a; }                                               \
    inline H operator-(H a) { return neg(a); }                                          \
    inline H& operator++(H& a) { return a = add(a, one); }                              \
    inline H& operator--(H& a) { return a = sub(a, one); }                              \
    inline H operator++(H& a, int) {                                                    \
        const H old = a;                                                                \
        ++a;                                                                            \
        return old;                                                                     \
    }                                                                                   \
    inline H operator--(H& a, int) {                                                    \
        const H old = a;                                                                \
        --a;                                                                            \
        return old;                                                                     \
    }                                                                                   \
    inline bool operator==(H a, H b) { return equal(a, b); }                            \
    inline bool operator!=(H a, H b) { return unequal(a, b); }                          \
    inline bool operator<(H a, H b) { return less(a, b); }                              \
    inline bool operator<=(H a, H b) { return less_equal(a, b); }                       \
    inline bool operator>(H a, H b) { return greater(a, b); }                           \
    inline bool operator>=(H a, H b) { return greater_equal(a, b); }

// ---- shuffles and atomic sums, which move bits
#define EMULATOR_SMALL_SHUFFLE(H, Bits, name, Argument)                                         \
    inline H name(unsigned int mask, H value, Argument argument, int width = warpSize) {        \
        return emulator::value_of<H>(static_cast<Bits>(                                         \
            name(mask, static_cast<unsigned int>(emulator::bits_of(value)), argument, width))); \
    }
#define EMULATOR_SMALL_ATOMIC_ADD(H, Bits, add)                                  \
    inline H atomicAdd(H* address, H value) {                                    \
        const Bits old = emulator::update_atomically(                            \
            reinterpret_cast<Bits*>(address), [value](Bits bits) -> Bits {       \
                return static_cast<Bits>(                                        \
                    emulator::bits_of(add(emulator::value_of<H>(bits), value))); \
            });                                                                  \
        return emulator::value_of<H>(old);                                       \
    }
#define EMULATOR_SMALL_MOVES(H, Bits, add)                          \
    EMULATOR_SMALL_SHUFFLE(H, Bits, __shfl_sync, int)               \
    EMULATOR_SMALL_SHUFFLE(H, Bits, __shfl_up_sync, unsigned int)   \
    EMULATOR_SMALL_SHUFFLE(H, Bits, __shfl_down_sync, unsigned int) \
    EMULATOR_SMALL_SHUFFLE(H, Bits, __shfl_xor_sync, int)           \
    EMULATOR_SMALL_ATOMIC_ADD(H, Bits, add)

#define EMULATOR_SMALL_FUNCTIONS(name, H, H2)                                                   \
    EMULATOR_SMALL_CONVERSIONS(name, H, H2)                                                     \
    EMULATOR_SMALL_ARITHMETIC(H, H2)                                                            \
    EMULATOR_SMALL_COMPARISONS(H, H2)                                                           \
    EMULATOR_SMALL_OPERATORS(H, H(1.0f), __hadd, __hsub, __hmul, __hdiv, __hneg, __heq, __hneu, \
                             __hlt, __hle, __hgt, __hge)                                        \
    EMULATOR_SMALL_OPERATORS(H2, H2(H(1.0f), H(1.0f)), __hadd2, __hsub2, __hmul2, __h2div,      \
                             __hneg2, __hbeq2, __hbneu2, __hblt2, __hble2, __hbgt2, __hbge2)    \
    EMULATOR_SMALL_MOVES(H, unsigned short, __hadd)                                             \
    EMULATOR_SMALL_MOVES(H2, unsigned int, __hadd2)

// The types. A pair is copied as one word where memory accesses are counted (g++
// -fsanitize=thread): number by number would be two accesses where the hardware makes one.
#ifdef __SANITIZE_THREAD__
#define EMULATOR_SMALL_PAIR_COPIES(H2)                                               \
    constexpr H2(const H2& other) { *this = other; }                                 \
    constexpr H2& operator=(const H2& other) {                                       \
        if (__builtin_is_constant_evaluated()) {                                     \
            x = other.x;                                                             \
            y = other.y;                                                             \
        } else {                                                                     \
            typedef unsigned int Word __attribute__((may_alias));                    \
            *reinterpret_cast<Word*>(this) = *reinterpret_cast<const Word*>(&other); \
        }                                                                            \
        return *this;                                                                \
    }
#else
#define EMULATOR_SMALL_PAIR_COPIES(H2)
#endif

#define EMULATOR_SMALL_TYPES(H, H2, SmallFormat)                                                 \
    struct H##_raw {                                                                             \
        unsigned short x;                                                                        \
    };                                                                                           \
    struct alignas(4) H2##_raw {                                                                 \
        unsigned short x, y;                                                                     \
    };                                                                                           \
    struct H : emulator::SmallFloat<SmallFormat> {                                               \
        using Format = SmallFormat;                                                              \
        H() = default;                                                                           \
        constexpr H(float number) : H(from_bits(emulator::small_from_double<Format>(number))) {} \
        constexpr H(double number) : H(from_bits(emulator::convert_double<Format>(number))) {}   \
        constexpr H(H##_raw raw) : H(from_bits(raw.x)) {}                                        \
        template <std::integral Integer>                                                         \
        constexpr H(Integer number)                                                              \
            : H(from_bits(emulator::small_from_integer<Format>(number))) {}                      \
        static constexpr H from_bits(std::uint16_t bits) {                                       \
            H result{};                                                                          \
            result.bits = bits;                                                                  \
            return result;                                                                       \
        }                                                                                        \
        constexpr operator float() const { return value(); }                                     \
        constexpr operator H##_raw() const { return {bits}; }                                    \
    };                                                                                           \
    /* The low number first. */                                                                  \
    struct alignas(4) H2 {                                                                       \
        H x, y;                                                                                  \
        H2() = default;                                                                          \
        constexpr H2(H low, H high) : x(low), y(high) {}                                         \
        constexpr H2(H2##_raw raw) : x(H::from_bits(raw.x)), y(H::from_bits(raw.y)) {}           \
        EMULATOR_SMALL_PAIR_COPIES(H2)                                                           \
        constexpr operator H2##_raw() const { return {x.bits, y.bits}; }                         \
    };
