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

// The error codes of a launch that no device could run, as CUDA 13.0 returns them on an H200
// (tests/common/emulator/data/launch_codes.txt). CUDA's documentation names the second one only.
constexpr cudaError_t kRefusedFromHost = cudaErrorInvalidValue;
constexpr cudaError_t kRefusedFromDevice = cudaErrorInvalidConfiguration;

// If the device could not, one line on stderr says why. `refusal`: one of the codes above.
LaunchVerdict check_launch(const LaunchConfiguration& configuration, KernelIdentity kernel,
                           cudaError_t refusal);

}  // namespace emulator
