// SPDX-License-Identifier: MIT
// Functions that <cmath> lacks, under names that no program has.
#pragma once

#include <cmath>
#include <numbers>

namespace emulator {

double inverse_erf(double x);
double inverse_erfc(double x);
double scaled_erfc(double x);  // exp(x * x) * erfc(x)

// Sine and cosine of angles in units of pi: exact where the result is 0, 1 or -1.
inline double sine_of_half_turns(double x) {
    double turn = std::remainder(x, 2.0);
    if (std::fabs(turn) > 0.5) turn = std::copysign(1.0, turn) - turn;
    return std::sin(std::numbers::pi * turn);
}

inline double cosine_of_half_turns(double x) {
    const double turn = std::fabs(std::remainder(x, 2.0));
    if (turn < 0.25) return std::cos(std::numbers::pi * turn);
    if (turn <= 0.75) return std::sin(std::numbers::pi * (0.5 - turn));
    return -std::cos(std::numbers::pi * (1.0 - turn));
}

}  // namespace emulator
