// SPDX-License-Identifier: MIT
// The API of the device: its choice, properties, attributes and limits.
#include <cuda_runtime.h>

#include <cstring>

#include "common/emulator/device/limits.hpp"
#include "common/emulator/device/memory.hpp"
#include "common/emulator/device/properties.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/runtime/api_call.hpp"
#include "common/emulator/runtime/event.hpp"
#include "common/emulator/runtime/stream.hpp"

namespace emulator {
namespace {

constexpr int kCudaVersion = 13000;
constexpr int kConstantBytes = 64 * 1024;

cudaError_t check_device(int number) { return number == 0 ? cudaSuccess : cudaErrorInvalidDevice; }

}  // namespace
}  // namespace emulator

using namespace emulator;

cudaError_t cudaGetDeviceCount(int* count) {
    if (count == nullptr) return refuse_query("cudaGetDeviceCount");
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int* number) {
    if (number == nullptr) return refuse_query("cudaGetDevice");
    *number = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int number) {
    return host_call("cudaSetDevice", [&] { return check_device(number); });
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
    return host_call("cudaSetDeviceFlags",
                     [&] { return flags > 0xf ? cudaErrorInvalidValue : cudaSuccess; });
}

cudaError_t cudaDeviceReset() {
    if (current_thread != nullptr) fail_unsupported_device_call("cudaDeviceReset");
    const std::lock_guard lock(runtime_mutex());
    const ApiCall call;
    forget_streams();
    forget_events();
    free_all_memory();
    reset_limits();
    clear_errors();
    return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache preference) {
    return host_call("cudaDeviceSetCacheConfig", [&] {
        return preference >= cudaFuncCachePreferNone && preference <= cudaFuncCachePreferEqual
                   ? cudaSuccess
                   : cudaErrorInvalidValue;
    });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int number) {
    return host_call("cudaGetDeviceProperties", [&] {
        if (properties == nullptr) return cudaErrorInvalidValue;
        if (number != 0) return cudaErrorInvalidDevice;
        const Device& gpu = device();
        *properties = cudaDeviceProp{};
        std::strncpy(properties->name, gpu.name, sizeof properties->name - 1);
        std::strncpy(properties->uuid.bytes, "cpu-emulation", sizeof properties->uuid.bytes - 1);
        properties->totalGlobalMem = gpu.memory_bytes;
        properties->sharedMemPerBlock = gpu.shared_per_block;
        properties->sharedMemPerBlockOptin = gpu.shared_per_block_optin;
        properties->sharedMemPerMultiprocessor = gpu.shared_per_multiprocessor;
        properties->reservedSharedMemPerBlock = gpu.reserved_shared_per_block;
        properties->regsPerBlock = gpu.registers_per_multiprocessor;
        properties->regsPerMultiprocessor = gpu.registers_per_multiprocessor;
        properties->warpSize = kWarpSize;
        properties->memPitch = 0x7fffffff;
        properties->maxThreadsPerBlock = kMaxThreadsPerBlock;
        for (int axis = 0; axis < 3; ++axis) {
            properties->maxThreadsDim[axis] = static_cast<int>(kMaxBlock[axis]);
            properties->maxGridSize[axis] = static_cast<int>(kMaxGrid[axis]);
        }
        properties->totalConstMem = kConstantBytes;
        properties->major = gpu.major;
        properties->minor = gpu.minor;
        properties->multiProcessorCount = gpu.multiprocessors;
        properties->maxThreadsPerMultiProcessor = gpu.max_threads_per_multiprocessor;
        properties->maxBlocksPerMultiProcessor = gpu.max_blocks_per_multiprocessor;
        properties->memoryBusWidth = gpu.memory_bus_bits;
        properties->l2CacheSize = gpu.l2_bytes;
        properties->cooperativeLaunch = gpu.cooperative_launch;
        properties->canMapHostMemory = 1;
        properties->concurrentKernels = 1;
        properties->asyncEngineCount = 1;
        properties->unifiedAddressing = 1;
        properties->streamPrioritiesSupported = 1;
        properties->managedMemory = 1;
        properties->hostRegisterSupported = 1;
        properties->memoryPoolsSupported = 1;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int number) {
    if (value == nullptr) return refuse_query("cudaDeviceGetAttribute");
    if (number != 0) return refuse_query("cudaDeviceGetAttribute", cudaErrorInvalidDevice);
    const Device& gpu = device();
    switch (attribute) {
        case cudaDevAttrMaxThreadsPerBlock:
            *value = kMaxThreadsPerBlock;
            break;
        case cudaDevAttrMaxBlockDimX:
        case cudaDevAttrMaxBlockDimY:
        case cudaDevAttrMaxBlockDimZ:
            *value = static_cast<int>(kMaxBlock[attribute - cudaDevAttrMaxBlockDimX]);
            break;
        case cudaDevAttrMaxGridDimX:
        case cudaDevAttrMaxGridDimY:
        case cudaDevAttrMaxGridDimZ:
            *value = static_cast<int>(kMaxGrid[attribute - cudaDevAttrMaxGridDimX]);
            break;
        case cudaDevAttrMaxSharedMemoryPerBlock:
            *value = static_cast<int>(gpu.shared_per_block);
            break;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin:
            *value = static_cast<int>(gpu.shared_per_block_optin);
            break;
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
            *value = static_cast<int>(gpu.shared_per_multiprocessor);
            break;
        case cudaDevAttrReservedSharedMemoryPerBlock:
            *value = static_cast<int>(gpu.reserved_shared_per_block);
            break;
        case cudaDevAttrTotalConstantMemory:
            *value = kConstantBytes;
            break;
        case cudaDevAttrWarpSize:
            *value = kWarpSize;
            break;
        case cudaDevAttrMaxPitch:
            *value = 0x7fffffff;
            break;
        case cudaDevAttrMaxRegistersPerBlock:
        case cudaDevAttrMaxRegistersPerMultiprocessor:
            *value = gpu.registers_per_multiprocessor;
            break;
        case cudaDevAttrClockRate:
            *value = gpu.clock_khz;
            break;
        case cudaDevAttrMemoryClockRate:
            *value = gpu.memory_clock_khz;
            break;
        case cudaDevAttrGlobalMemoryBusWidth:
            *value = gpu.memory_bus_bits;
            break;
        case cudaDevAttrL2CacheSize:
            *value = gpu.l2_bytes;
            break;
        case cudaDevAttrMultiProcessorCount:
            *value = gpu.multiprocessors;
            break;
        case cudaDevAttrMaxThreadsPerMultiProcessor:
            *value = gpu.max_threads_per_multiprocessor;
            break;
        case cudaDevAttrMaxBlocksPerMultiprocessor:
            *value = gpu.max_blocks_per_multiprocessor;
            break;
        case cudaDevAttrComputeCapabilityMajor:
            *value = gpu.major;
            break;
        case cudaDevAttrComputeCapabilityMinor:
            *value = gpu.minor;
            break;
        case cudaDevAttrCooperativeLaunch:
            *value = gpu.cooperative_launch;
            break;
        case cudaDevAttrGpuOverlap:
        case cudaDevAttrCanMapHostMemory:
        case cudaDevAttrConcurrentKernels:
        case cudaDevAttrAsyncEngineCount:
        case cudaDevAttrUnifiedAddressing:
        case cudaDevAttrStreamPrioritiesSupported:
        case cudaDevAttrManagedMemory:
        case cudaDevAttrHostRegisterSupported:
        case cudaDevAttrMemoryPoolsSupported:
            *value = 1;
            break;
        case cudaDevAttrKernelExecTimeout:
        case cudaDevAttrIntegrated:
        case cudaDevAttrComputeMode:
        case cudaDevAttrEccEnabled:
        case cudaDevAttrPciBusId:
        case cudaDevAttrPciDeviceId:
        case cudaDevAttrPciDomainId:
        case cudaDevAttrPageableMemoryAccess:
        case cudaDevAttrConcurrentManagedAccess:
            *value = 0;
            break;
        default:
            explain("cudaDeviceGetAttribute: attribute %d is not known to the CPU engine",
                    static_cast<int>(attribute));
            return refuse_query("cudaDeviceGetAttribute");
    }
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int number) {
    return host_call("cudaDeviceGetPCIBusId", [&] {
        if (number != 0) return cudaErrorInvalidDevice;
        constexpr char kBusId[] = "0000:00:00.0";
        if (text == nullptr || length < static_cast<int>(sizeof kBusId)) {
            return cudaErrorInvalidValue;
        }
        std::memcpy(text, kBusId, sizeof kBusId);
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
    return host_call("cudaDeviceSetLimit", [&] {
        constexpr std::size_t kMaxStackBytes = 512 * 1024;
        if (limit == cudaLimitStackSize && value > kMaxStackBytes) return cudaErrorInvalidValue;
        return set_limit(limit, value) ? cudaSuccess : cudaErrorUnsupportedLimit;
    });
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
    std::size_t current = 0;
    if (!get_limit(limit, current)) {
        return refuse_query("cudaDeviceGetLimit", cudaErrorUnsupportedLimit);
    }
    if (value == nullptr) return refuse_query("cudaDeviceGetLimit");
    *value = current;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    return host_call("cudaDeviceGetStreamPriorityRange", [&] {
        if (least != nullptr) *least = kLeastPriority;
        if (greatest != nullptr) *greatest = kGreatestPriority;
        return cudaSuccess;
    });
}

cudaError_t cudaDriverGetVersion(int* version) {
    if (version == nullptr) return refuse_query("cudaDriverGetVersion");
    *version = kCudaVersion;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
    if (version == nullptr) return refuse_query("cudaRuntimeGetVersion");
    *version = kCudaVersion;
    return cudaSuccess;
}
