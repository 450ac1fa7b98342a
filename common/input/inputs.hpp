// SPDX-License-Identifier: MIT
// What the chapters' inputs and answers have in common: names, sizes, and lines of numbers.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

namespace course {

// Whether a name is one of a list of them.
template <class Names>
bool is_one_of(const Names& names, std::string_view name) {
    return std::ranges::find(names, name) != std::end(names);
}

// A file says itself how much it holds. `asked`: --n, or 0 where it was not given.
// Errors: UsageError where it asks for another number of `things`.
void refuse_other_n(std::int64_t asked, std::string_view path, std::int64_t found,
                    std::string_view things);

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

}  // namespace course
