// SPDX-License-Identifier: MIT
// How many threads a kernel's __launch_bounds__() allows. Programs register their kernels before
// main() begins (emulator/checks/own_checks.hpp).
#pragma once

#include <cstddef>

namespace emulator {

// kMaxThreadsPerBlock if the kernel at this address has no bound, or if it is not known.
std::size_t launch_bound(const void* kernel);

}  // namespace emulator
