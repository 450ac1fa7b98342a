// SPDX-License-Identifier: MIT
// The API of memory pools and of memory in the order of a stream.
#include <cuda_runtime.h>

#include <cstring>
#include <memory>

#include "common/emulator/device/devices.hpp"
#include "common/emulator/libraries/pools/graph_memory.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/runtime/api_call.hpp"
#include "common/emulator/runtime/capture.hpp"

namespace emulator {
namespace {

using Pool = CUmemPoolHandle_st;

// Frees that wait in streams hold memory. Above this the stream runs first, as a GPU would.
constexpr std::size_t kMaxWaitingBytes = std::size_t{256} << 20;

cudaError_t refuse_processes(const char* function) {
    return host_call(function, [&] {
        explain("%s: the CPU engine shares no pools: use cudaIpcGetMemHandle()", function);
        return cudaErrorNotSupported;
    });
}

cudaError_t allocate_in_stream(const char* function, void** pointer, std::size_t bytes,
                               cudaMemPool_t handle, bool is_current, cudaStream_t stream_handle) {
    return host_call(function, [&] {
        Stream* stream = find_stream(stream_handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (pointer == nullptr) return cudaErrorInvalidValue;
        Pool* pool = is_current ? &current_pool(stream->device) : find_pool(handle);
        if (pool == nullptr) return cudaErrorInvalidValue;
        *pointer = nullptr;
        if (bytes == 0) return cudaSuccess;
        cudaError_t error = check_capture_of(*stream);
        if (error != cudaSuccess) return error;
        if (stream->capture != nullptr) return capture_allocation(*stream, *pool, bytes, pointer);
        if (bytes_waiting_for_release() > kMaxWaitingBytes) {
            error = run_until(*stream, stream->queued);
        }
        if (error != cudaSuccess) return error;
        const PoolMemory memory{pool->device, &pool->access};
        error = allocate_memory(memory, bytes, pointer);
        if (error == cudaErrorMemoryAllocation && run_all(pool->device) == cudaSuccess) {
            error = allocate_memory(memory, bytes, pointer);  // now without what was to be freed
        }
        if (error != cudaSuccess) return error;
        pool->take(bytes);
        QueuedWork work;
        work.kind = WorkKind::allocation;
        work.written = {*pointer, bytes, bytes, 1};
        enqueue(*stream, [pending = PendingWork(work)] { pending.begin(); });
        return cudaSuccess;
    });
}

bool is_device_location(const cudaMemLocation& location) {
    return location.type == cudaMemLocationTypeDevice && is_device_number(location.id);
}

}  // namespace
}  // namespace emulator

using namespace emulator;

cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
    return allocate_in_stream("cudaMallocAsync", pointer, bytes, nullptr, true, stream);
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
    return allocate_in_stream("cudaMallocFromPoolAsync", pointer, bytes, pool, false, stream);
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t handle) {
    return host_call("cudaFreeAsync", [&] {
        Stream* stream = find_stream(handle);
        if (stream == nullptr) return cudaErrorInvalidResourceHandle;
        if (pointer == nullptr) return cudaSuccess;
        Allocation allocation;
        const bool is_own = find_allocation(pointer, allocation) && allocation.begin == pointer &&
                            allocation.kind == MemoryKind::device;
        if (!is_own && !is_graph_memory(pointer)) {
            explain("cudaFreeAsync: %p was not returned by an allocation of device memory (%s)",
                    pointer,
                    is_stray_address(pointer) ? describe_address(pointer).c_str() : "other memory");
            return cudaErrorInvalidValue;
        }
        if (stream->capture == nullptr && is_graph_memory(pointer)) {
            const cudaError_t error = note_release_of_memory(pointer);
            if (error != cudaSuccess) return error;
        }
        return queue_work(*stream, std::make_shared<ReleaseWork>(pointer));
    });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
    return host_call("cudaMemPoolCreate", [&] {
        if (pool == nullptr || properties == nullptr) return cudaErrorInvalidValue;
        if (properties->handleTypes != cudaMemHandleTypeNone) {
            explain("cudaMemPoolCreate: the CPU engine shares no memory between processes");
            return cudaErrorNotSupported;
        }
        if (properties->allocType != cudaMemAllocationTypePinned) return cudaErrorInvalidValue;
        if (properties->location.type != cudaMemLocationTypeDevice) {
            explain("cudaMemPoolCreate: the CPU engine has pools of device memory only");
            return cudaErrorNotSupported;
        }
        if (!is_device_number(properties->location.id)) return cudaErrorInvalidValue;
        *pool = &make_pool(properties->location.id);
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle) {
    return host_call("cudaMemPoolDestroy", [&] {
        Pool* pool = find_pool(handle);
        if (pool == nullptr || pool->is_default) return cudaErrorInvalidValue;
        pool->is_destroyed = true;
        if (&current_pool(pool->device) == pool) set_current_pool(pool->device, nullptr);
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
    return host_call("cudaMemPoolSetAttribute", [&] {
        Pool* pool = find_pool(handle);
        if (pool == nullptr || value == nullptr) return cudaErrorInvalidValue;
        switch (attribute) {
            case cudaMemPoolReuseFollowEventDependencies:
            case cudaMemPoolReuseAllowOpportunistic:
            case cudaMemPoolReuseAllowInternalDependencies:
                std::memcpy(&pool->reuse[attribute - 1], value, sizeof(int));
                return cudaSuccess;
            case cudaMemPoolAttrReleaseThreshold:
                std::memcpy(&pool->threshold, value, sizeof pool->threshold);
                return cudaSuccess;
            case cudaMemPoolAttrReservedMemHigh:
            case cudaMemPoolAttrUsedMemHigh: {
                std::uint64_t wanted = 0;
                std::memcpy(&wanted, value, sizeof wanted);
                if (wanted != 0) return cudaErrorInvalidValue;  // a high mark is only reset
                if (attribute == cudaMemPoolAttrUsedMemHigh) {
                    pool->used_high = pool->used;
                } else {
                    pool->reserved_high = pool->reserved;
                }
                return cudaSuccess;
            }
            default:
                return cudaErrorInvalidValue;
        }
    });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
    return host_call("cudaMemPoolGetAttribute", [&] {
        Pool* pool = find_pool(handle);
        if (pool == nullptr || value == nullptr) return cudaErrorInvalidValue;
        if (attribute >= cudaMemPoolReuseFollowEventDependencies &&
            attribute <= cudaMemPoolReuseAllowInternalDependencies) {
            std::memcpy(value, &pool->reuse[attribute - 1], sizeof(int));
            return cudaSuccess;
        }
        const std::uint64_t numbers[] = {pool->threshold, pool->reserved, pool->reserved_high,
                                         pool->used, pool->used_high};
        if (attribute < cudaMemPoolAttrReleaseThreshold || attribute > cudaMemPoolAttrUsedMemHigh) {
            return cudaErrorInvalidValue;
        }
        std::memcpy(value, &numbers[attribute - cudaMemPoolAttrReleaseThreshold],
                    sizeof(std::uint64_t));
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, std::size_t bytes_to_keep) {
    return host_call("cudaMemPoolTrimTo", [&] {
        Pool* pool = find_pool(handle);
        if (pool == nullptr) return cudaErrorInvalidValue;
        pool->trim(bytes_to_keep);
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle, const cudaMemAccessDesc* descriptions,
                                 std::size_t count) {
    return host_call("cudaMemPoolSetAccess", [&] {
        Pool* pool = find_pool(handle);
        if (pool == nullptr || (descriptions == nullptr && count > 0)) return cudaErrorInvalidValue;
        for (std::size_t i = 0; i < count; ++i) {
            const cudaMemAccessDesc& one = descriptions[i];
            if (one.location.type != cudaMemLocationTypeDevice) return cudaErrorInvalidValue;
            if (!is_device_number(one.location.id)) return cudaErrorInvalidDevice;
            const bool allowed = one.flags == cudaMemAccessFlagsProtReadWrite;
            if (one.location.id == pool->device && !allowed) return cudaErrorInvalidDevice;
            if (!allowed && one.flags != cudaMemAccessFlagsProtNone) return cudaErrorInvalidValue;
            const std::uint32_t bit = std::uint32_t{1} << one.location.id;
            pool->access = allowed ? pool->access | bit : pool->access & ~bit;
        }
        note_access_changed();
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t handle,
                                 cudaMemLocation* location) {
    return host_call("cudaMemPoolGetAccess", [&] {
        const Pool* pool = find_pool(handle);
        if (pool == nullptr || flags == nullptr || location == nullptr ||
            !is_device_location(*location)) {
            return cudaErrorInvalidValue;
        }
        *flags = (pool->access >> location->id & 1) != 0 ? cudaMemAccessFlagsProtReadWrite
                                                         : cudaMemAccessFlagsProtNone;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
    return host_call("cudaDeviceGetDefaultMemPool", [&] {
        if (pool == nullptr) return cudaErrorInvalidValue;
        if (!is_device_number(device)) return cudaErrorInvalidDevice;
        *pool = &default_pool(device);
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
    return host_call("cudaDeviceGetMemPool", [&] {
        if (pool == nullptr) return cudaErrorInvalidValue;
        if (!is_device_number(device)) return cudaErrorInvalidDevice;
        *pool = &current_pool(device);
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t handle) {
    return host_call("cudaDeviceSetMemPool", [&] {
        if (!is_device_number(device)) return cudaErrorInvalidDevice;
        Pool* pool = find_pool(handle);
        if (pool == nullptr || pool->device != device) return cudaErrorInvalidValue;
        set_current_pool(device, pool);
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolExportToShareableHandle(void*, cudaMemPool_t, cudaMemAllocationHandleType,
                                               unsigned) {
    // The code of a GPU for a pool that was made without a kind of handle.
    refuse_processes("cudaMemPoolExportToShareableHandle");
    return record_error(cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t*, void*, cudaMemAllocationHandleType,
                                                 unsigned) {
    return refuse_processes("cudaMemPoolImportFromShareableHandle");
}

cudaError_t cudaMemPoolExportPointer(cudaMemPoolPtrExportData*, void*) {
    return refuse_processes("cudaMemPoolExportPointer");
}

cudaError_t cudaMemPoolImportPointer(void**, cudaMemPool_t, cudaMemPoolPtrExportData*) {
    return refuse_processes("cudaMemPoolImportPointer");
}
