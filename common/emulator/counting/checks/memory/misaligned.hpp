// SPDX-License-Identifier: MIT
// Accesses at an address that is no multiple of what the hardware asks for.
#pragma once

#include <cstdint>

#include "common/emulator/counting/record/request.hpp"

namespace emulator::counting {

// What RecordHooks::check_misaligned says. g++ records a struct of two 8-byte values like a float4,
// as 16 bytes, but only the engine's vectors are one access on a GPU. Of a struct that a program
// aligns to 16 bytes itself nothing is known.
void check_misaligned(std::uintptr_t address, unsigned size, Operation operation, const void* code);

}  // namespace emulator::counting
