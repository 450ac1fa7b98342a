// SPDX-License-Identifier: MIT
// The device runtime's part of the API: launches by device code, and its streams.
#pragma once

#include <cuda_runtime_api.h>

#include <emulator/launch.hpp>
#include <memory>

namespace emulator {

cudaError_t launch_from_device(const LaunchConfiguration& configuration, KernelIdentity kernel,
                               std::unique_ptr<KernelCall> call);
cudaError_t create_device_stream(cudaStream_t* stream, unsigned flags);
cudaError_t destroy_device_stream(cudaStream_t stream);

}  // namespace emulator
