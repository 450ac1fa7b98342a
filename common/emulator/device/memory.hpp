// SPDX-License-Identifier: MIT
// Device, managed and pinned memory: one table of allocations, each on pages of its own.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>
#include <string>

#include "common/emulator/device/arena.hpp"
#include "common/emulator/device/shared_pages.hpp"

namespace emulator {

// New memory of the current device, poisoned if it is not large. 0 bytes: a null pointer.
cudaError_t allocate_memory(MemoryKind kind, std::size_t bytes, void** pointer);

// Memory of a pool. With an address it lies there, in addresses that were reserved.
struct PoolMemory {
    int device;
    const std::atomic<std::uint32_t>* access;
    void* address = nullptr;
};
cudaError_t allocate_memory(const PoolMemory& pool, std::size_t bytes, void** pointer);
// Addresses for memory that comes and goes: a graph's allocation has the same ones in each launch.
cudaError_t reserve_addresses(std::size_t bytes, void** pointer);
void give_back_addresses(void* pointer);
// The reserved addresses that hold this one, whether or not memory is there now.
bool find_addresses(const void* address, Allocation& allocation);

// Memory that the program has already: registered pages and __device__ variables.
void add_memory(MemoryKind kind, const void* begin, std::size_t bytes);
// Takes the allocation that begins there out of the table.
void remove_memory(void* begin);

// The allocation that holds the address. False when there is none.
bool find_allocation(const void* address, Allocation& allocation);

// Whether the address is in the allocations' range but in none of them: it was freed, or lies past
// an end.
bool is_stray_address(const void* address);

// Device memory that another process may map: cudaIpcGetMemHandle(). False if the system refuses.
bool share_memory(const Allocation& allocation, SharedPages& shared);
// Maps such memory of another process, as an allocation of the current device.
cudaError_t open_shared_memory(const SharedPages& shared, std::size_t bytes, void** pointer);

// Where an address lies, for an error message: "4 bytes past the end of allocation 3 (1024 bytes)".
std::string describe_address(const void* address);

// Set where a library computes on the host in place of the device (emulator/host_library.hpp).
inline bool host_uses_device_memory = false;

// What this machine can still give, of device memory on the current device.
std::size_t free_memory_bytes(MemoryKind kind);

// As much as this can be allocated on any machine, within what the device has: programs that fit a
// GPU of 8 GB often touch little of their memory.
inline constexpr std::size_t kModestDeviceBytes = std::size_t{8} << 30;
// What the machine can give, if it is not 0.
inline std::size_t machine_memory_for_tests = 0;

// Makes each later access to memory that this device's kernels may not use a fault, until another
// device's turn comes. For kernels whose accesses nobody observes.
using MayUse = bool (*)(int device, const Allocation& allocation);
void hide_memory_from(int device, MayUse may_use);
// The runtime itself is about to use memory that may be hidden.
void show_memory(const void* address);
// Which devices may use which memory has changed.
void note_access_changed();

// Gives back everything that belongs to a device, as cudaDeviceReset() does.
void free_all_memory(int device);

}  // namespace emulator
