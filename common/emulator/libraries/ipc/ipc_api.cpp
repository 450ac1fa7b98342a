// SPDX-License-Identifier: MIT
// Memory and events of several processes: "Interprocess Communication" in the CUDA C++ Programming
// Guide. The processes may be of any program that uses the engine, and of the same user.
#include <cuda_runtime.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <utility>

#include "common/emulator/device/host_hooks.hpp"
#include "common/emulator/device/memory.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/process/pages.hpp"
#include "common/emulator/runtime/api_call.hpp"
#include "common/emulator/runtime/event.hpp"

namespace emulator {
namespace {

// What a handle holds.
struct Offer {
    std::uint64_t kind = 0;
    SharedPages pages;
    std::uint64_t bytes = 0;
};
constexpr std::uint64_t kMemory = 0x6d656d2d75706320;
constexpr std::uint64_t kEvent = 0x6576742d75706320;

template <class Handle>
void write_offer(Handle& handle, const Offer& offer) {
    static_assert(sizeof offer <= sizeof handle.reserved);
    std::memset(&handle, 0, sizeof handle);
    std::memcpy(handle.reserved, &offer, sizeof offer);
}

template <class Handle>
bool read_offer(const char* function, const Handle& handle, std::uint64_t kind, Offer& offer) {
    std::memcpy(&offer, handle.reserved, sizeof offer);
    if (offer.kind != kind) {
        explain("%s: this is no handle of the CPU engine", function);
        return false;
    }
    return true;
}

// Memory of other processes that is open here, and how often.
struct Opened {
    void* pointer = nullptr;
    int count = 0;
};
using Place = std::pair<std::int32_t, std::int32_t>;  // process and file
std::map<Place, Opened>& opened() {
    static auto* all = new std::map<Place, Opened>;  // never destroyed, like the memory
    return *all;
}

// Other processes write it: to the observer it is written.
void note_foreign_writes(const void* begin, std::size_t bytes) {
    if (host_hooks.memory_written != nullptr) host_hooks.memory_written(begin, bytes, nullptr);
}

std::shared_ptr<SharedRecords> records_at(char* pages) {
    return {reinterpret_cast<SharedRecords*>(pages),
            [](SharedRecords* records) { ::munmap(static_cast<void*>(records), kPageBytes); }};
}

}  // namespace
}  // namespace emulator

using namespace emulator;

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* pointer) {
    return host_call("cudaIpcGetMemHandle", [&] {
        Allocation allocation;
        if (handle == nullptr || !find_allocation(pointer, allocation) ||
            allocation.kind != MemoryKind::device || allocation.access != nullptr) {
            explain("cudaIpcGetMemHandle: only memory from cudaMalloc() can be shared");
            return cudaErrorInvalidValue;
        }
        Offer offer{kMemory, {}, allocation.bytes};
        if (!share_memory(allocation, offer.pages)) {
            explain("cudaIpcGetMemHandle: the system gives no memory that can be shared");
            return cudaErrorMemoryAllocation;
        }
        note_foreign_writes(allocation.begin, allocation.bytes);
        write_offer(*handle, offer);
        return cudaSuccess;
    });
}

cudaError_t cudaIpcOpenMemHandle(void** pointer, cudaIpcMemHandle_t handle, unsigned flags) {
    return host_call("cudaIpcOpenMemHandle", [&] {
        Offer offer;
        if (pointer == nullptr || (flags & ~unsigned{cudaIpcMemLazyEnablePeerAccess}) != 0 ||
            !read_offer("cudaIpcOpenMemHandle", handle, kMemory, offer)) {
            return cudaErrorInvalidValue;
        }
        if (offer.pages.process == ::getpid()) {
            explain("cudaIpcOpenMemHandle: the memory is this process' own: use its pointer");
            return cudaErrorDeviceUninitialized;
        }
        Opened& entry = opened()[{offer.pages.process, offer.pages.file}];
        if (entry.count == 0) {
            const cudaError_t error = open_shared_memory(offer.pages, offer.bytes, &entry.pointer);
            if (error != cudaSuccess) {
                explain("cudaIpcOpenMemHandle: the memory does not exist any more");
                return error;
            }
            note_foreign_writes(entry.pointer, offer.bytes);
        }
        ++entry.count;
        *pointer = entry.pointer;
        return cudaSuccess;
    });
}

cudaError_t cudaIpcCloseMemHandle(void* pointer) {
    return host_call("cudaIpcCloseMemHandle", [&] {
        for (auto entry = opened().begin(); entry != opened().end(); ++entry) {
            if (entry->second.count == 0 || entry->second.pointer != pointer) continue;
            if (--entry->second.count > 0) return cudaSuccess;
            // As cudaFree() does: what is queued may still use it.
            const cudaError_t error = run_everything();
            remove_memory(pointer);
            opened().erase(entry);
            return error;
        }
        return cudaErrorInvalidValue;
    });
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event_handle) {
    return host_call("cudaIpcGetEventHandle", [&] {
        const auto event = find_event(event_handle);
        if (event == nullptr) return cudaErrorInvalidResourceHandle;
        if (handle == nullptr || (event->flags & cudaEventInterprocess) == 0) {
            explain("cudaIpcGetEventHandle: the event needs the flag cudaEventInterprocess");
            return cudaErrorInvalidValue;
        }
        if (event->shared == nullptr) {
            char* const pages = make_shared_pages(kPageBytes, event->pages);
            if (pages == nullptr) return cudaErrorMemoryAllocation;
            event->shared = records_at(pages);
            if (event->recorded) {
                const cudaError_t error =
                    run_until(*event->progress.stream, event->progress.sequence);
                if (error != cudaSuccess) return error;
            }
        }
        if (event->pages.file < 0) return cudaErrorInvalidResourceHandle;  // it was opened here
        write_offer(*handle, {kEvent, event->pages, 0});
        return cudaSuccess;
    });
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* event, cudaIpcEventHandle_t handle) {
    return host_call("cudaIpcOpenEventHandle", [&] {
        Offer offer;
        if (event == nullptr || !read_offer("cudaIpcOpenEventHandle", handle, kEvent, offer)) {
            return cudaErrorInvalidValue;
        }
        char* const pages = open_shared_pages(offer.pages, nullptr);
        if (pages == nullptr) {
            explain("cudaIpcOpenEventHandle: the event does not exist any more");
            return cudaErrorMapBufferObjectFailed;
        }
        const auto made = make_event(cudaEventInterprocess | cudaEventDisableTiming);
        made->shared = records_at(pages);
        *event = made.get();
        return cudaSuccess;
    });
}
