// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace emulator::counting {

// The address as a number, for arithmetic.
inline std::uintptr_t number_of(const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
}

}  // namespace emulator::counting
