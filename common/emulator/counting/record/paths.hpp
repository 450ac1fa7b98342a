// SPDX-License-Identifier: MIT
// Places in the executable as 24 bits, and the paths of calls that lead to them.
#pragma once

#include <cstdint>
#include <vector>

extern "C" const char __executable_start[];

namespace emulator::counting {

// The offset of a code address in the executable. attach() checks that 24 bits hold it.
inline std::uint32_t code_offset(const void* code) {
    return static_cast<std::uint32_t>(static_cast<const char*>(code) - __executable_start);
}
inline const void* code_at(std::uint32_t offset) { return __executable_start + offset; }

// The path of a call that is made at `caller` in the path `parent`. Path 0 is a kernel's own body.
std::uint16_t path_of_call(std::uint16_t parent, std::uint32_t caller);
// The calls of a path as return addresses, innermost first.
std::vector<const void*> callers_of(std::uint16_t path);

}  // namespace emulator::counting
