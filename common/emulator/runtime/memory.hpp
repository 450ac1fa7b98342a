// SPDX-License-Identifier: MIT
// Device, managed and pinned memory: one table of allocations, each on pages of its own.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace emulator {

enum class MemoryKind { device, managed, pinned, registered, symbol };

struct Allocation {
    std::uint64_t id;  // counts allocations from 1 in the order in which they were made
    MemoryKind kind;
    char* begin;
    std::size_t bytes;
};

// What unwritten memory holds: a NaN as float and as double, and a large number as an integer, so
// that a result that depends on it is seen to be wrong.
constexpr std::uint32_t kPoison = 0x7ffdcdcd;
void fill_poison(void* memory, std::size_t bytes);

// The allocation that holds the address. False when there is none.
bool find_allocation(const void* address, Allocation& allocation);

// Where an address lies, for an error message: "4 bytes behind allocation 3, of 1024 bytes".
std::string describe_address(const void* address);

// The addresses that all allocations lie in, now and later; nullptr where the system has none.
struct MemoryArena {
    char* begin;
    std::size_t bytes;
};
MemoryArena memory_arena();

// Gives back everything, as cudaDeviceReset() does.
void free_all_memory();

}  // namespace emulator
