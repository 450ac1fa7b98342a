// SPDX-License-Identifier: MIT
// What the host may set on the device: cudaDeviceSetLimit()'s values, and the dynamic shared memory
// that cudaFuncSetAttribute() allows a kernel.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace emulator {

// False when there is no such limit.
bool get_limit(cudaLimit limit, std::size_t& value);
bool set_limit(cudaLimit limit, std::size_t value);

// Two of the limits, for running kernels.
std::size_t kernel_stack_bytes();
std::int64_t pending_launch_limit();

// The dynamic shared memory that a kernel may have. A template kernel whose arguments were deduced
// has no known address (nullptr): it may have as much as any kernel.
std::size_t allowed_shared_bytes(const void* kernel);
void allow_shared_bytes(const void* kernel, std::size_t bytes);

// Sets everything as on a new device.
void reset_limits();

}  // namespace emulator
