// SPDX-License-Identifier: MIT
#include "problem/corners.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

namespace storms {

namespace {

constexpr std::int32_t kPairValue = 100;
constexpr int kMantissaBits = std::numeric_limits<float>::digits;
constexpr std::int64_t kUnit = std::int64_t{1} << kMantissaBits;

float share_of(std::int32_t value, std::int64_t size) {
    return static_cast<float>(value) * 1000 / static_cast<float>(size);
}

// The layer's cell k after two particles of kPairValue.
float energy_of_pair(std::int64_t place, std::int64_t mirrored, std::int64_t k, std::int64_t size) {
    const float share = share_of(kPairValue, size);
    return share / std::sqrt(static_cast<float>(std::abs(place - k) + 1)) +
           share / std::sqrt(static_cast<float>(std::abs(mirrored - k) + 1));
}

// The mirrored peak adds the same three cells in the opposite order, which may round otherwise.
bool peaks_are_equal(std::int64_t place, std::int64_t size) {
    const std::int64_t mirrored = size - 1 - place;
    const float left = energy_of_pair(place, mirrored, place - 1, size);
    const float own = energy_of_pair(place, mirrored, place, size);
    const float right = energy_of_pair(place, mirrored, place + 1, size);
    return (left + own + right) / 3 == (right + own + left) / 3;
}

// An integer below kUnit as a multiple of the float's last unit: 2^23 <= mantissa < 2^24.
std::int64_t mantissa_of(float x) {
    int exponent = 0;
    return static_cast<std::int64_t>(std::ldexp(std::frexp(std::abs(x), &exponent), kMantissaBits));
}

// The mantissa of a share whose quotient by a root of odd mantissa lies as near as possible to the
// middle of two floats. That middle is an odd number of 25 bits. So kUnit * share = middle * root +
// rest with rest = 1 or -1, and modulo kUnit the middle is -rest / root.
std::optional<std::int64_t> hard_share(std::int64_t root, int rest) {
    std::uint64_t inverse = 1;  // of root modulo 2^64: each step doubles the number of right bits
    for (int step = 0; step < 6; ++step) inverse *= 2 - static_cast<std::uint64_t>(root) * inverse;
    const std::int64_t middle =
        kUnit + static_cast<std::int64_t>((rest == 1 ? 0 - inverse : inverse) % kUnit);
    const std::int64_t share = (middle * root + rest) / kUnit;
    return share < kUnit ? std::optional(share) : std::nullopt;
}

// A value whose share of this size has that mantissa, if there is one of 24 to 30 bits.
std::optional<std::int32_t> value_of(std::int64_t share, std::int64_t size) {
    const double exact = static_cast<double>(share) * static_cast<double>(size) / 1000;
    for (int bits = kMantissaBits; bits <= 30; ++bits) {
        int exponent = 0;
        const auto middle =
            static_cast<std::int32_t>(std::ldexp(std::frexp(exact, &exponent), bits));
        for (const std::int32_t value : {middle, middle - 1, middle + 1}) {
            if (mantissa_of(share_of(value, size)) == share) return value;
        }
    }
    return std::nullopt;
}

// Whether one correction of the quotient is not enough with this approximation of 1 / root.
bool needs_the_inverse(float share, float root, float approximation) {
    const float quotient = share * approximation;
    return std::fma(std::fma(-root, quotient, share), approximation, quotient) != share / root;
}

struct Hard {
    std::int64_t distance;  // from 1 on
    std::int32_t value;
};

// The distance lies from `nearest` to twice as far.
Hard hard_quotient(course::Random& random, std::int64_t size, std::int64_t nearest) {
    // Far particles of similar distance: their energies are similar too, so that the last bit of
    // one is not lost in the sum of all.
    while (true) {
        const std::int64_t distance = nearest + static_cast<std::int64_t>(random.below(nearest));
        const float root = std::sqrt(static_cast<float>(distance));
        if (mantissa_of(root) % 2 == 0) continue;
        const auto share = hard_share(mantissa_of(root), random.below(2) == 0 ? 1 : -1);
        if (!share) continue;
        const auto approximation = static_cast<float>(1 / std::sqrt(static_cast<double>(distance)));
        if (!needs_the_inverse(static_cast<float>(*share), root, approximation)) continue;
        const auto value = value_of(*share, size);
        if (value) return {distance, *value};
    }
}

}  // namespace

Wave equal_peaks_wave(course::Random& random, std::int64_t count, std::int64_t size) {
    const std::int64_t places = std::max<std::int64_t>(size / 2 - 3, 1);
    const std::int64_t start = 1 + static_cast<std::int64_t>(random.below(places));
    std::int64_t place = start;
    while (!peaks_are_equal(place, size)) {
        place = place == places ? 1 : place + 1;
        if (place == start) break;
    }
    Wave wave;
    for (std::int64_t i = 0; i < count; ++i) {
        wave.add(i % 2 == 0 ? place : size - 1 - place, i < 2 ? kPairValue : 0);
    }
    return wave;
}

Wave plateau_wave(course::Random& random, std::int64_t count, std::int64_t size) {
    // The two cells add the same three energies in another order, which may round otherwise.
    const auto is_level = [size](std::int32_t value) {
        const float share = share_of(value, size);
        const float inner = share + share / std::sqrt(2.0f);
        const float outer = share / std::sqrt(2.0f) + share / std::sqrt(3.0f);
        return (outer + inner + inner) / 3 == (inner + inner + outer) / 3;
    };
    std::int32_t value = kPairValue;
    while (value > 1 && !is_level(value)) --value;
    const auto places = static_cast<std::uint64_t>(std::max<std::int64_t>(size - 5, 1));
    const std::int64_t place =
        std::min<std::int64_t>(2, size - 2) + static_cast<std::int64_t>(random.below(places));
    Wave wave;
    for (std::int64_t i = 0; i < count; ++i) wave.add(place + i % 2, i < 2 ? value : 0);
    return wave;
}

Wave short_quotients_wave(course::Random& random, std::int64_t count, std::int64_t size) {
    // Far enough for many different roots.
    const std::int64_t nearest = std::clamp(size / 4, std::int64_t{1} << 12, std::int64_t{1} << 18);
    Wave wave;
    for (std::int64_t i = 0; i < count; ++i) {
        const Hard hard = hard_quotient(random, size, nearest);
        const auto cell = static_cast<std::int64_t>(random.below(size));
        const std::int64_t away = hard.distance - 1;
        // Both signs, so that the sums stay small and keep the last bit of an energy.
        wave.add(i % 4 < 2 ? cell + away : cell - away, i % 2 == 0 ? hard.value : -hard.value);
    }
    return wave;
}

Wave hard_quotients_wave(course::Random& random, std::int64_t count, std::int64_t size) {
    constexpr std::int64_t kNearest = std::int64_t{1} << 22;
    // 1 / sqrt(2^24 - 1) is nearly the middle of two floats. An approximation rounds it down, a
    // step of Newton's method leaves it there, and the quotient of a power of two is then wrong.
    constexpr std::int64_t kNearlyAPower = kUnit - 1;
    const auto power = value_of(kUnit / 2, size);
    Wave wave;
    for (std::int64_t i = 0; i < count; ++i) {
        const Hard hard = i % 4 == 0 && power ? Hard{kNearlyAPower, *power}
                                              : hard_quotient(random, size, kNearest);
        const auto cell = static_cast<std::int64_t>(random.below(size));
        const std::int64_t away = hard.distance - 1;
        // Both signs, so that the sums stay small and keep the last bit of an energy.
        wave.add(i % 4 < 2 ? cell + away : cell - away,
                 (i + i / 4) % 2 == 0 ? hard.value : -hard.value);
    }
    return wave;
}

}  // namespace storms
