// SPDX-License-Identifier: MIT
// Text from values, for messages, reports and files (g++ 12 has no std::format yet).
#pragma once

#include <array>
#include <charconv>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>

namespace course {

// The arguments one after the other, as `operator<<` writes them (real numbers: 6 digits).
template <class... Values>
std::string text(const Values&... values) {
    std::ostringstream out;
    (out << ... << values);
    return out.str();
}

// Text for a message of one line: bytes that cannot be printed are replaced.
inline std::string printable(std::string_view given) {
    std::string result(given);
    for (char& c : result) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    }
    return result;
}

// A value in quotes for a message. A long value is cut (a binary file may be one endless line).
inline std::string in_quotes(std::string_view value) {
    constexpr std::size_t kLongest = 40;
    const bool whole = value.size() <= kLongest;
    return "'" + printable(value.substr(0, kLongest)) + (whole ? "'" : "...'");
}

// A message as one line. Of a very long one (a path may have 4096 bytes) the middle is left out.
inline std::string one_line(std::string_view message) {
    constexpr std::size_t kLongest = 1000;
    if (message.size() <= kLongest) return printable(message);
    return printable(message.substr(0, kLongest / 2)) + " ... " +
           printable(message.substr(message.size() - kLongest / 2));
}

// A real number with `digits` digits after the point.
inline std::string fixed(double value, int digits) {
    std::ostringstream out;
    out.setf(std::ios::fixed);
    out.precision(digits);
    out << value;
    return out.str();
}

// Appends an integer, or of a real number the shortest decimal that reads back as the same.
template <class Number>
void append_number(std::string& line, Number value) {
    std::array<char, 32> digits;
    line.append(digits.data(),
                std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

// Appends numbers with commas between them, and ends the line.
template <class First, class... Rest>
void append_csv(std::string& line, First first, Rest... rest) {
    append_number(line, first);
    ((line += ',', append_number(line, rest)), ...);
    line += '\n';
}

// "1.50 GB", "760 GB/s", "56.2 Top/s": three significant digits and a decimal prefix. Times,
// "0.1234 ms", have four.
std::string format_bytes(double bytes);
std::string format_byte_rate(double bytes_per_second);
std::string format_operation_rate(double operations_per_second);
std::string format_milliseconds(double milliseconds);

}  // namespace course
