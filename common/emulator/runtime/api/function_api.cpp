// SPDX-License-Identifier: MIT
// The API of kernels: their attributes and their occupancy.
#include <cuda_runtime.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <unordered_map>

#include "common/emulator/device/properties/launch_bounds.hpp"
#include "common/emulator/device/properties/limits.hpp"
#include "common/emulator/device/properties/properties.hpp"
#include "common/emulator/process/executable.hpp"
#include "common/emulator/runtime/api_call.hpp"

namespace emulator {

cudaError_t set_function_attribute(const void* kernel, cudaFuncAttribute attribute, int value) {
    return host_call("cudaFuncSetAttribute", [&] {
        if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
        if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
            return value >= -1 && value <= 100 ? cudaSuccess : cudaErrorInvalidValue;
        }
        if (attribute >= cudaFuncAttributeClusterDimMustBeSet && attribute < cudaFuncAttributeMax) {
            explain("cudaFuncSetAttribute: the CPU engine has no thread block clusters");
            return cudaErrorNotSupported;
        }
        if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
            static_cast<std::size_t>(value) > device().shared_per_block_optin) {
            return cudaErrorInvalidValue;
        }
        allow_shared_bytes(kernel, static_cast<std::size_t>(value));
        return cudaSuccess;
    });
}

cudaError_t get_function_attributes(cudaFuncAttributes* attributes, const void* kernel) {
    if (attributes == nullptr || kernel == nullptr) return refuse_query("cudaFuncGetAttributes");
    *attributes = cudaFuncAttributes{};
    const KernelResources resources = resources_of(kernel);
    attributes->numRegs = resources.registers;
    attributes->sharedSizeBytes = resources.shared_bytes;
    attributes->maxThreadsPerBlock = std::min(static_cast<int>(launch_bound(kernel)),
                                              threads_with_registers(resources.registers));
    attributes->ptxVersion = attributes->binaryVersion = device().major * 10 + device().minor;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(allowed_shared_bytes(kernel));
    attributes->preferredShmemCarveout = cudaSharedmemCarveoutDefault;
    return cudaSuccess;
}

cudaError_t get_function_name(const char** name, const void* kernel) {
    if (name == nullptr || kernel == nullptr) return refuse_query("cudaFuncGetName");
    static std::mutex mutex;
    static std::unordered_map<const void*, std::string> names;  // a program keeps the pointers
    const std::lock_guard lock(mutex);
    std::string& known = names[kernel];
    if (known.empty()) known = function_name(kernel);
    *name = known.c_str();
    return cudaSuccess;
}

cudaError_t available_shared_bytes(std::size_t* bytes, const void* kernel, int blocks,
                                   int threads) {
    if (bytes == nullptr || kernel == nullptr || blocks <= 0 || threads <= 0 ||
        active_blocks_per_multiprocessor(threads, 0, resources_of(kernel)) < blocks) {
        return refuse_query("cudaOccupancyAvailableDynamicSMemPerBlock");
    }
    const Device& gpu = device();
    const std::size_t each = gpu.shared_per_multiprocessor / static_cast<std::size_t>(blocks) /
                             gpu.shared_granularity * gpu.shared_granularity;
    const std::size_t used = gpu.reserved_shared_per_block + resources_of(kernel).shared_bytes;
    *bytes = std::min(each - std::min(each, used), gpu.shared_per_block_optin);
    return cudaSuccess;
}

cudaError_t max_active_blocks(int* blocks, const void* kernel, int threads,
                              std::size_t shared_bytes) {
    if (blocks == nullptr || kernel == nullptr || threads <= 0) {
        return refuse_query("cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    }
    const bool fits =
        threads <= kMaxThreadsPerBlock && shared_bytes <= allowed_shared_bytes(kernel);
    *blocks =
        fits ? active_blocks_per_multiprocessor(threads, shared_bytes, resources_of(kernel)) : 0;
    return cudaSuccess;
}

}  // namespace emulator
