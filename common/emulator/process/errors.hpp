// SPDX-License-Identifier: MIT
// The process's sticky error, and one-line messages on stderr.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

namespace emulator {

// The error that ended a kernel, or cudaSuccess. The first one stays until it is cleared.
cudaError_t sticky_error();
void set_sticky_error(cudaError_t error);
void clear_sticky_error();

// Prints one line on stderr that says why a call fails, which CUDA's error codes alone do not.
[[gnu::format(printf, 1, 2)]] void explain(const char* format, ...);
// What explain() has said since the thread began its call of the API, if that is about this
// function, without its name; otherwise empty.
std::string last_explanation(const char* function);
void forget_explanation();

}  // namespace emulator
