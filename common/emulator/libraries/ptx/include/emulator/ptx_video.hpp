// SPDX-License-Identifier: MIT
// Inline PTX: the video instructions (PTX ISA, "Scalar Video Instructions" and "SIMD Video
// Instructions").
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace emulator::ptx {

enum class Video { add, sub, absdiff, min, max, avrg };

constexpr std::int64_t video_result(Video operation, std::int64_t a, std::int64_t b) {
    switch (operation) {
        case Video::add:
            return a + b;
        case Video::sub:
            return a - b;
        case Video::absdiff:
            return a < b ? b - a : a - b;
        case Video::min:
            return a < b ? a : b;
        case Video::max:
            return a > b ? a : b;
        case Video::avrg:  // rounded away from zero
            return (a + b + (a + b >= 0)) >> 1;
    }
    return 0;
}

template <class T>
constexpr T video_clamped(std::int64_t value) {
    using Limits = std::numeric_limits<T>;
    return value < Limits::min()   ? Limits::min()
           : value > Limits::max() ? Limits::max()
                                   : static_cast<T>(value);
}

template <class T, bool kSaturates>
constexpr T video(Video operation, std::int64_t a, std::int64_t b) {
    const std::int64_t result = video_result(operation, a, b);
    return kSaturates ? video_clamped<T>(result) : static_cast<T>(result);
}

// The second operation of a scalar instruction, with the third operand.
template <class T>
constexpr T second(Video operation, T value, T c) {
    if (operation == Video::add) {
        return static_cast<T>(static_cast<std::uint32_t>(value) + static_cast<std::uint32_t>(c));
    }
    return static_cast<T>(video_result(operation, value, c));
}

// The lowest bits of a result in place of some bits of the third operand.
template <class T>
constexpr std::uint32_t merged(T value, int bits, int position, std::uint32_t c) {
    const std::uint32_t mask = ((1u << bits) - 1u) << position;
    return (c & ~mask) | (static_cast<std::uint32_t>(value) << position & mask);
}

// Each lane by itself, or the sum of all lanes' results and the third operand.
template <class T, class A, class B, bool kSaturates, bool kAdds>
constexpr std::uint32_t video_lanes(Video operation, std::uint32_t a, std::uint32_t b,
                                    std::uint32_t c) {
    constexpr int kBits = 8 * static_cast<int>(sizeof(T));
    std::uint32_t result = kAdds ? c : 0;
    for (int shift = 0; shift < 32; shift += kBits) {
        const std::int64_t value =
            video_result(operation, static_cast<A>(a >> shift), static_cast<B>(b >> shift));
        const T lane = kSaturates ? video_clamped<T>(value) : static_cast<T>(value);
        if (kAdds) {
            result += static_cast<std::uint32_t>(value);
        } else {
            result |= std::uint32_t{static_cast<std::make_unsigned_t<T>>(lane)} << shift;
        }
    }
    return result;
}

}  // namespace emulator::ptx
