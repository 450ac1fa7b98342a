// SPDX-License-Identifier: MIT
#include "common/input/numbers.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace course {

namespace {

// A decimal number as written: (-1)^negative * digits * 10^exponent, without leading or trailing
// zeros among the digits (zero has none).
struct Decimal {
    bool negative = false;
    std::string digits;
    std::int64_t exponent = 0;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// [+-] digits [. digits] [(e|E) [+-] digits], with a digit before the exponent.
bool read_decimal(std::string_view text, Decimal& decimal) {
    std::size_t i = 0;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) {
        decimal.negative = text[i] == '-';
        ++i;
    }
    bool any_digit = false;
    bool after_point = false;
    for (; i < text.size() && (is_digit(text[i]) || (text[i] == '.' && !after_point)); ++i) {
        if (text[i] == '.') {
            after_point = true;
            continue;
        }
        any_digit = true;
        decimal.digits += text[i];
        decimal.exponent -= after_point ? 1 : 0;
    }
    if (!any_digit) return false;
    if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
        ++i;
        // from_chars takes no plus sign.
        if (i + 1 < text.size() && text[i] == '+' && is_digit(text[i + 1])) ++i;
        std::int64_t written = 0;
        const char* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data() + i, end, written);
        if (error == std::errc::result_out_of_range) {
            // Far beyond any integer type, and the sum with the digits' exponent cannot overflow.
            written = text[i] == '-' ? -1'000'000'000'000'000 : 1'000'000'000'000'000;
        } else if (error != std::errc{}) {
            return false;
        }
        if (stop != end) return false;
        decimal.exponent +=
            std::clamp<std::int64_t>(written, -1'000'000'000'000'000, 1'000'000'000'000'000);
    } else if (i != text.size()) {
        return false;
    }
    while (!decimal.digits.empty() && decimal.digits.back() == '0') {
        decimal.digits.pop_back();
        ++decimal.exponent;
    }
    decimal.digits.erase(0, std::min(decimal.digits.find_first_not_of('0'), decimal.digits.size()));
    return true;
}

// The magnitude and sign of an integer, exactly.
NumberFault read_integer(std::string_view text, bool& negative, std::uint64_t& magnitude) {
    if (text.empty()) return NumberFault::kEmpty;
    Decimal decimal;
    if (!read_decimal(text, decimal)) return NumberFault::kNotANumber;
    negative = decimal.negative;
    magnitude = 0;
    if (decimal.digits.empty()) return NumberFault::kNone;
    if (decimal.exponent < 0) return NumberFault::kNotAnInteger;
    constexpr std::int64_t kMostDigits = 20;  // of 2^64 - 1
    if (static_cast<std::int64_t>(decimal.digits.size()) + decimal.exponent > kMostDigits) {
        return NumberFault::kOutOfRange;
    }
    decimal.digits.append(static_cast<std::size_t>(decimal.exponent), '0');
    const char* begin = decimal.digits.data();
    const auto [stop, error] = std::from_chars(begin, begin + decimal.digits.size(), magnitude);
    static_cast<void>(stop);
    return error == std::errc{} ? NumberFault::kNone : NumberFault::kOutOfRange;
}

}  // namespace

std::string_view describe(NumberFault fault) {
    switch (fault) {
        case NumberFault::kNone:
            return "is a number";
        case NumberFault::kEmpty:
            return "is empty; a number is expected";
        case NumberFault::kNotANumber:
            return "is not a number";
        case NumberFault::kNotAnInteger:
            return "is not an integer";
        case NumberFault::kNotFinite:
            return "is not finite";
        case NumberFault::kOutOfRange:
            return "is out of range";
    }
    return "is not a number";
}

ParsedNumber<std::int64_t> parse_integer(std::string_view text) {
    bool negative = false;
    std::uint64_t magnitude = 0;
    const NumberFault fault = read_integer(text, negative, magnitude);
    if (fault != NumberFault::kNone) {
        return {0, fault};
    }
    constexpr std::uint64_t kLowest = std::uint64_t{1} << 63;
    if (magnitude > kLowest - (negative ? 0 : 1)) {
        return {0, NumberFault::kOutOfRange};
    }
    // Negated as unsigned, because +2^63 does not exist.
    return {static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude), NumberFault::kNone};
}

ParsedNumber<std::uint64_t> parse_unsigned(std::string_view text) {
    bool negative = false;
    std::uint64_t magnitude = 0;
    const NumberFault fault = read_integer(text, negative, magnitude);
    if (fault != NumberFault::kNone) {
        return {0, fault};
    }
    if (negative && magnitude != 0) {
        return {0, NumberFault::kOutOfRange};
    }
    return {magnitude, NumberFault::kNone};
}

ParsedNumber<double> parse_real(std::string_view text) {
    if (text.empty()) {
        return {0.0, NumberFault::kEmpty};
    }
    // from_chars takes no plus sign.
    std::string_view digits = text;
    if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
    double value = 0.0;
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value);
    if (stop != end || error == std::errc::invalid_argument) {
        return {0.0, NumberFault::kNotANumber};
    }
    if (error != std::errc{}) {
        return {0.0, NumberFault::kOutOfRange};
    }
    if (!std::isfinite(value)) {
        return {0.0, NumberFault::kNotFinite};
    }
    return {value, NumberFault::kNone};
}

}  // namespace course
