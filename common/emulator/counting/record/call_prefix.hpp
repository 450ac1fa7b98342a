// SPDX-License-Identifier: MIT
// The parts of an event's head that tell where: see event.hpp.
#pragma once

#include <cstdint>

#include "common/emulator/counting/record/event.hpp"
#include "common/emulator/counting/record/paths.hpp"

namespace emulator::counting {

// An event's head holds the difference of two code addresses: its own, and the executable's start.
// The prefix, computed once per call, holds the second one. The call-backs add the first one.
[[gnu::always_inline]] inline Head code_bits(const void* code) {
    return reinterpret_cast<std::uintptr_t>(code) << kCodeShift;
}
[[gnu::always_inline]] inline Head prefix_at(int depth, std::uint16_t path) {
    return prefix_of(depth, path) - code_bits(__executable_start);
}

}  // namespace emulator::counting
