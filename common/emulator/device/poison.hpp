// SPDX-License-Identifier: MIT
// What unwritten memory holds: a NaN as float and as double, and a large number as an integer, so
// that a result that depends on it is visibly wrong.
#pragma once

#include <cstddef>
#include <cstdint>

namespace emulator {

void fill_poison(void* memory, std::size_t bytes);
// Whether the bytes are those that fill_poison() left at the address `filled_at`.
bool is_poison(const void* memory, std::size_t bytes, std::uintptr_t filled_at);

}  // namespace emulator
