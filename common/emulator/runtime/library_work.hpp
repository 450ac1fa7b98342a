// SPDX-License-Identifier: MIT
// Runs the work of a library that is queued in a stream (emulator/library_work.hpp).
#pragma once

#include <cuda_runtime_api.h>

#include <emulator/library_work.hpp>

namespace emulator {

// Runs what is queued in the stream, without ordering anything after it.
void run_library_work(cudaStream_t stream);

}  // namespace emulator
