// SPDX-License-Identifier: MIT
// Dynamic shared memory beyond the 48 KB that every kernel may have.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string>

#include "common/base/error.hpp"
#include "common/cuda/cuda_check.hpp"

namespace course {

// Bytes of dynamic shared memory that a block of `kernel` can have on the current device, beside
// what the kernel declares.
template <class Kernel>
std::size_t most_dynamic_shared(Kernel* kernel) {
    int device = 0, most = 0;
    cudaFuncAttributes attributes;
    cuda_check(cudaGetDevice(&device));
    cuda_check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    cuda_check(cudaFuncGetAttributes(&attributes, kernel));
    const auto all = static_cast<std::size_t>(most);
    return all > attributes.sharedSizeBytes ? all - attributes.sharedSizeBytes : 0;
}

// Allows blocks of `kernel` so many bytes of dynamic shared memory, beside what the kernel
// declares. A launch with more than 48 KB needs this (CUDA C++ Programming Guide, section "Compute
// Capabilities", shared memory). Throws NoDeviceError where a block of the current device cannot
// have so much. The message ends with `advice`: what to use instead.
template <class Kernel>
void allow_dynamic_shared(Kernel* kernel, std::size_t bytes, const std::string& advice = "") {
    int device = 0, most = 0;
    cudaFuncAttributes attributes;
    cuda_check(cudaGetDevice(&device));
    cuda_check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    cuda_check(cudaFuncGetAttributes(&attributes, kernel));
    const std::size_t needed = attributes.sharedSizeBytes + bytes;
    if (needed > static_cast<std::size_t>(most)) {
        cudaDeviceProp properties;
        cuda_check(cudaGetDeviceProperties(&properties, device));
        throw NoDeviceError("a block of this stage needs " + std::to_string(needed) +
                            " bytes of shared memory; on " + properties.name +
                            " a block can have " + std::to_string(most) +
                            (advice.empty() ? "" : "; " + advice));
    }
    cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(bytes)));
}

}  // namespace course
