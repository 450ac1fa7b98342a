// SPDX-License-Identifier: MIT
// The linker sends the stage's calls of cudaMalloc and cudaFree here (--wrap, with mangled names).
#include "device_memory.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <map>

namespace {

std::map<void*, std::size_t> allocations;
std::size_t allocated = 0, most = 0;

}  // namespace

cudaError_t real_malloc(void** pointer, std::size_t bytes) asm("__real__Z10cudaMallocPPvm");
cudaError_t real_free(void* pointer) asm("__real__Z8cudaFreePv");
cudaError_t watched_malloc(void** pointer, std::size_t bytes) asm("__wrap__Z10cudaMallocPPvm");
cudaError_t watched_free(void* pointer) asm("__wrap__Z8cudaFreePv");

cudaError_t watched_malloc(void** pointer, std::size_t bytes) {
    const cudaError_t status = real_malloc(pointer, bytes);
    if (status == cudaSuccess) {
        allocations[*pointer] = bytes;
        allocated += bytes;
        most = std::max(most, allocated);
    }
    return status;
}

cudaError_t watched_free(void* pointer) {
    const auto found = allocations.find(pointer);
    if (found != allocations.end()) {
        allocated -= found->second;
        allocations.erase(found);
    }
    return real_free(pointer);
}

namespace mergesort {

void watch_device_memory() { most = allocated; }

std::size_t most_device_memory() { return most; }

}  // namespace mergesort
