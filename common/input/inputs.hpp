// SPDX-License-Identifier: MIT
// What the chapters' inputs have in common: names and sizes.
#pragma once

#include <algorithm>
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

// "uniform (default), rings, grid": what --help says. The first name is the default.
template <class Names>
std::string names_for_help(const Names& names) {
    std::string said;
    for (const std::string_view name : names) {
        if (said.empty()) {
            said = std::string(name) + " (default)";
        } else {
            said += ", " + std::string(name);
        }
    }
    return said;
}

// For a file, which sets n itself. `asked` is --n, or 0 without --n; the file has `found` things.
// Errors: UsageError if --n asks for another number.
void refuse_other_n(std::int64_t asked, std::string_view path, std::int64_t found,
                    std::string_view things);

}  // namespace course
