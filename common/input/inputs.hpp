// SPDX-License-Identifier: MIT
// What the chapters' inputs have in common: names and sizes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace course {

// Whether a name is one of a list of them.
template <class Names>
bool is_one_of(const Names& names, std::string_view name) {
    return std::ranges::find(names, name) != std::end(names);
}

// For a file, which sets n itself. `asked` is --n, or 0 without --n; the file has `found` things.
// Errors: UsageError if --n asks for another number.
void refuse_other_n(std::int64_t asked, std::string_view path, std::int64_t found,
                    std::string_view things);

}  // namespace course
