// SPDX-License-Identifier: MIT
// Whether the device could run a launch.
#pragma once

#include <cuda_runtime_api.h>

#include <emulator/launch.hpp>
#include <string>

namespace emulator {

struct LaunchVerdict {
    cudaError_t error = cudaSuccess;
    std::string reason = {};  // why the device cannot run it
};

// If the device could not, one line on stderr says why.
LaunchVerdict check_launch(const LaunchConfiguration& configuration, KernelIdentity kernel);

}  // namespace emulator
