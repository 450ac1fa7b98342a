// SPDX-License-Identifier: MIT
// cudaMemPrefetchAsync() as CUDA 13 has it, also for CUDA 12: there, its place was the number of a
// device. With CUDA 13 this file is empty.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#if CUDART_VERSION < 13000

#if CUDART_VERSION < 12020
inline constexpr auto cudaMemLocationTypeHost = static_cast<cudaMemLocationType>(2);
#endif

inline cudaError_t cudaMemPrefetchAsync(const void* memory, std::size_t bytes,
                                        cudaMemLocation place, unsigned /*flags*/,
                                        cudaStream_t stream = nullptr) {
    const int device = place.type == cudaMemLocationTypeHost ? cudaCpuDeviceId : place.id;
    return cudaMemPrefetchAsync(memory, bytes, device, stream);
}

#endif
