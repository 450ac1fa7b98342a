// SPDX-License-Identifier: MIT
// What the running executable's own ELF file tells: where its __shared__ variables lie, and the
// names of its functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace emulator {

// The calling OS thread's copies of the executable's __shared__ variables, as ranges of bytes.
// Those of function templates are missing: g++ gives such a variable no section of ours.
struct SharedRange {
    char* begin;
    std::size_t bytes;
};
std::vector<SharedRange> static_shared_ranges();

// The unqualified, demangled name of a function of the executable, or "a kernel" where the file has
// no symbols.
std::string function_name(const void* address);

}  // namespace emulator
