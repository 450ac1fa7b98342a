// SPDX-License-Identifier: MIT
// The API of managed memory: advice, prefetches and attachment. Memory is in one place here, so
// they change nothing but what cudaMemRangeGetAttribute() tells.
#include <cuda_runtime.h>

#include <cstring>
#include <map>

#include "common/emulator/device/devices.hpp"
#include "common/emulator/device/memory.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/runtime/api_call.hpp"
#include "common/emulator/runtime/capture.hpp"
#include "common/emulator/runtime/copy.hpp"
#include "common/emulator/runtime/stream.hpp"

namespace emulator {
namespace {

constexpr cudaMemLocation kNowhere = {cudaMemLocationTypeInvalid, cudaInvalidDeviceId};

// What the program has said of an allocation. A GPU keeps it for each page.
struct Advice {
    bool read_mostly = false;
    cudaMemLocation preferred = kNowhere;
    cudaMemLocation last_prefetch = kNowhere;
    unsigned accessed_by = 0;  // one bit for each device
    bool accessed_by_host = false;
};

// By the allocation's number, which is never used again.
Advice& advice_of(const Allocation& allocation) {
    static auto* all = new std::map<std::uint64_t, Advice>;
    return (*all)[allocation.id];
}

bool is_host(const cudaMemLocation& location) {
    return location.type == cudaMemLocationTypeHost ||
           location.type == cudaMemLocationTypeHostNuma ||
           location.type == cudaMemLocationTypeHostNumaCurrent;
}

cudaError_t check_location(const cudaMemLocation& location) {
    if (is_host(location)) return cudaSuccess;
    if (location.type != cudaMemLocationTypeDevice) return cudaErrorInvalidValue;
    return is_device_number(location.id) ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaMemLocation location_of(int device) {
    if (device == cudaCpuDeviceId) return {cudaMemLocationTypeHost, 0};
    return {cudaMemLocationTypeDevice, device};
}

int number_of(const cudaMemLocation& location) {
    return is_host(location) ? cudaCpuDeviceId : location.id;
}

cudaError_t find_managed(const char* function, const void* pointer, std::size_t bytes,
                         Allocation& allocation) {
    if (place_of(function, "range", pointer, bytes) != Place::managed || bytes == 0 ||
        !find_allocation(pointer, allocation)) {
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

cudaError_t advise(const Allocation& allocation, cudaMemoryAdvise advice,
                   const cudaMemLocation& location) {
    Advice& kept = advice_of(allocation);
    const bool names_place = advice >= cudaMemAdviseSetPreferredLocation &&
                             advice != cudaMemAdviseUnsetPreferredLocation;
    if (names_place) {
        if (check_location(location) != cudaSuccess) return cudaErrorInvalidValue;
    }
    switch (advice) {
        case cudaMemAdviseSetReadMostly:
        case cudaMemAdviseUnsetReadMostly:
            kept.read_mostly = advice == cudaMemAdviseSetReadMostly;
            return cudaSuccess;
        case cudaMemAdviseSetPreferredLocation:
            kept.preferred = location;
            return cudaSuccess;
        case cudaMemAdviseUnsetPreferredLocation:
            kept.preferred = kNowhere;
            return cudaSuccess;
        case cudaMemAdviseSetAccessedBy:
        case cudaMemAdviseUnsetAccessedBy: {
            const bool set = advice == cudaMemAdviseSetAccessedBy;
            if (is_host(location)) {
                kept.accessed_by_host = set;
            } else {
                const unsigned bit = 1u << location.id;
                kept.accessed_by = set ? kept.accessed_by | bit : kept.accessed_by & ~bit;
            }
            return cudaSuccess;
        }
    }
    return cudaErrorInvalidValue;
}

cudaError_t tell_range(const Advice& advice, cudaMemRangeAttribute attribute, void* data,
                       std::size_t bytes) {
    if (data == nullptr || bytes == 0 || bytes % sizeof(int) != 0) return cudaErrorInvalidValue;
    auto* const numbers = static_cast<int*>(data);
    if (attribute == cudaMemRangeAttributeAccessedBy) {
        // As many devices as there is room for; the rest is invalid.
        std::size_t count = 0;
        const auto add = [&](int number) {
            if (count < bytes / sizeof(int)) numbers[count++] = number;
        };
        if (advice.accessed_by_host) add(cudaCpuDeviceId);
        for (int device = 0; device < kMaxDevices; ++device) {
            if ((advice.accessed_by >> device & 1) != 0) add(device);
        }
        while (count < bytes / sizeof(int)) numbers[count++] = cudaInvalidDeviceId;
        return cudaSuccess;
    }
    if (bytes != sizeof(int)) return cudaErrorInvalidValue;
    switch (attribute) {
        case cudaMemRangeAttributeReadMostly:
            *numbers = advice.read_mostly ? 1 : 0;
            return cudaSuccess;
        case cudaMemRangeAttributePreferredLocation:
            *numbers = number_of(advice.preferred);
            return cudaSuccess;
        case cudaMemRangeAttributeLastPrefetchLocation:
            *numbers = number_of(advice.last_prefetch);
            return cudaSuccess;
        case cudaMemRangeAttributePreferredLocationType:
            *numbers = advice.preferred.type;
            return cudaSuccess;
        case cudaMemRangeAttributePreferredLocationId:
            *numbers = advice.preferred.id;
            return cudaSuccess;
        case cudaMemRangeAttributeLastPrefetchLocationType:
            *numbers = advice.last_prefetch.type;
            return cudaSuccess;
        case cudaMemRangeAttributeLastPrefetchLocationId:
            *numbers = advice.last_prefetch.id;
            return cudaSuccess;
        default:
            return cudaErrorInvalidValue;
    }
}

}  // namespace
}  // namespace emulator

using namespace emulator;

cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                          cudaMemLocation location) {
    return host_call("cudaMemAdvise", [&] {
        Allocation allocation;
        const cudaError_t error = find_managed("cudaMemAdvise", pointer, bytes, allocation);
        return error == cudaSuccess ? advise(allocation, advice, location) : error;
    });
}

cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                          int device) {
    return cudaMemAdvise(pointer, bytes, advice, location_of(device));
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, cudaMemLocation location,
                                 unsigned flags, cudaStream_t handle) {
    return host_call("cudaMemPrefetchAsync", [&] {
        Stream* stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (flags != 0) return cudaErrorInvalidValue;
        cudaError_t error = refuse_in_capture(*stream);
        if (error == cudaSuccess) error = check_location(location);
        if (error != cudaSuccess) return error;
        Allocation allocation;
        error = find_managed("cudaMemPrefetchAsync", pointer, bytes, allocation);
        if (error == cudaSuccess) advice_of(allocation).last_prefetch = location;
        return error;
    });
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, int device,
                                 cudaStream_t stream) {
    return cudaMemPrefetchAsync(pointer, bytes, location_of(device), 0, stream);
}

cudaError_t cudaMemRangeGetAttribute(void* data, std::size_t data_bytes,
                                     cudaMemRangeAttribute attribute, const void* pointer,
                                     std::size_t bytes) {
    return host_call("cudaMemRangeGetAttribute", [&] {
        Allocation allocation;
        const cudaError_t error =
            find_managed("cudaMemRangeGetAttribute", pointer, bytes, allocation);
        if (error != cudaSuccess) return error;
        return tell_range(advice_of(allocation), attribute, data, data_bytes);
    });
}

cudaError_t cudaMemRangeGetAttributes(void** data, std::size_t* data_bytes,
                                      cudaMemRangeAttribute* attributes, std::size_t count,
                                      const void* pointer, std::size_t bytes) {
    return host_call("cudaMemRangeGetAttributes", [&] {
        if (data == nullptr || data_bytes == nullptr || attributes == nullptr || count == 0) {
            return cudaErrorInvalidValue;
        }
        for (std::size_t i = 0; i < count; ++i) {
            const cudaError_t error =
                cudaMemRangeGetAttribute(data[i], data_bytes[i], attributes[i], pointer, bytes);
            if (error != cudaSuccess) return error;
        }
        return cudaSuccess;
    });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t handle, void* pointer, std::size_t bytes,
                                     unsigned flags) {
    return host_call("cudaStreamAttachMemAsync", [&] {
        Stream* stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        const cudaError_t error = refuse_in_capture(*stream);
        if (error != cudaSuccess) return error;
        Allocation allocation;
        if ((flags != cudaMemAttachGlobal && flags != cudaMemAttachHost &&
             flags != cudaMemAttachSingle) ||
            !find_allocation(pointer, allocation) || allocation.kind != MemoryKind::managed ||
            allocation.begin != pointer || (bytes != 0 && bytes != allocation.bytes)) {
            return cudaErrorInvalidValue;
        }
        if (flags == cudaMemAttachSingle && is_legacy(*stream)) return cudaErrorInvalidValue;
        return cudaSuccess;
    });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* pointer) {
    return host_call("cudaHostGetFlags", [&] {
        Allocation allocation;
        if (flags == nullptr || !find_allocation(pointer, allocation) ||
            (allocation.kind != MemoryKind::pinned && allocation.kind != MemoryKind::registered)) {
            return cudaErrorInvalidValue;
        }
        *flags = cudaHostAllocMapped;  // as all pinned memory is
        return cudaSuccess;
    });
}
