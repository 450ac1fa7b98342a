// SPDX-License-Identifier: MIT
// Checks every CUDA call, `cuda_check(cudaMalloc(...))`, and every launch:
// `cuda_check(cudaGetLastError())` after each `<<<>>>`.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <source_location>
#include <stdexcept>
#include <string>

namespace course {

// A CUDA call failed. The message is `file:line: function: cudaErrorName: text`.
class CudaError : public std::runtime_error {
  public:
    CudaError(cudaError_t status, const std::string& message)
        : std::runtime_error(message), status_(status) {}

    cudaError_t status() const noexcept { return status_; }

  private:
    cudaError_t status_;
};

inline std::string describe_cuda_error(cudaError_t status, const std::source_location& where) {
    return std::string(where.file_name()) + ":" + std::to_string(where.line()) + ": " +
           where.function_name() + ": " + cudaGetErrorName(status) + ": " +
           cudaGetErrorString(status);
}

// Throws CudaError unless `status` is cudaSuccess. No macro is needed: the default argument is
// evaluated at the caller, so the location is the caller's.
inline void cuda_check(cudaError_t status,
                       std::source_location where = std::source_location::current()) {
    if (status != cudaSuccess) [[unlikely]] {
        throw CudaError(status, describe_cuda_error(status, where));
    }
}

// For destructors, which must not throw: prints the error on stderr and continues.
inline void cuda_check_nothrow(
    cudaError_t status, std::source_location where = std::source_location::current()) noexcept {
    if (status != cudaSuccess) [[unlikely]] {
        std::fprintf(stderr, "%s:%u: %s: %s: %s\n", where.file_name(),
                     static_cast<unsigned>(where.line()), where.function_name(),
                     cudaGetErrorName(status), cudaGetErrorString(status));
    }
}

}  // namespace course
