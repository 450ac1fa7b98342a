// SPDX-License-Identifier: MIT
// CUB's CachingDeviceAllocator: here it allocates and frees at once.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace cub {

struct CachingDeviceAllocator {
    CachingDeviceAllocator(unsigned int = 8, unsigned int = 3, unsigned int = 7,
                           std::size_t = ~std::size_t{0}, bool = false, bool = false) {}
    explicit CachingDeviceAllocator(bool) {}

    cudaError_t DeviceAllocate(void** memory, std::size_t bytes, cudaStream_t = 0) {
        return cudaMalloc(memory, bytes);
    }
    cudaError_t DeviceAllocate(int, void** memory, std::size_t bytes, cudaStream_t = 0) {
        return cudaMalloc(memory, bytes);
    }
    cudaError_t DeviceFree(void* memory) { return cudaFree(memory); }
    cudaError_t DeviceFree(int, void* memory) { return cudaFree(memory); }
    cudaError_t FreeAllCached() { return cudaSuccess; }
    cudaError_t SetMaxCachedBytes(std::size_t) { return cudaSuccess; }
};

}  // namespace cub
