// SPDX-License-Identifier: MIT
#include "named_keys.hpp"

#include <iterator>

#include "common/sorting/keys.hpp"

namespace mergesort {

std::vector<std::string_view> input_names() {
    std::vector<std::string_view> names(std::begin(course::sorting::kInputNames),
                                        std::end(course::sorting::kInputNames));
    names.insert(names.end(), std::begin(course::sorting::kMergeInputNames),
                 std::end(course::sorting::kMergeInputNames));
    return names;
}

std::vector<std::int32_t> named_keys(std::string_view name, std::int64_t count) {
    std::vector<std::int32_t> keys(count);
    course::sorting::make_keys(name, 1, keys);
    return keys;
}

}  // namespace mergesort
