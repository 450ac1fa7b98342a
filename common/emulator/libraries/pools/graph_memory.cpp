// SPDX-License-Identifier: MIT
#include "common/emulator/libraries/pools/graph_memory.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "common/emulator/device/devices.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/runtime/api_call.hpp"
#include "common/emulator/runtime/capture.hpp"
#include "common/emulator/runtime/library_hooks.hpp"

namespace emulator {
namespace {

struct GraphMemory {
    std::size_t bytes = 0;
    bool is_allocated = false;  // after all launches that are queued
};

struct GraphMemories {
    std::unordered_map<const void*, GraphMemory> all;
    // By device, with the counters that cudaDeviceGetGraphMemAttribute() tells.
    std::array<CUmemPoolHandle_st*, kMaxDevices> pools{};
};

GraphMemories& graph_memories() {
    static auto* memory = new GraphMemories;
    return *memory;
}

CUmemPoolHandle_st& pool_of_graphs(int device) {
    CUmemPoolHandle_st*& pool = graph_memories().pools[device];
    if (pool == nullptr) {
        pool = &make_pool(device);
        pool->is_default = true;  // the program cannot destroy it
        pool->threshold = ~std::uint64_t{0};  // until cudaDeviceGraphMemTrim()
    }
    return *pool;
}

// As cudaFree() does.
cudaError_t begin_free(void* pointer) {
    if (!is_graph_memory(pointer)) return cudaSuccess;
    const cudaError_t error = note_release_of_memory(pointer);
    return error == cudaSuccess ? run_everything() : error;
}
[[maybe_unused]] const bool graphs_attached = (library_hooks.free_begins = begin_free, true);

}  // namespace

std::unique_ptr<Task> AllocationWork::make_task(int) const {
    QueuedWork work = describe(WorkKind::allocation);
    work.written = {parameters.dptr, parameters.bytesize, parameters.bytesize, 1};
    const int device = parameters.poolProps.location.id;
    return make_task_of([device, address = parameters.dptr, bytes = parameters.bytesize,
                         pending = PendingWork(work)] {
        pending.begin();
        CUmemPoolHandle_st& pool = pool_of_graphs(device);
        void* pointer = nullptr;
        if (allocate_memory({device, &pool.access, address}, bytes, &pointer) == cudaSuccess) {
            pool.take(bytes);
            return;
        }
        explain("a graph's allocation of %zu bytes failed", bytes);
        set_sticky_error(cudaErrorMemoryAllocation);
    });
}

cudaError_t make_allocation(cudaMemAllocNodeParams& parameters,
                            std::shared_ptr<AllocationWork>& work) {
    const cudaMemPoolProps& properties = parameters.poolProps;
    if (properties.allocType != cudaMemAllocationTypePinned ||
        properties.location.type != cudaMemLocationTypeDevice || parameters.bytesize == 0 ||
        !is_device_number(properties.location.id)) {
        return cudaErrorInvalidValue;
    }
    const OnDevice device(properties.location.id);
    const cudaError_t error = reserve_addresses(parameters.bytesize, &parameters.dptr);
    if (error != cudaSuccess) return error;
    work = std::make_shared<AllocationWork>();
    work->parameters = parameters;
    for (std::size_t i = 0; i < parameters.accessDescCount; ++i) {
        const cudaMemAccessDesc& one = parameters.accessDescs[i];
        work->access.push_back(one);
        if (one.location.type == cudaMemLocationTypeDevice && is_device_number(one.location.id)) {
            pool_of_graphs(properties.location.id).access |= 1u << one.location.id;
        }
    }
    work->parameters.accessDescs = work->access.data();
    graph_memories().all[parameters.dptr] = {parameters.bytesize};
    work->addresses = std::shared_ptr<void>(parameters.dptr, [](void* address) {
        give_back_addresses(address);
        const auto found = graph_memories().all.find(address);
        if (found != graph_memories().all.end() && !found->second.is_allocated) {
            graph_memories().all.erase(found);
        }
    });
    return cudaSuccess;
}

cudaError_t capture_allocation(Stream& stream, const CUmemPoolHandle_st& pool, std::size_t bytes,
                               void** pointer) {
    cudaMemAllocNodeParams parameters{};
    parameters.poolProps.allocType = cudaMemAllocationTypePinned;
    parameters.poolProps.location = {cudaMemLocationTypeDevice, pool.device};
    parameters.bytesize = bytes;
    std::shared_ptr<AllocationWork> work;
    const cudaError_t error = make_allocation(parameters, work);
    if (error != cudaSuccess) return error;
    *pointer = parameters.dptr;
    return capture_work(stream, work);
}

bool is_graph_memory(const void* pointer) { return graph_memories().all.contains(pointer); }

cudaError_t note_release_of_memory(void* pointer) {
    const auto found = graph_memories().all.find(pointer);
    if (found == graph_memories().all.end() || !found->second.is_allocated) {
        explain("%p is a graph's memory, which no launch has allocated, or which was freed",
                pointer);
        return cudaErrorInvalidValue;
    }
    found->second.is_allocated = false;
    return cudaSuccess;
}

void ReleaseWork::note_launch_frees() const {
    const auto found = graph_memories().all.find(pointer);
    if (found != graph_memories().all.end()) found->second.is_allocated = false;
}

bool AllocationWork::has_left_memory() const {
    return graph_memories().all.at(parameters.dptr).is_allocated;
}

void AllocationWork::note_launch_allocates() const {
    graph_memories().all.at(parameters.dptr).is_allocated = true;
}

void AllocationWork::free_left_memory() const {
    Allocation left;
    if (!find_allocation(parameters.dptr, left)) return;
    note_pool_release(left);
    remove_memory(parameters.dptr);
}

}  // namespace emulator

using namespace emulator;

cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
    return host_call("cudaDeviceGetGraphMemAttribute", [&] {
        if (!is_device_number(device)) return cudaErrorInvalidDevice;
        if (value == nullptr || attribute < cudaGraphMemAttrUsedMemCurrent ||
            attribute > cudaGraphMemAttrReservedMemHigh) {
            return cudaErrorInvalidValue;
        }
        const CUmemPoolHandle_st& pool = pool_of_graphs(device);
        // In units of what is reserved (measured on an H200).
        const std::uint64_t numbers[] = {round_up(pool.used, kReservedUnit),
                                         round_up(pool.used_high, kReservedUnit), pool.reserved,
                                         pool.reserved_high};
        std::memcpy(value, &numbers[attribute], sizeof numbers[0]);
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
    return host_call("cudaDeviceSetGraphMemAttribute", [&] {
        if (!is_device_number(device)) return cudaErrorInvalidDevice;
        std::uint64_t wanted = 1;
        if (value != nullptr) std::memcpy(&wanted, value, sizeof wanted);
        CUmemPoolHandle_st& pool = pool_of_graphs(device);
        if (wanted != 0) return cudaErrorInvalidValue;  // a high mark is only reset
        if (attribute == cudaGraphMemAttrUsedMemHigh) {
            pool.used_high = pool.used;
        } else if (attribute == cudaGraphMemAttrReservedMemHigh) {
            pool.reserved_high = pool.reserved;
        } else {
            return cudaErrorInvalidValue;
        }
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
    return host_call("cudaDeviceGraphMemTrim", [&] {
        if (!is_device_number(device)) return cudaErrorInvalidDevice;
        pool_of_graphs(device).trim(0);
        return cudaSuccess;
    });
}
