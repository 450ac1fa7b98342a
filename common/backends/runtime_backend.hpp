// SPDX-License-Identifier: MIT
// What the backends of CUDA stages share: all that goes through the CUDA runtime's functions. It is
// compiled against the toolkit for a GPU, and against the CPU engine's headers for the engine.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>

#include "common/backends/backend.hpp"
#include "common/cuda/stream.hpp"

namespace course {

class RuntimeBackend : public Backend {
  public:
    // Makes `device` the current device. Errors: as open_backend().
    RuntimeBackend(int device, const std::string& platform);

    std::string device_name() const override { return properties_.name; }
    std::int64_t free_memory_bytes() const override;
    void synchronize() override;
    void start_kernel_clock() override { start_.record(); }
    double stop_kernel_clock_ms() override;

  protected:
    int device() const { return device_; }
    const cudaDeviceProp& properties() const { return properties_; }

  private:
    int device_;
    cudaDeviceProp properties_;
    Event start_;
    Event stop_;
};

}  // namespace course
