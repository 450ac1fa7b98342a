// SPDX-License-Identifier: MIT
// The device runtime's part of the API: launches by device code, and its streams.
#pragma once

#include <cuda_runtime_api.h>

#include <emulator/launch.hpp>
#include <memory>

#include "common/emulator/device/unread_errors.hpp"

namespace emulator {

cudaError_t launch_from_device(const LaunchConfiguration& configuration, KernelIdentity kernel,
                               std::unique_ptr<KernelCall> call);
// The running CUDA thread, and its last error.
ErrorReader running_reader();
cudaError_t device_error(cudaError_t error);
cudaError_t create_device_stream(cudaStream_t* stream, unsigned flags);
cudaError_t destroy_device_stream(cudaStream_t stream);

}  // namespace emulator
