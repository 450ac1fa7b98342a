// SPDX-License-Identifier: MIT
// For kernels that launch kernels: the limit of pending launches, and how a failed launch is
// reported to the host.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <source_location>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"

namespace course {

// Raises the device's limit of pending launches, which is 2048 by default. Never lowers it. On an
// H200 each pending launch costs 9 KB of device memory, and the first raise by 50 000 takes 2 ms.
inline void allow_pending_launches(std::int64_t launches) {
    std::size_t allowed = 0;
    cuda_check(cudaDeviceGetLimit(&allowed, cudaLimitDevRuntimePendingLaunchCount));
    if (static_cast<std::int64_t>(allowed) >= launches) return;
    cuda_check(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount,
                                  static_cast<std::size_t>(launches)));
}

// An error of the device runtime is known only to the thread that met it. The first error is kept
// in `first_error` for the host.
__device__ __forceinline__ void note_launch_error(cudaError_t error, int* first_error) {
    if (error != cudaSuccess) atomicCAS(first_error, cudaSuccess, error);
}

// Holds the first error that device code noted in data(); cudaSuccess if there is none.
class LaunchErrors {
  public:
    LaunchErrors() : d_first_error_(1) {
        cuda_check(cudaMemset(d_first_error_.data(), 0, d_first_error_.bytes()));
    }

    int* data() { return d_first_error_.data(); }

    // Throws CudaError if there is one. Waits for the default stream.
    void check(std::source_location where = std::source_location::current()) const {
        int first_error = cudaSuccess;
        cuda_check(
            cudaMemcpy(&first_error, d_first_error_.data(), sizeof(int), cudaMemcpyDeviceToHost));
        cuda_check(static_cast<cudaError_t>(first_error), where);
    }

  private:
    DeviceBuffer<int> d_first_error_;
};

}  // namespace course
