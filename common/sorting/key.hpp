// SPDX-License-Identifier: MIT
// What the sorting chapters sort.
#pragma once

#include <cstdint>

namespace course::sorting {

using Key = std::int32_t;  // of the whole range: INT_MIN and INT_MAX are keys like any other

}  // namespace course::sorting
