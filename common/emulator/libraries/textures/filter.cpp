// SPDX-License-Identifier: MIT
#include "common/emulator/libraries/textures/filter.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace emulator {
namespace {

// Floats and halves. The texels are aligned to the largest exponent with four bits more than their
// mantissas have, and lose their bits beyond these. The exact sum of these is rounded to the
// texels' format, ties away from zero.
struct Real {
    int mantissa_bits;
    int least_exponent;  // of normal numbers
};
constexpr Real kFloat{23, -126};
constexpr Real kHalf{10, -14};
constexpr int kExtraBits = 4;

// Without the C library: a fetch needs several of these.
int exponent_of(float value, const Real& real) {
    const int exponent =
        static_cast<int>(std::bit_cast<std::uint32_t>(value) >> kFloat.mantissa_bits & 0xff) - 127;
    return std::max(exponent, real.least_exponent);
}

double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

float round_sum(std::int64_t sum, int exponent, const Real& real) {
    std::uint64_t magnitude = static_cast<std::uint64_t>(sum < 0 ? -sum : sum);
    // The sum's lowest bit is 2 to this power.
    int unit = exponent - real.mantissa_bits - kExtraBits - kFractionBits;
    const int least_unit = real.least_exponent - real.mantissa_bits;
    const int surplus = std::max(
        static_cast<int>(std::bit_width(magnitude)) - (real.mantissa_bits + 1), least_unit - unit);
    if (surplus > 0) {
        magnitude = (magnitude + (std::uint64_t{1} << (surplus - 1))) >> surplus;
        unit += surplus;
    }
    const auto value = static_cast<float>(static_cast<double>(magnitude) * power_of_two(unit));
    return sum < 0 ? -value : value;
}

float sum_of_reals(const std::array<float, 8>& values, const std::array<int, 8>& weights, int count,
                   const Real& real) {
    int largest = real.least_exponent;
    bool is_finite = true;
    float plain = 0;
    for (int i = 0; i < count; ++i) {
        const float value = values[static_cast<std::size_t>(i)];
        is_finite &= std::isfinite(value);
        plain += value * static_cast<float>(weights[static_cast<std::size_t>(i)]);
        if (value != 0) largest = std::max(largest, exponent_of(value, real));
    }
    if (!is_finite) return plain;
    std::int64_t sum = 0;
    for (int i = 0; i < count; ++i) {
        const double value = static_cast<double>(values[static_cast<std::size_t>(i)]);
        const auto aligned = static_cast<std::int64_t>(
            value * power_of_two(real.mantissa_bits + kExtraBits - largest));
        sum += aligned * weights[static_cast<std::size_t>(i)];
    }
    return round_sum(sum, largest, real);
}

// Normalised integers: a sum of numbers of 16 bits, rounded to 16 bits, ties up. Bytes are extended
// first; those with a sign keep three more bits.
float sum_of_integers(const std::array<float, 8>& values, const std::array<int, 8>& weights,
                      int count, TexelFormat format) {
    const bool is_signed = format == TexelFormat::s8 || format == TexelFormat::s16;
    const int largest = is_signed ? 32767 : 65535;
    const int extra = format == TexelFormat::s8 ? 3 : 0;
    std::int64_t sum = 0;
    for (int i = 0; i < count; ++i) {
        const double exact =
            static_cast<double>(values[static_cast<std::size_t>(i)]) * (largest << extra);
        const double nearest = std::nearbyint(exact);
        const bool is_whole = std::fabs(exact - nearest) < 0.004;
        sum += static_cast<std::int64_t>(is_whole ? nearest : std::floor(exact)) *
               weights[static_cast<std::size_t>(i)];
    }
    const int shift = kFractionBits + extra;
    const std::int64_t rounded = (sum + (std::int64_t{1} << (shift - 1))) >> shift;
    return static_cast<float>(rounded) / static_cast<float>(largest);
}

float weighted_sum(const std::array<float, 8>& values, const std::array<int, 8>& weights, int count,
                   TexelFormat format) {
    switch (format) {
        case TexelFormat::f16:
            return sum_of_reals(values, weights, count, kHalf);
        case TexelFormat::f32:
            return sum_of_reals(values, weights, count, kFloat);
        default:
            return sum_of_integers(values, weights, count, format);
    }
}

}  // namespace

Color WeightedColors::sum() const {
    Color result{};
    for (int channel = 0; channel < channels; ++channel) {
        std::array<float, 8> values{};
        for (int i = 0; i < count; ++i) {
            values[static_cast<std::size_t>(i)] =
                color[static_cast<std::size_t>(i)].component[channel];
        }
        result.component[channel] = weighted_sum(values, weight, count, format);
    }
    return result;
}

PlaneWeights::PlaneWeights(int a, int b) {
    const int both = (a * b + kFractions / 2) >> kFractionBits;
    weight[0][0] = kFractions - a - b + both;
    weight[0][1] = a - both;
    weight[1][0] = b - both;
    weight[1][1] = both;
}

}  // namespace emulator
