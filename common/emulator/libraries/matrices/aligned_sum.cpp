// SPDX-License-Identifier: MIT
#include "common/emulator/libraries/matrices/aligned_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <emulator/small_float.hpp>

namespace emulator {
namespace {

constexpr int kNoExponent = -10000;
constexpr int kMaxProducts = 16;

// sum x 2^(exponent - kPlaces)
struct AlignedSum {
    std::int64_t sum = 0;
    int exponent = 0;
    bool is_special = false;  // `value` is an infinity or NaN
    float value = 0;
};

std::int64_t shifted(std::int64_t magnitude, int shift) {
    return shift >= 0 ? magnitude << shift : shift <= -63 ? 0 : magnitude >> -shift;
}

AlignedSum add_special(const SplitReal* a, const SplitReal* b, int count, float c) {
    float sum = c;
    for (int i = 0; i < count; ++i) {
        const float product = a[i].value * b[i].value;
        // A finite sum may not become infinite here.
        if (!std::isfinite(a[i].value) || !std::isfinite(b[i].value)) sum += product;
        if (std::isnan(sum)) break;
    }
    if (std::isfinite(sum)) sum = 0;
    return {0, 0, true, sum};
}

AlignedSum add(const SplitReal* a, const SplitReal* b, int count, float c) {
    const SplitReal start = split(c);
    int largest = start.mantissa != 0 ? start.exponent : kNoExponent;
    bool is_special = start.special != 0;
    std::int64_t products[kMaxProducts] = {};
    int exponents[kMaxProducts] = {};
    for (int i = 0; i < count; ++i) {
        is_special |= (a[i].special | b[i].special) != 0;
        products[i] = static_cast<std::int64_t>(a[i].mantissa) * b[i].mantissa;
        exponents[i] = products[i] != 0 ? a[i].exponent + b[i].exponent : kNoExponent;
        largest = std::max(largest, exponents[i]);
    }
    if (is_special) return add_special(a, b, count, c);
    AlignedSum result;
    result.exponent = largest;
    const auto add_part = [&](std::int64_t part, int shift) {
        result.sum += part < 0 ? -shifted(-part, shift) : shifted(part, shift);
    };
    if (start.mantissa != 0) add_part(start.mantissa, kPlaces - 23 + start.exponent - largest);
    for (int i = 0; i < count; ++i) {
        if (products[i] != 0) add_part(products[i], kPlaces - 46 + exponents[i] - largest);
    }
    return result;
}

constexpr float kNan = std::bit_cast<float>(0x7fffffffu);

}  // namespace

SplitReal split(float value) {
    if (!std::isfinite(value)) return {0, 0, 1, value};
    if (value == 0) return {0, 0, 0, value};
    int exponent = 0;
    const float fraction = std::frexp(value, &exponent);  // in [1/2, 1)
    return {static_cast<std::int32_t>(std::ldexp(fraction, 24)),
            static_cast<std::int16_t>(exponent - 1), 0, value};
}

float float_sum(const SplitReal* a, const SplitReal* b, int count, float c) {
    const AlignedSum sum = add(a, b, count, c);
    if (sum.is_special) return std::isnan(sum.value) ? kNan : sum.value;
    if (sum.sum == 0) return 0;
    std::uint64_t magnitude = static_cast<std::uint64_t>(sum.sum < 0 ? -sum.sum : sum.sum);
    int unit = sum.exponent - kPlaces;
    constexpr int kLeastUnit = -149;
    const int surplus =
        std::max(static_cast<int>(std::bit_width(magnitude)) - 24, kLeastUnit - unit);
    if (surplus > 0) {
        magnitude = surplus > 63 ? 0 : magnitude >> surplus;
        unit += surplus;
    }
    const float value = std::ldexp(static_cast<float>(magnitude), unit);
    return sum.sum < 0 ? -value : value;
}

std::uint16_t half_of(double value) {
    const std::uint16_t half = small_from_double<HalfFormat>(value);
    return half == 0x8000 ? 0 : half;  // no negative zero
}

std::uint16_t half_sum(const SplitReal* a, const SplitReal* b, int count, float c) {
    const AlignedSum sum = add(a, b, count, c);
    if (sum.is_special) {
        return std::isnan(sum.value) ? 0x7fff : half_of(static_cast<double>(sum.value));
    }
    // Exact in a double, then rounded once.
    return half_of(std::ldexp(static_cast<double>(sum.sum), sum.exponent - kPlaces));
}

}  // namespace emulator
