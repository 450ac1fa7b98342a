// SPDX-License-Identifier: MIT
// The named inputs of the sorting chapters as plain integers, for a program in which Key is another
// type.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace mergesort {

std::vector<std::string_view> input_names();

std::vector<std::int32_t> named_keys(std::string_view name, std::int64_t count);

}  // namespace mergesort
