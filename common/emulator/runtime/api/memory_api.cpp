// SPDX-License-Identifier: MIT
// The API of memory: allocations, copies and sets.
#include <cuda_runtime.h>

#include "common/emulator/device/device_heap.hpp"
#include "common/emulator/device/devices.hpp"
#include "common/emulator/device/memory.hpp"
#include "common/emulator/device/properties/properties.hpp"
#include "common/emulator/engine/device_launch.hpp"
#include "common/emulator/engine/heap/heap_calls.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/runtime/api_call.hpp"
#include "common/emulator/runtime/capture.hpp"
#include "common/emulator/runtime/copy.hpp"
#include "common/emulator/runtime/library_hooks.hpp"
#include "common/emulator/runtime/stream.hpp"

namespace emulator {
namespace {

cudaError_t allocate(const char* function, MemoryKind kind, void** pointer, std::size_t bytes) {
    return host_call(function, [&] {
        if (pointer == nullptr) return cudaErrorInvalidValue;
        const cudaError_t error = refuse_unsafe_call();
        return error == cudaSuccess ? allocate_memory(kind, bytes, pointer) : error;
    });
}

// Whether the pointer starts an allocation of one of two kinds.
bool starts(const char* function, void* pointer, MemoryKind first, MemoryKind second) {
    Allocation allocation;
    if (find_allocation(pointer, allocation) && allocation.begin == pointer &&
        (allocation.kind == first || allocation.kind == second)) {
        return true;
    }
    if (is_heap_address(pointer)) {
        refuse_heap_pointer(function, pointer, true);
        return false;
    }
    explain("%s: %p was not returned by an allocation of this kind (%s)", function, pointer,
            is_stray_address(pointer) ? describe_address(pointer).c_str() : "other memory");
    return false;
}

cudaError_t release(const char* function, void* pointer, MemoryKind first, MemoryKind second) {
    return host_call(function, [&] {
        cudaError_t error = refuse_unsafe_call();
        if (pointer == nullptr || error != cudaSuccess) return error;
        if (library_hooks.free_begins != nullptr) error = library_hooks.free_begins(pointer);
        if (error != cudaSuccess) return error;
        if (!starts(function, pointer, first, second)) return cudaErrorInvalidValue;
        // Queued work may still use it: freeing waits for the devices.
        error = run_everything();
        Allocation allocation;
        if (library_hooks.freed != nullptr && find_allocation(pointer, allocation)) {
            library_hooks.freed(allocation);
        }
        remove_memory(pointer);
        return error;
    });
}

}  // namespace

cudaError_t copy_to_symbol(Symbol symbol, const void* source, std::size_t bytes, std::size_t offset,
                           cudaMemcpyKind kind) {
    return copy_symbol("cudaMemcpyToSymbol", symbol, offset, nullptr, source, bytes, kind, nullptr,
                       false, true);
}

cudaError_t copy_to_symbol_async(Symbol symbol, const void* source, std::size_t bytes,
                                 std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_symbol("cudaMemcpyToSymbolAsync", symbol, offset, nullptr, source, bytes, kind,
                       stream, true, true);
}

cudaError_t copy_from_symbol(void* destination, Symbol symbol, std::size_t bytes,
                             std::size_t offset, cudaMemcpyKind kind) {
    return copy_symbol("cudaMemcpyFromSymbol", symbol, offset, destination, nullptr, bytes, kind,
                       nullptr, false, false);
}

cudaError_t copy_from_symbol_async(void* destination, Symbol symbol, std::size_t bytes,
                                   std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_symbol("cudaMemcpyFromSymbolAsync", symbol, offset, destination, nullptr, bytes,
                       kind, stream, true, false);
}

cudaError_t get_symbol_address(void** pointer, Symbol symbol) {
    return host_call("cudaGetSymbolAddress", [&] {
        if (pointer == nullptr) return cudaErrorInvalidValue;
        add_memory(MemoryKind::symbol, symbol.address, symbol.bytes);
        *pointer = const_cast<char*>(symbol.address);
        return cudaSuccess;
    });
}

}  // namespace emulator

using namespace emulator;

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
    if (current_thread != nullptr) {
        // CUDA C++ Programming Guide, "CUDA Dynamic Parallelism", "Memory Management".
        if (pointer == nullptr) return device_error(cudaErrorInvalidValue);
        *pointer = nullptr;
        if (bytes == 0) return device_error(cudaErrorInvalidValue);
        *pointer = allocate_in_kernel(bytes, __builtin_return_address(0));
        return *pointer != nullptr ? cudaSuccess : device_error(cudaErrorMemoryAllocation);
    }
    return allocate("cudaMalloc", MemoryKind::device, pointer, bytes);
}

cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) {
        return host_call("cudaMallocManaged", [] { return cudaErrorInvalidValue; });
    }
    if (bytes == 0) return host_call("cudaMallocManaged", [] { return cudaErrorInvalidValue; });
    return allocate("cudaMallocManaged", MemoryKind::managed, pointer, bytes);
}

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width,
                            std::size_t height) {
    return host_call("cudaMallocPitch", [&] {
        if (pointer == nullptr || pitch == nullptr) return cudaErrorInvalidValue;
        constexpr std::size_t kPitchAlignment = 512;
        *pitch = round_up(width, kPitchAlignment);
        return allocate_memory(MemoryKind::device, *pitch * height, pointer);
    });
}

cudaError_t cudaFree(void* pointer) {
    if (current_thread != nullptr) {
        free_in_kernel(pointer, "cudaFree", __builtin_return_address(0));
        return cudaSuccess;
    }
    return release("cudaFree", pointer, MemoryKind::device, MemoryKind::managed);
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
    return allocate("cudaMallocHost", MemoryKind::pinned, pointer, bytes);
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
    constexpr unsigned kKnown =
        cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if ((flags & ~kKnown) != 0) {
        return host_call("cudaHostAlloc", [] { return cudaErrorInvalidValue; });
    }
    return allocate("cudaHostAlloc", MemoryKind::pinned, pointer, bytes);
}

cudaError_t cudaFreeHost(void* pointer) {
    return release("cudaFreeHost", pointer, MemoryKind::pinned, MemoryKind::pinned);
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
    return host_call("cudaHostRegister", [&] {
        constexpr unsigned kKnown =
            cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterReadOnly;
        if (pointer == nullptr || bytes == 0 || (flags & ~kKnown) != 0) {
            return cudaErrorInvalidValue;
        }
        Allocation allocation;
        if (find_allocation(pointer, allocation) ||
            find_allocation(static_cast<char*>(pointer) + bytes - 1, allocation)) {
            return cudaErrorHostMemoryAlreadyRegistered;
        }
        add_memory(MemoryKind::registered, pointer, bytes);
        return cudaSuccess;
    });
}

cudaError_t cudaHostUnregister(void* pointer) {
    return host_call("cudaHostUnregister", [&] {
        Allocation allocation;
        if (!find_allocation(pointer, allocation) || allocation.begin != pointer ||
            allocation.kind != MemoryKind::registered) {
            return cudaErrorHostMemoryNotRegistered;
        }
        const cudaError_t error = run_everything();
        remove_memory(pointer);
        return error;
    });
}

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned flags) {
    return host_call("cudaHostGetDevicePointer", [&] {
        Allocation allocation;
        if (device_pointer == nullptr || flags != 0 || !find_allocation(host_pointer, allocation) ||
            (allocation.kind != MemoryKind::pinned && allocation.kind != MemoryKind::registered)) {
            return cudaErrorInvalidValue;
        }
        *device_pointer = host_pointer;
        return cudaSuccess;
    });
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
    return host_call("cudaMemGetInfo", [&] {
        if (free_bytes == nullptr || total_bytes == nullptr) return cudaErrorInvalidValue;
        *free_bytes = free_memory_bytes(MemoryKind::device);
        *total_bytes = device().memory_bytes;
        return cudaSuccess;
    });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
    return host_call("cudaPointerGetAttributes", [&] {
        if (attributes == nullptr) return cudaErrorInvalidValue;
        void* const address = const_cast<void*>(pointer);
        *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, address};
        Allocation allocation;
        // As on an H200, the heap's memory is unknown to the host.
        if (!find_allocation(pointer, allocation) || allocation.kind == MemoryKind::heap) {
            return cudaSuccess;
        }
        *attributes = {cudaMemoryTypeHost, allocation.device, address, address};
        if (allocation.kind == MemoryKind::managed) attributes->type = cudaMemoryTypeManaged;
        if (allocation.kind == MemoryKind::device || allocation.kind == MemoryKind::symbol) {
            attributes->type = cudaMemoryTypeDevice;
            attributes->hostPointer = nullptr;
        }
        return cudaSuccess;
    });
}

cudaError_t cudaMemcpy(void* destination, const void* source, std::size_t bytes,
                       cudaMemcpyKind kind) {
    return copy_memory("cudaMemcpy", linear_copy(destination, source, bytes), kind, nullptr, false);
}

cudaError_t cudaMemcpyAsync(void* destination, const void* source, std::size_t bytes,
                            cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_memory("cudaMemcpyAsync", linear_copy(destination, source, bytes), kind, stream,
                       true);
}

cudaError_t cudaMemcpy2D(void* destination, std::size_t destination_pitch, const void* source,
                         std::size_t source_pitch, std::size_t width, std::size_t height,
                         cudaMemcpyKind kind) {
    const Copy copy{static_cast<char*>(destination),
                    static_cast<const char*>(source),
                    destination_pitch,
                    source_pitch,
                    width,
                    height};
    return copy_memory("cudaMemcpy2D", copy, kind, nullptr, false);
}

cudaError_t cudaMemcpy2DAsync(void* destination, std::size_t destination_pitch, const void* source,
                              std::size_t source_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
    const Copy copy{static_cast<char*>(destination),
                    static_cast<const char*>(source),
                    destination_pitch,
                    source_pitch,
                    width,
                    height};
    return copy_memory("cudaMemcpy2DAsync", copy, kind, stream, true);
}

cudaError_t cudaMemset(void* destination, int value, std::size_t bytes) {
    return set_memory("cudaMemset", destination, value, bytes, nullptr, false);
}

cudaError_t cudaMemsetAsync(void* destination, int value, std::size_t bytes, cudaStream_t stream) {
    return set_memory("cudaMemsetAsync", destination, value, bytes, stream, true);
}
