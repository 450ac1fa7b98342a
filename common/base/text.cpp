// SPDX-License-Identifier: MIT
#include "common/base/text.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace course {

namespace {

// Three significant digits, no exponent between 1 and 1000.
std::string format_scaled(double value, const char* unit) {
    static constexpr std::array<const char*, 7> kPrefixes = {"", "k", "M", "G", "T", "P", "E"};
    std::size_t prefix = 0;
    while (std::abs(value) >= 999.5 && prefix + 1 < kPrefixes.size()) {
        value /= 1000.0;
        ++prefix;
    }
    const double magnitude = std::abs(value);
    const bool whole = prefix == 0 && value == std::floor(value);
    const int decimals = whole || magnitude >= 99.95 ? 0 : magnitude >= 9.995 ? 1 : 2;
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.*f %s%s", decimals, value, kPrefixes[prefix], unit);
    return text.data();
}

}  // namespace

std::string format_bytes(double bytes) { return format_scaled(bytes, "B"); }

std::string format_byte_rate(double bytes_per_second) {
    return format_scaled(bytes_per_second, "B/s");
}

std::string format_operation_rate(double operations_per_second) {
    return format_scaled(operations_per_second, "op/s");
}

std::string format_milliseconds(double milliseconds) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.4g ms", milliseconds);
    return text.data();
}

}  // namespace course
