// SPDX-License-Identifier: MIT
// CUDA's SIMD intrinsics (CUDA Math API, "SIMD Intrinsics"): two 16-bit or four 8-bit numbers in 32
// bits, each computed by itself. Tested against an H200 (data/intrinsic_vectors.txt).
#pragma once

#include <cstdint>
#include <type_traits>

namespace emulator {

// The lane's number as T, which is 8 or 16 bits wide.
template <class T>
constexpr int lane_of(unsigned int word, int lane) {
    return static_cast<T>(word >> lane * 8 * static_cast<int>(sizeof(T)));
}

template <class T, class Function, class... Words>
constexpr unsigned int map_lanes(Function function, Words... words) {
    constexpr int kBits = 8 * static_cast<int>(sizeof(T));
    unsigned int result = 0;
    for (int lane = 0; lane < 32 / kBits; ++lane) {
        const int value = function(lane_of<T>(words, lane)...);
        result |= (static_cast<unsigned int>(value) & ((1u << kBits) - 1)) << lane * kBits;
    }
    return result;
}

template <class T>
constexpr int saturate_lane(int value) {
    constexpr int kBits = 8 * static_cast<int>(sizeof(T));
    constexpr int kLow = std::is_signed_v<T> ? -(1 << (kBits - 1)) : 0;
    constexpr int kHigh = std::is_signed_v<T> ? (1 << (kBits - 1)) - 1 : (1 << kBits) - 1;
    return value < kLow ? kLow : value > kHigh ? kHigh : value;
}

constexpr int absolute(int value) { return value < 0 ? -value : value; }

template <class T>
constexpr unsigned int sum_of_differences(unsigned int a, unsigned int b) {
    unsigned int sum = 0;
    for (int lane = 0; lane < 4 / static_cast<int>(sizeof(T)); ++lane) {
        sum += static_cast<unsigned int>(absolute(lane_of<T>(a, lane) - lane_of<T>(b, lane)));
    }
    return sum;
}

}  // namespace emulator

#define EMULATOR_LANES1(name, T, expression)                                       \
    inline unsigned int name(unsigned int a) {                                     \
        return emulator::map_lanes<T>([](int x) -> int { return expression; }, a); \
    }
#define EMULATOR_LANES2(name, T, expression)                                                 \
    inline unsigned int name(unsigned int a, unsigned int b) {                               \
        return emulator::map_lanes<T>([](int x, int y) -> int { return expression; }, a, b); \
    }
#define EMULATOR_LANES3(name, T, expression)                                                       \
    inline unsigned int name(unsigned int a, unsigned int b, unsigned int c) {                     \
        return emulator::map_lanes<T>([](int x, int y, int z) -> int { return expression; }, a, b, \
                                      c);                                                          \
    }

// `n`: the number of lanes; S and U: their types.
#define EMULATOR_COMPARISON(name, n, S, U, operation)              \
    EMULATOR_LANES2(__vcmp##name##s##n, S, x operation y ? -1 : 0) \
    EMULATOR_LANES2(__vcmp##name##u##n, U, x operation y ? -1 : 0) \
    EMULATOR_LANES2(__vset##name##s##n, S, x operation y)          \
    EMULATOR_LANES2(__vset##name##u##n, U, x operation y)
// A halfword's or a byte's negation, sum and difference wrap around, except the forms with ss
// (signed saturation) and us (unsigned saturation). Signed averages round away from zero.
#define EMULATOR_SIMD(n, S, U)                                                         \
    EMULATOR_LANES1(__vabs##n, S, emulator::absolute(x))                               \
    EMULATOR_LANES1(__vabsss##n, S, emulator::saturate_lane<S>(emulator::absolute(x))) \
    EMULATOR_LANES1(__vneg##n, S, -x)                                                  \
    EMULATOR_LANES1(__vnegss##n, S, emulator::saturate_lane<S>(-x))                    \
    EMULATOR_LANES2(__vadd##n, U, x + y)                                               \
    EMULATOR_LANES2(__vaddss##n, S, emulator::saturate_lane<S>(x + y))                 \
    EMULATOR_LANES2(__vaddus##n, U, emulator::saturate_lane<U>(x + y))                 \
    EMULATOR_LANES2(__vsub##n, U, x - y)                                               \
    EMULATOR_LANES2(__vsubss##n, S, emulator::saturate_lane<S>(x - y))                 \
    EMULATOR_LANES2(__vsubus##n, U, emulator::saturate_lane<U>(x - y))                 \
    EMULATOR_LANES2(__vabsdiffs##n, S, emulator::absolute(x - y))                      \
    EMULATOR_LANES2(__vabsdiffu##n, U, emulator::absolute(x - y))                      \
    EMULATOR_LANES2(__vavgs##n, S, (x + y + (x + y >= 0)) >> 1)                        \
    EMULATOR_LANES2(__vavgu##n, U, (x + y + 1) >> 1)                                   \
    EMULATOR_LANES2(__vhaddu##n, U, (x + y) >> 1)                                      \
    EMULATOR_LANES2(__vmaxs##n, S, x > y ? x : y)                                      \
    EMULATOR_LANES2(__vmaxu##n, U, x > y ? x : y)                                      \
    EMULATOR_LANES2(__vmins##n, S, x < y ? x : y)                                      \
    EMULATOR_LANES2(__vminu##n, U, x < y ? x : y)                                      \
    EMULATOR_LANES2(__vcmpeq##n, U, x == y ? -1 : 0)                                   \
    EMULATOR_LANES2(__vcmpne##n, U, x != y ? -1 : 0)                                   \
    EMULATOR_LANES2(__vseteq##n, U, x == y)                                            \
    EMULATOR_LANES2(__vsetne##n, U, x != y)                                            \
    EMULATOR_COMPARISON(ge, n, S, U, >=)                                               \
    EMULATOR_COMPARISON(gt, n, S, U, >)                                                \
    EMULATOR_COMPARISON(le, n, S, U, <=)                                               \
    EMULATOR_COMPARISON(lt, n, S, U, <)                                                \
    inline unsigned int __vsads##n(unsigned int a, unsigned int b) {                   \
        return emulator::sum_of_differences<S>(a, b);                                  \
    }                                                                                  \
    inline unsigned int __vsadu##n(unsigned int a, unsigned int b) {                   \
        return emulator::sum_of_differences<U>(a, b);                                  \
    }
EMULATOR_SIMD(2, std::int16_t, std::uint16_t)
EMULATOR_SIMD(4, std::int8_t, std::uint8_t)
#undef EMULATOR_SIMD
#undef EMULATOR_COMPARISON

// ---- minimum and maximum of three, of a sum, and with the lower bound 0 (relu)
namespace emulator {

constexpr int at_least_zero(int value) { return value > 0 ? value : 0; }
constexpr int wrapped_sum(int a, int b) {
    return static_cast<int>(static_cast<unsigned int>(a) + static_cast<unsigned int>(b));
}
template <class T>
constexpr T smaller(T a, T b) {
    return a < b ? a : b;
}
template <class T>
constexpr T larger(T a, T b) {
    return a > b ? a : b;
}

}  // namespace emulator

#define EMULATOR_EXTREME(kind, function)                                                      \
    inline int __vi##kind##3_s32(int a, int b, int c) {                                       \
        return emulator::function(emulator::function(a, b), c);                               \
    }                                                                                         \
    inline unsigned int __vi##kind##3_u32(unsigned int a, unsigned int b, unsigned int c) {   \
        return emulator::function(emulator::function(a, b), c);                               \
    }                                                                                         \
    EMULATOR_LANES3(__vi##kind##3_s16x2, std::int16_t,                                        \
                    emulator::function(emulator::function(x, y), z))                          \
    EMULATOR_LANES3(__vi##kind##3_u16x2, std::uint16_t,                                       \
                    emulator::function(emulator::function(x, y), z))                          \
    inline int __vi##kind##3_s32_relu(int a, int b, int c) {                                  \
        return emulator::at_least_zero(__vi##kind##3_s32(a, b, c));                           \
    }                                                                                         \
    EMULATOR_LANES3(__vi##kind##3_s16x2_relu, std::int16_t,                                   \
                    emulator::at_least_zero(emulator::function(emulator::function(x, y), z))) \
    inline int __vi##kind##_s32_relu(int a, int b) {                                          \
        return emulator::at_least_zero(emulator::function(a, b));                             \
    }                                                                                         \
    EMULATOR_LANES2(__vi##kind##_s16x2_relu, std::int16_t,                                    \
                    emulator::at_least_zero(emulator::function(x, y)))                        \
    inline int __viadd##kind##_s32(int a, int b, int c) {                                     \
        return emulator::function(emulator::wrapped_sum(a, b), c);                            \
    }                                                                                         \
    inline unsigned int __viadd##kind##_u32(unsigned int a, unsigned int b, unsigned int c) { \
        return emulator::function(a + b, c);                                                  \
    }                                                                                         \
    EMULATOR_LANES3(__viadd##kind##_s16x2, std::int16_t,                                      \
                    emulator::function<int>(static_cast<std::int16_t>(x + y), z))             \
    EMULATOR_LANES3(__viadd##kind##_u16x2, std::uint16_t,                                     \
                    emulator::function<int>(static_cast<std::uint16_t>(x + y), z))            \
    inline int __viadd##kind##_s32_relu(int a, int b, int c) {                                \
        return emulator::at_least_zero(__viadd##kind##_s32(a, b, c));                         \
    }                                                                                         \
    EMULATOR_LANES3(                                                                          \
        __viadd##kind##_s16x2_relu, std::int16_t,                                             \
        emulator::at_least_zero(emulator::function<int>(static_cast<std::int16_t>(x + y), z)))

EMULATOR_EXTREME(max, larger)
EMULATOR_EXTREME(min, smaller)
#undef EMULATOR_EXTREME

// The predicates say whether the result is a; of equal operands it is.
#define EMULATOR_EXTREME_WITH_PREDICATE(name, operation)                                           \
    inline int name##_s32(int a, int b, bool* predicate) {                                         \
        *predicate = a operation b;                                                                \
        return *predicate ? a : b;                                                                 \
    }                                                                                              \
    inline unsigned int name##_u32(unsigned int a, unsigned int b, bool* predicate) {              \
        *predicate = a operation b;                                                                \
        return *predicate ? a : b;                                                                 \
    }                                                                                              \
    inline unsigned int name##_s16x2(unsigned int a, unsigned int b, bool* high, bool* low) {      \
        *high =                                                                                    \
            emulator::lane_of<std::int16_t>(a, 1) operation emulator::lane_of<std::int16_t>(b, 1); \
        *low =                                                                                     \
            emulator::lane_of<std::int16_t>(a, 0) operation emulator::lane_of<std::int16_t>(b, 0); \
        return ((*high ? a : b) & 0xffff0000u) | ((*low ? a : b) & 0xffffu);                       \
    }                                                                                              \
    inline unsigned int name##_u16x2(unsigned int a, unsigned int b, bool* high, bool* low) {      \
        *high = a >> 16 operation b >> 16;                                                         \
        *low = (a & 0xffffu) operation(b & 0xffffu);                                               \
        return ((*high ? a : b) & 0xffff0000u) | ((*low ? a : b) & 0xffffu);                       \
    }
EMULATOR_EXTREME_WITH_PREDICATE(__vibmax, >=)
EMULATOR_EXTREME_WITH_PREDICATE(__vibmin, <=)
#undef EMULATOR_EXTREME_WITH_PREDICATE
#undef EMULATOR_LANES1
#undef EMULATOR_LANES2
#undef EMULATOR_LANES3
