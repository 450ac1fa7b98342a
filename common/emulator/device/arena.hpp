// SPDX-License-Identifier: MIT
// The addresses in which all memory of the device lies, and what an allocation is.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace emulator {

enum class MemoryKind { device, managed, pinned, registered, symbol, heap };

struct Allocation {
    std::uint64_t id;  // counts allocations from 1 in their order, those of the heap separately
    MemoryKind kind;
    char* begin;
    std::size_t bytes;
    int device = 0;  // that owns it; pinned and managed memory has the device of its allocation
    // Of a pool's memory: one bit for each device that may use it. nullptr: peer access decides.
    const std::atomic<std::uint32_t>* access = nullptr;
};

std::size_t round_up(std::size_t value, std::size_t unit);

// Before the arena lie so many bytes that belong to nobody: an index that overflows 32 bits leads
// there, and not to memory of the host.
constexpr std::size_t kArenaMargin = std::size_t{1} << 36;

// Address space only, reserved at the first call; nullptr where the system has none.
struct MemoryArena {
    char* begin;
    std::size_t bytes;
};
// All of it, the part for allocations by the host, and that for the device heap.
MemoryArena memory_arena();
MemoryArena host_arena();
MemoryArena heap_arena();

}  // namespace emulator
