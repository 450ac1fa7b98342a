// SPDX-License-Identifier: MIT
// CUB's checks of errors.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace cub {

inline cudaError_t Debug(cudaError_t error, const char* file, int line) {
    if (error != cudaSuccess) {
        std::fprintf(stderr, "CUDA error %d [%s, %d]: %s\n", static_cast<int>(error), file, line,
                     cudaGetErrorString(error));
    }
    return error;
}

}  // namespace cub

#define CubDebug(call) ::cub::Debug((call), __FILE__, __LINE__)
#define CubDebugExit(call) \
    if (::cub::Debug((call), __FILE__, __LINE__) != cudaSuccess) std::exit(1)
