// SPDX-License-Identifier: MIT
// Reads numbers from text, strictly: the whole text must be one number, in the C locale.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace course {

enum class NumberFault { kNone, kEmpty, kNotANumber, kNotAnInteger, kNotFinite, kOutOfRange };

template <typename T>
struct ParsedNumber {
    T value{};
    NumberFault fault = NumberFault::kNone;

    explicit operator bool() const noexcept { return fault == NumberFault::kNone; }
};

// "is empty", "is not a number", ...: the end of a sentence that starts with the text.
std::string_view describe(NumberFault fault);

// A 64-bit integer: `1000000`, `-3`, or in scientific notation if the value is an integer: `1e10`,
// `1.5e3`. Not `1.5`, not `0x10`, not `1'000`.
ParsedNumber<std::int64_t> parse_integer(std::string_view text);

// The same for 0 to 2^64 - 1 (a seed).
ParsedNumber<std::uint64_t> parse_unsigned(std::string_view text);

// A finite double, decimal or scientific. `nan` and `inf` are kNotFinite, `1e999` is kOutOfRange.
ParsedNumber<double> parse_real(std::string_view text);

}  // namespace course
