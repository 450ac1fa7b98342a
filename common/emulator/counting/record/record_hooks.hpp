// SPDX-License-Identifier: MIT
// What recording needs to know from the checks and the counters. attach() sets the functions. They
// are called rarely, because recording keeps the answers.
#pragma once

#include <cstdint>

#include "common/emulator/counting/record/request.hpp"

namespace emulator::counting {

// The addresses of one owner: an allocation, a __shared__ variable, a block's dynamic shared
// memory, or a read-only section of the executable.
struct Range {
    std::uintptr_t begin = 1;
    std::uintptr_t bytes = 0;
    Space space = Space::global;
    // A thread's own stack, or kernel parameters: on the hardware an access is no memory request.
    bool ignored = false;

    // Whether the whole access lies in the range.
    bool holds(std::uintptr_t address, unsigned size) const {
        return address - begin < bytes && size <= bytes - (address - begin);
    }
};

struct RecordHooks {
    // A thread has entered a function that the launch calls, as the first thread of its block.
    // `code` is an address in that function. Returns false if the function is not the kernel but
    // copies an argument.
    bool (*name_kernel)(const void* code) = nullptr;
    // The range that holds an access of the running CUDA thread. If there is none, the finding is
    // reported, the kernel ends, and this call does not return. `code` is the return address of the
    // instruction's call-back.
    Range (*locate)(std::uintptr_t address, unsigned size, Operation operation,
                    const void* code) = nullptr;
    // The running CUDA thread accesses `size` bytes at an address that is no multiple of them. If a
    // GPU stops there, the finding is reported, the kernel ends, and this call does not return.
    void (*check_misaligned)(std::uintptr_t address, unsigned size, Operation operation,
                             const void* code) = nullptr;
    // The running CUDA thread uses a local variable of another one. The finding is reported, the
    // kernel ends, and this call does not return.
    void (*refuse_local)(unsigned size, Operation operation, const void* code) = nullptr;
    // The host accesses memory for which host_access_matters(), outside of CUDA's API.
    void (*check_host_access)(std::uintptr_t address, std::size_t bytes, Operation operation,
                              const void* code) = nullptr;
    // The same for a function of the C library that copies memory: it reads and writes, but uses no
    // value.
    void (*check_host_copy)(std::uintptr_t destination, std::uintptr_t source, std::size_t bytes,
                            const void* code) = nullptr;
    // The host reads a clock.
    void (*note_clock)() = nullptr;
    // A block that is not recorded has written memory of the arena. Blocks on several workers may
    // call it at the same time.
    void (*note_unrecorded_store)(std::uintptr_t address, std::size_t bytes) = nullptr;
};
extern RecordHooks record_hooks;

// Increases when the ranges that locate() returned become invalid: after an allocation, after a
// free, after a launch with other dynamic shared memory, and when another worker runs the block.
extern std::uint64_t memory_map_version;

// All memory that cudaMalloc() and similar functions return lies in the arena.
extern std::uintptr_t arena_begin;
extern std::uintptr_t arena_bytes;
// One bit per byte of the arena: whether it was written.
extern const unsigned char* arena_written;
inline bool in_arena(std::uintptr_t address) { return address - arena_begin < arena_bytes; }
// Around all memory of the host that holds copies of unwritten device memory; 0 bytes: none does.
extern std::uintptr_t doubtful_begin;
extern std::uintptr_t doubtful_bytes;
// Whether any of the bytes lies there, or in the arena.
inline bool host_access_matters(std::uintptr_t address, std::size_t bytes) {
    return in_arena(address) || address + bytes - 1 - doubtful_begin < doubtful_bytes + bytes - 1;
}

}  // namespace emulator::counting
