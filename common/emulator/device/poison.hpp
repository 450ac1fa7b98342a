// SPDX-License-Identifier: MIT
// What unwritten memory holds: a NaN as float and as double, and a large number as an integer, so
// that a result that depends on it is visibly wrong.
#pragma once

#include <cstddef>

namespace emulator {

void fill_poison(void* memory, std::size_t bytes);

}  // namespace emulator
