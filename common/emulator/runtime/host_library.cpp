// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>

#include <emulator/for_libraries/host_library.hpp>

#include "common/emulator/device/memory.hpp"
#include "common/emulator/runtime/stream.hpp"

namespace emulator {

void* allocate_for_host_library(std::size_t bytes) {
    void* memory = nullptr;
    return cudaMallocManaged(&memory, bytes == 0 ? 1 : bytes) == cudaSuccess ? memory : nullptr;
}

void free_for_host_library(void* memory) {
    // A static vector may outlive the runtime's last error; its memory goes with the process.
    static_cast<void>(cudaFree(memory));
}

bool admit_host_library() {
    host_uses_device_memory = true;
    return true;
}

}  // namespace emulator
