// SPDX-License-Identifier: MIT
#include "checks.hpp"
#include "memory_map.hpp"

namespace emulator::counting {

void check_host_access(std::uintptr_t, unsigned, Operation, const void*) {}
void attach_checks() {}
void finish_checks() {}

}  // namespace emulator::counting
