// SPDX-License-Identifier: MIT
// Whether the device could run a launch.
#pragma once

#include <cuda_runtime_api.h>

#include <emulator/launch.hpp>

namespace emulator {

// If the device could not, one line on stderr says why, and the result is CUDA's error.
cudaError_t check_launch(const LaunchConfiguration& configuration, KernelIdentity kernel);

}  // namespace emulator
