// SPDX-License-Identifier: MIT
// Text from values, for messages and reports (g++ 12 has no std::format yet).
#pragma once

#include <ostream>
#include <sstream>
#include <string>

namespace course {

/// The arguments one after the other, as `operator<<` writes them (real numbers: 6 digits).
template <class... Values>
std::string text(const Values&... values) {
    std::ostringstream out;
    (out << ... << values);
    return out.str();
}

/// A real number with `digits` digits after the point.
inline std::string fixed(double value, int digits) {
    std::ostringstream out;
    out.setf(std::ios::fixed);
    out.precision(digits);
    out << value;
    return out.str();
}

}  // namespace course
