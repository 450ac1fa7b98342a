// SPDX-License-Identifier: MIT
// Device, managed and pinned memory: one table of allocations, each on pages of its own.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

#include "common/emulator/device/arena.hpp"

namespace emulator {

// New memory, poisoned if it is not large. 0 bytes: a null pointer.
cudaError_t allocate_memory(MemoryKind kind, std::size_t bytes, void** pointer);
// Memory that the program has already: registered pages and __device__ variables.
void add_memory(MemoryKind kind, const void* begin, std::size_t bytes);
// Takes the allocation that begins there out of the table.
void remove_memory(void* begin);

// The allocation that holds the address. False when there is none.
bool find_allocation(const void* address, Allocation& allocation);

// Whether the address is in the allocations' range but in none of them: it was freed, or lies past
// an end.
bool is_stray_address(const void* address);

// Where an address lies, for an error message: "4 bytes past the end of allocation 3 (1024 bytes)".
std::string describe_address(const void* address);

// Set where a library computes on the host in place of the device (emulator/host_library.hpp).
inline bool host_uses_device_memory = false;

// What can still be allocated.
std::size_t free_memory_bytes(MemoryKind kind);

// Gives back everything, as cudaDeviceReset() does.
void free_all_memory();

}  // namespace emulator
