// SPDX-License-Identifier: MIT
// The size of the processor's memory pages.
#pragma once

#include <unistd.h>

#include <cstddef>

namespace emulator {

inline const std::size_t kPageBytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));

}  // namespace emulator
