// SPDX-License-Identifier: MIT
// Settings of a device and of streams that change nothing on the engine: hints about caches, banks
// and waiting. They are checked and kept, so that a program reads what it has set.
#include <cuda_runtime.h>

#include <cstring>

#include "common/emulator/device/properties/attributes.hpp"
#include "common/emulator/runtime/api_call.hpp"
#include "common/emulator/runtime/stream.hpp"

namespace emulator {
namespace {

cudaFuncCache cache_preference = cudaFuncCachePreferNone;
unsigned device_flags = cudaDeviceScheduleAuto;

// How well a device fits what cudaChooseDevice() asks for: a field of 0 asks for nothing.
bool fits(const cudaDeviceProp& wanted) {
    const cudaDeviceProp has = describe_device();
    return wanted.major <= has.major && (wanted.major < has.major || wanted.minor <= has.minor) &&
           wanted.totalGlobalMem <= has.totalGlobalMem &&
           wanted.multiProcessorCount <= has.multiProcessorCount;
}

cudaError_t check_attribute(cudaStreamAttrID attribute, const cudaStreamAttrValue& value) {
    int longest = 0;
    find_attribute(cudaDevAttrMaxAccessPolicyWindowSize, longest);
    switch (attribute) {
        case cudaStreamAttributeAccessPolicyWindow: {
            const cudaAccessPolicyWindow& window = value.accessPolicyWindow;
            const bool right = window.hitRatio >= 0.0f && window.hitRatio <= 1.0f &&
                               window.num_bytes <= static_cast<std::size_t>(longest) &&
                               window.missProp != cudaAccessPropertyPersisting;
            return right ? cudaSuccess : cudaErrorInvalidValue;
        }
        case cudaStreamAttributeSynchronizationPolicy:
            return value.syncPolicy >= cudaSyncPolicyAuto &&
                           value.syncPolicy <= cudaSyncPolicyBlockingSync
                       ? cudaSuccess
                       : cudaErrorInvalidValue;
        case cudaStreamAttributeMemSyncDomainMap:
        case cudaStreamAttributeMemSyncDomain:
        case cudaStreamAttributePriority:
            return cudaSuccess;
        default:
            return cudaErrorInvalidValue;
    }
}

}  // namespace
}  // namespace emulator

using namespace emulator;

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache preference) {
    return host_call("cudaDeviceSetCacheConfig", [&] {
        if (preference < cudaFuncCachePreferNone || preference > cudaFuncCachePreferEqual) {
            return cudaErrorInvalidValue;
        }
        cache_preference = preference;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* preference) {
    if (preference == nullptr) return refuse_query("cudaDeviceGetCacheConfig");
    *preference = cache_preference;
    return cudaSuccess;
}

// The banks of shared memory are 4 bytes wide on all devices since compute capability 5.0.
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
    return host_call("cudaDeviceSetSharedMemConfig", [&] {
        return config >= cudaSharedMemBankSizeDefault && config <= cudaSharedMemBankSizeEightByte
                   ? cudaSuccess
                   : cudaErrorInvalidValue;
    });
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
    if (config == nullptr) return refuse_query("cudaDeviceGetSharedMemConfig");
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
    return host_call("cudaSetDeviceFlags", [&] {
        if ((flags & ~static_cast<unsigned>(cudaDeviceMask)) != 0) return cudaErrorInvalidValue;
        device_flags = flags;
        return cudaSuccess;
    });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
    if (flags == nullptr) return refuse_query("cudaGetDeviceFlags");
    *flags = device_flags | cudaDeviceMapHost;
    return cudaSuccess;
}

cudaError_t cudaInitDevice(int number, unsigned device_flags_, unsigned flags) {
    const cudaError_t error = cudaSetDevice(number);
    if (error != cudaSuccess || flags == 0) return error;
    return cudaSetDeviceFlags(device_flags_);
}

cudaError_t cudaSetValidDevices(int* numbers, int count) {
    return host_call("cudaSetValidDevices", [&] {
        int known = 0;
        cudaGetDeviceCount(&known);
        for (int i = 0; i < count; ++i) {
            if (numbers[i] < 0 || numbers[i] >= known) return cudaErrorInvalidDevice;
        }
        return cudaSuccess;
    });
}

cudaError_t cudaChooseDevice(int* number, const cudaDeviceProp* wanted) {
    return host_call("cudaChooseDevice", [&] {
        if (number == nullptr || wanted == nullptr) return cudaErrorInvalidValue;
        if (!fits(*wanted)) {
            explain("cudaChooseDevice: the emulated GPU has less than is asked for");
        }
        *number = 0;  // all devices are alike
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetByPCIBusId(int* number, const char* text) {
    return host_call("cudaDeviceGetByPCIBusId", [&] {
        if (number == nullptr || text == nullptr) return cudaErrorInvalidValue;
        int count = 0;
        cudaGetDeviceCount(&count);
        for (int device = 0; device < count; ++device) {
            char known[32] = {};
            cudaDeviceGetPCIBusId(known, sizeof known, device);
            if (std::strcmp(known, text) == 0) {
                *number = device;
                return cudaSuccess;
            }
        }
        return cudaErrorInvalidValue;
    });
}

// The engine has no L2 cache whose lines could persist.
cudaError_t cudaCtxResetPersistingL2Cache() {
    return host_call("cudaCtxResetPersistingL2Cache", [] { return cudaSuccess; });
}

cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue* value) {
    return host_call("cudaStreamSetAttribute", [&] {
        Stream* stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (value == nullptr) return cudaErrorInvalidValue;
        const cudaError_t error = check_attribute(attribute, *value);
        if (error != cudaSuccess) return error;
        if (attribute == cudaStreamAttributePriority) {
            stream->priority = value->priority;
        } else {
            stream->attributes[attribute] = *value;
        }
        return cudaSuccess;
    });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t handle, cudaStreamAttrID attribute,
                                   cudaStreamAttrValue* value) {
    return host_call("cudaStreamGetAttribute", [&] {
        const Stream* stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (value == nullptr) return cudaErrorInvalidValue;
        *value = {};
        switch (attribute) {
            case cudaStreamAttributePriority:
                value->priority = stream->priority;
                return cudaSuccess;
            case cudaStreamAttributeSynchronizationPolicy:
                value->syncPolicy = cudaSyncPolicyAuto;
                break;
            case cudaStreamAttributeAccessPolicyWindow:
            case cudaStreamAttributeMemSyncDomainMap:
            case cudaStreamAttributeMemSyncDomain:
                break;
            default:
                return cudaErrorInvalidValue;
        }
        const auto found = stream->attributes.find(attribute);
        if (found != stream->attributes.end()) *value = found->second;
        return cudaSuccess;
    });
}
