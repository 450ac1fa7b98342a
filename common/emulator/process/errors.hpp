// SPDX-License-Identifier: MIT
// The process's sticky error, and one-line messages on stderr.
#pragma once

#include <cuda_runtime_api.h>

namespace emulator {

// The error that ended a kernel, or cudaSuccess. The first one stays until it is cleared.
cudaError_t sticky_error();
void set_sticky_error(cudaError_t error);
void clear_sticky_error();

// Prints one line on stderr that says why a call fails, which CUDA's error codes alone do not.
[[gnu::format(printf, 1, 2)]] void explain(const char* format, ...);

}  // namespace emulator
