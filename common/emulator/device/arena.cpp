// SPDX-License-Identifier: MIT
#include "common/emulator/device/arena.hpp"

#include <sys/mman.h>

namespace emulator {
namespace {

constexpr std::size_t kArenaBytes = std::size_t{1} << 40;
constexpr std::size_t kHeapBytes = kArenaBytes / 4;

char* reserve() {
    void* memory = ::mmap(nullptr, kArenaMargin + kArenaBytes, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<char*>(memory) + kArenaMargin;
}

}  // namespace

std::size_t round_up(std::size_t value, std::size_t unit) {
    return (value + unit - 1) / unit * unit;
}

MemoryArena memory_arena() {
    static char* const begin = reserve();
    return {begin, begin == nullptr ? 0 : kArenaBytes};
}

MemoryArena host_arena() {
    const MemoryArena all = memory_arena();
    return all.begin == nullptr ? all : MemoryArena{all.begin, kArenaBytes - kHeapBytes};
}

MemoryArena heap_arena() {
    const MemoryArena all = memory_arena();
    if (all.begin == nullptr) return all;
    return {all.begin + kArenaBytes - kHeapBytes, kHeapBytes};
}

}  // namespace emulator
