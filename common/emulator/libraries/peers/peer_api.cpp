// SPDX-License-Identifier: MIT
// The API of several devices: access to each other's memory, and copies between them.
#include <cuda_runtime.h>

#include "common/emulator/device/devices.hpp"
#include "common/emulator/device/peer_access.hpp"
#include "common/emulator/libraries/graphs/node_works.hpp"
#include "common/emulator/libraries/pools/memory_pool.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/runtime/api_call.hpp"
#include "common/emulator/runtime/capture.hpp"
#include "common/emulator/runtime/copy.hpp"

namespace emulator {
namespace {

// The memory must not belong to another device than the caller says.
cudaError_t check_owner(const char* function, const char* role, const void* pointer, int device) {
    Allocation allocation;
    if (!find_allocation(pointer, allocation)) return cudaSuccess;
    if (allocation.kind != MemoryKind::device || allocation.device == device) return cudaSuccess;
    explain("%s: the %s is memory of device %d, not of device %d", function, role,
            allocation.device, device);
    return cudaErrorInvalidValue;
}

cudaError_t check_owners(const char* function, const void* destination, int destination_device,
                         const void* source, int source_device) {
    return host_call(function, [&] {
        if (!is_device_number(destination_device) || !is_device_number(source_device)) {
            return cudaErrorInvalidDevice;
        }
        const cudaError_t error =
            check_owner(function, "destination", destination, destination_device);
        return error == cudaSuccess ? check_owner(function, "source", source, source_device)
                                    : error;
    });
}

cudaError_t copy_volume(const char* function, const cudaMemcpy3DPeerParms* parameters,
                        cudaStream_t handle, bool asynchronous) {
    if (parameters == nullptr) return host_call(function, [] { return cudaErrorInvalidValue; });
    const cudaError_t owners = check_owners(function, parameters->dstPtr.ptr, parameters->dstDevice,
                                            parameters->srcPtr.ptr, parameters->srcDevice);
    if (owners != cudaSuccess) return owners;
    return host_call(function, [&] {
        Stream* stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        cudaMemcpy3DParms copy{};
        copy.srcArray = parameters->srcArray;
        copy.srcPos = parameters->srcPos;
        copy.srcPtr = parameters->srcPtr;
        copy.dstArray = parameters->dstArray;
        copy.dstPos = parameters->dstPos;
        copy.dstPtr = parameters->dstPtr;
        copy.extent = parameters->extent;
        copy.kind = cudaMemcpyDefault;
        std::shared_ptr<Work> work;
        cudaError_t error = make_copy_work(function, &copy, work);
        if (error == cudaSuccess) error = queue_work(*stream, work);
        return error == cudaSuccess && !asynchronous ? wait_for(*stream) : error;
    });
}

}  // namespace
}  // namespace emulator

using namespace emulator;

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    return host_call("cudaDeviceCanAccessPeer", [&] {
        if (can == nullptr) return cudaErrorInvalidValue;
        if (!is_device_number(device) || !is_device_number(peer)) return cudaErrorInvalidDevice;
        *can = device != peer ? 1 : 0;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    return host_call("cudaDeviceEnablePeerAccess", [&] {
        if (!is_device_number(peer)) return cudaErrorInvalidDevice;
        if (peer == current_device()) return cudaErrorPeerAccessUnsupported;
        if (flags != 0) return cudaErrorInvalidValue;
        if (peer_access(current_device(), peer)) return cudaErrorPeerAccessAlreadyEnabled;
        set_peer_access(current_device(), peer, true);
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    return host_call("cudaDeviceDisablePeerAccess", [&] {
        if (!is_device_number(peer)) return cudaErrorInvalidDevice;
        if (!peer_access(current_device(), peer)) return cudaErrorPeerAccessNotEnabled;
        // Work that is queued may still use the access.
        const cudaError_t error = run_all(current_device());
        set_peer_access(current_device(), peer, false);
        return error;
    });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int source,
                                      int destination) {
    return host_call("cudaDeviceGetP2PAttribute", [&] {
        if (value == nullptr) return cudaErrorInvalidValue;
        if (!is_device_number(source) || !is_device_number(destination) || source == destination) {
            return cudaErrorInvalidDevice;
        }
        switch (attribute) {
            case cudaDevP2PAttrPerformanceRank:
            case cudaDevP2PAttrOnlyPartialNativeAtomicSupported:
                *value = 0;
                return cudaSuccess;
            case cudaDevP2PAttrAccessSupported:
            case cudaDevP2PAttrNativeAtomicSupported:
            case cudaDevP2PAttrCudaArrayAccessSupported:
                *value = 1;
                return cudaSuccess;
        }
        return cudaErrorInvalidValue;
    });
}

cudaError_t cudaMemcpyPeer(void* destination, int destination_device, const void* source,
                           int source_device, std::size_t bytes) {
    const cudaError_t error =
        check_owners("cudaMemcpyPeer", destination, destination_device, source, source_device);
    if (error != cudaSuccess) return error;
    return copy_memory("cudaMemcpyPeer", linear_copy(destination, source, bytes), cudaMemcpyDefault,
                       nullptr, false);
}

cudaError_t cudaMemcpyPeerAsync(void* destination, int destination_device, const void* source,
                                int source_device, std::size_t bytes, cudaStream_t stream) {
    const cudaError_t error =
        check_owners("cudaMemcpyPeerAsync", destination, destination_device, source, source_device);
    if (error != cudaSuccess) return error;
    return copy_memory("cudaMemcpyPeerAsync", linear_copy(destination, source, bytes),
                       cudaMemcpyDefault, stream, true);
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* parameters) {
    return copy_volume("cudaMemcpy3DPeer", parameters, nullptr, false);
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* parameters, cudaStream_t stream) {
    return copy_volume("cudaMemcpy3DPeerAsync", parameters, stream, true);
}
