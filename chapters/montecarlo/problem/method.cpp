// SPDX-License-Identifier: MIT
// Names and biases of the ways to draw a point.
#include "problem/method.hpp"

#include <numbers>

namespace montecarlo {

std::string_view name_of(Generator generator) {
    switch (generator) {
        case Generator::kXoroshiro:
            return "xoroshiro64*";
        case Generator::kFourTap:
            return "four-tap";
        case Generator::kCurandXorwow:
            return "curand-xorwow";
        case Generator::kCurandPhilox:
            return "curand-philox";
        case Generator::kXorwow:
            break;
    }
    return "xorwow";
}

std::string_view name_of(PointTest test) {
    switch (test) {
        case PointTest::kIntegers:
            return "integers";
        case PointTest::kFloats:
            return "floats";
        case PointTest::kTwoFloats:
            break;
    }
    return "two-floats";
}

// The counts are those of the tests in tests/chapters/montecarlo, which compute them.
double bias_of(PointTest test) {
    constexpr long double kPi = std::numbers::pi_v<long double>;
    switch (test) {
        case PointTest::kIntegers:
            return static_cast<double>(3'373'259'228 * 0x1p-30L - kPi);
        case PointTest::kFloats:
            return static_cast<double>(3'373'258'979 * 0x1p-30L - kPi);
        case PointTest::kTwoFloats:
            break;
    }
    return static_cast<double>(14'488'038'489'051'667'427U * 0x1p-62L - kPi);
}

}  // namespace montecarlo
