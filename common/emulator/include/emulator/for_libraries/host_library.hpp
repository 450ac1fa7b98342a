// SPDX-License-Identifier: MIT
// What a library that computes on the host in place of the device needs from the engine: Thrust
// with its CPU backend.
#pragma once

#include <cstddef>

namespace emulator {

// Managed memory, which host and kernels may both use; nullptr if there is no more.
void* allocate_for_host_library(std::size_t bytes);
void free_for_host_library(void* memory);

// From now on, work runs as soon as it is queued, because the library does not wait for it, and the
// host may use device memory. Returns true.
bool admit_host_library();

}  // namespace emulator
