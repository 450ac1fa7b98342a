// SPDX-License-Identifier: MIT
// Which line of the program allocated what.
#pragma once

#include <string>

#include "common/emulator/device/arena.hpp"

namespace emulator::counting {

// HostHooks::memory_allocated and memory_freed.
void note_allocation(const Allocation& allocation);
void forget_allocation(const Allocation& allocation);

// "byte 12 of allocation 1 (256 bytes), allocated at sum.cu:9"
std::string describe_byte(const Allocation& allocation, const void* address);

}  // namespace emulator::counting
