// SPDX-License-Identifier: MIT
// Inline PTX: registers as values of a type, and the instruction cvt.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <emulator/conversions.hpp>
#include <limits>
#include <type_traits>

namespace emulator::ptx {

// The bits of a C++ value as an unsigned integer of its size.
template <class X>
constexpr auto bits_of(const X& value) {
    if constexpr (std::is_same_v<X, bool>) {
        return static_cast<std::uint8_t>(value);
    } else if constexpr (std::is_pointer_v<X>) {
        return reinterpret_cast<std::uintptr_t>(value);
    } else if constexpr (sizeof(X) == 1) {
        return std::bit_cast<std::uint8_t>(value);
    } else if constexpr (sizeof(X) == 2) {
        return std::bit_cast<std::uint16_t>(value);
    } else if constexpr (sizeof(X) == 4) {
        return std::bit_cast<std::uint32_t>(value);
    } else {
        return std::bit_cast<std::uint64_t>(value);
    }
}

// A register is untyped: the instruction says what its bits are.
template <class T, class X>
constexpr T get(const X& value) {
    const auto bits = bits_of(value);
    if constexpr (std::is_same_v<T, bool>) {
        return bits != 0;
    } else if constexpr (std::is_same_v<T, float>) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    } else if constexpr (std::is_same_v<T, double>) {
        return std::bit_cast<double>(static_cast<std::uint64_t>(bits));
    } else {
        return static_cast<T>(bits);
    }
}

// A narrower value is extended by its sign, if it has one.
template <class X, class T>
constexpr void put(X& target, T value) {
    if constexpr (std::is_same_v<X, bool>) {
        target = value != 0;
    } else if constexpr (std::is_floating_point_v<T>) {
        if constexpr (std::is_floating_point_v<X>) {
            target = get<X>(value);
        } else {
            target = static_cast<X>(bits_of(value));
        }
    } else if constexpr (std::is_floating_point_v<X>) {
        target = get<X>(
            static_cast<std::conditional_t<sizeof(X) == 4, std::uint32_t, std::uint64_t>>(value));
    } else if constexpr (std::is_pointer_v<X>) {
        target = reinterpret_cast<X>(static_cast<std::uintptr_t>(value));
    } else if constexpr (std::is_integral_v<X> || std::is_enum_v<X>) {
        target = static_cast<X>(value);
    } else {
        target = std::bit_cast<X>(
            static_cast<std::conditional_t<sizeof(X) == 2, std::uint16_t, std::uint32_t>>(value));
    }
}

enum class Round { none, rn, rz, rm, rp, rni, rzi, rmi, rpi };

constexpr Rounding rounding_of(Round round) {
    switch (round) {
        case Round::rz:
        case Round::rzi:
            return Rounding::toward_zero;
        case Round::rm:
        case Round::rmi:
            return Rounding::down;
        case Round::rp:
        case Round::rpi:
            return Rounding::up;
        default:
            return Rounding::to_nearest;
    }
}

template <class T, class X>
constexpr T clamped(X value) {
    using Limits = std::numeric_limits<T>;
    if (std::cmp_less(value, Limits::min())) return Limits::min();
    if (std::cmp_greater(value, Limits::max())) return Limits::max();
    return static_cast<T>(value);
}

template <class T, Round kRound, bool kSaturates, bool kFlushes, class X>
T converted(X value) {
    if constexpr (kFlushes && std::is_same_v<X, float>) {
        if (std::fpclassify(value) == FP_SUBNORMAL) value = std::copysign(0.0f, value);
    }
    if constexpr (std::is_integral_v<X> && std::is_integral_v<T>) {
        return kSaturates ? clamped<T>(value) : static_cast<T>(value);
    } else if constexpr (std::is_integral_v<T>) {
        // From floating point: always saturated. NaN becomes 0 in less than 64 bits.
        return to_integer<T, rounding_of(kRound)>(value);
    } else if constexpr (std::is_integral_v<X>) {
        using Wide = std::conditional_t<std::is_signed_v<X>, std::int64_t, std::uint64_t>;
        if constexpr (std::is_same_v<T, float>) {
            return to_float_rounded(Wide{value}, rounding_of(kRound));
        } else {
            return to_double_rounded(Wide{value}, rounding_of(kRound));
        }
    } else {
        T result;
        if constexpr (std::is_same_v<T, float> && std::is_same_v<X, double>) {
            result = to_float_rounded(value, rounding_of(kRound));
        } else {
            result = static_cast<T>(value);
            if constexpr (kRound == Round::rni || kRound == Round::rzi || kRound == Round::rmi ||
                          kRound == Round::rpi) {
                result = round_to_integral<rounding_of(kRound)>(result);
            }
        }
        if (result != result) {
            if (kSaturates) return 0;
            return std::is_same_v<T, float> ? std::bit_cast<float>(0x7fffffffu)
                                            : std::numeric_limits<T>::quiet_NaN();
        }
        if constexpr (kSaturates) {
            if (!(result > 0)) return 0;
            return result < 1 ? result : T{1};
        }
        return result;
    }
}

}  // namespace emulator::ptx
