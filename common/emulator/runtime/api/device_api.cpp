// SPDX-License-Identifier: MIT
// The API of the device: its choice, properties, attributes and limits.
#include <cuda_runtime.h>

#include <cstring>

#include "common/emulator/device/device_heap.hpp"
#include "common/emulator/device/devices.hpp"
#include "common/emulator/device/memory.hpp"
#include "common/emulator/device/peer_access.hpp"
#include "common/emulator/device/properties/attributes.hpp"
#include "common/emulator/device/properties/limits.hpp"
#include "common/emulator/device/variables.hpp"
#include "common/emulator/engine/worker.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/runtime/api_call.hpp"
#include "common/emulator/runtime/capture.hpp"
#include "common/emulator/runtime/event.hpp"
#include "common/emulator/runtime/exec.hpp"
#include "common/emulator/runtime/library_hooks.hpp"
#include "common/emulator/runtime/stream.hpp"

namespace emulator {
namespace {

constexpr int kCudaVersion = 13000;

cudaError_t check_device(int number) {
    return is_device_number(number) ? cudaSuccess : cudaErrorInvalidDevice;
}

}  // namespace
}  // namespace emulator

using namespace emulator;

cudaError_t cudaGetDeviceCount(int* count) {
    if (count == nullptr) return refuse_query("cudaGetDeviceCount");
    *count = device_count();
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int* number) {
    if (number == nullptr) return refuse_query("cudaGetDevice");
    *number = current_thread != nullptr ? running_worker->grid().device : current_device();
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int number) {
    return host_call("cudaSetDevice", [&] {
        const cudaError_t error = check_device(number);
        if (error == cudaSuccess) set_current_device(number);
        return error;
    });
}

cudaError_t cudaDeviceReset() {
    if (current_thread != nullptr) fail_unsupported_device_call("cudaDeviceReset");
    const std::lock_guard lock(runtime_mutex());
    const ApiCall call;
    const int device = current_device();
    forget_captures();
    forget_streams(device);
    forget_events(device);
    if (device_count() == 1) {
        forget_execs();
        forget_graphs();
    } else {
        reset_variables(device);
    }
    free_all_memory(device);
    AtReset::run(device);
    forget_peer_access(device);
    reset_limits();
    clear_errors();
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int number) {
    return host_call("cudaGetDeviceProperties", [&] {
        if (properties == nullptr) return cudaErrorInvalidValue;
        if (!is_device_number(number)) return cudaErrorInvalidDevice;
        *properties = describe_device();
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int number) {
    if (value == nullptr) return refuse_query("cudaDeviceGetAttribute");
    if (!is_device_number(number)) {
        return refuse_query("cudaDeviceGetAttribute", cudaErrorInvalidDevice);
    }
    if (!find_attribute(attribute, *value)) {
        explain("cudaDeviceGetAttribute: attribute %d is not known to the CPU engine",
                static_cast<int>(attribute));
        return refuse_query("cudaDeviceGetAttribute");
    }
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int number) {
    return host_call("cudaDeviceGetPCIBusId", [&] {
        if (!is_device_number(number)) return cudaErrorInvalidDevice;
        char kBusId[] = "0000:00:00.0";
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
        // CUDA C++ Programming Guide, "Heap Memory Allocation": the size is fixed then.
        if (limit == cudaLimitMallocHeapSize && heap_is_used()) return cudaErrorInvalidValue;
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
