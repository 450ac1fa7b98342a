// SPDX-License-Identifier: MIT
// What lies at an address that a kernel uses, and whether it may.
#pragma once

#include <cstdint>
#include <string>

#include "common/emulator/counting/places.hpp"
#include "common/emulator/counting/request.hpp"

namespace emulator::counting {

// Addresses of one owner: an allocation, a __shared__ variable, a block's dynamic shared memory, a
// read-only section of the executable.
struct Range {
    std::uintptr_t begin = 1;
    std::uintptr_t bytes = 0;
    Space space = Space::global;
    bool ignored = false;  // a thread's own stack, kernel parameters: no request of the hardware's

    // Whether an access lies in it as a whole.
    bool holds(std::uintptr_t address, unsigned size) const {
        return address - begin < bytes && size <= bytes - (address - begin);
    }
};

// The range that holds the access of the running CUDA thread. Where there is none (out of bounds,
// freed, a host pointer), the finding is reported and the kernel ended: then it does not return.
// Cold: the caller keeps the ranges that it was given until memory_map_version() changes.
// `code` is the return address of the instruction's call-back.
Range locate(std::uintptr_t address, unsigned size, Operation operation, const void* code);

// The range that holds the address for the block that the worker runs; of 0 bytes where there is
// none.
Range find_range(const Worker& worker, std::uintptr_t address);
// Reports an access that lies in no range, or not as a whole.
void report_outside(Worker& worker, int thread, std::uintptr_t address, unsigned size,
                    Operation operation, SourceLine line);
// "s_tile[3]", or "byte 12 of the dynamic shared memory".
std::string describe_shared(const Worker& worker, std::uintptr_t address);

// A block starts: other shared memory may be in use than before.
void enter_block(const Worker& worker);

// Counts allocations, frees and launches with other dynamic shared memory, or on another worker:
// ranges given before a change are void.
extern std::uint64_t memory_map_version;

// A host access of instrumented code: reports device memory, and memory that queued work has still
// to write (missing synchronisation) or read. The caller has checked that the address may matter:
// host_access_matters() is cheap and inline.
void check_host_access(std::uintptr_t address, unsigned size, Operation operation,
                       const void* code);
extern std::uintptr_t arena_begin;  // all that cudaMalloc and its kin give lies in the arena
extern std::uintptr_t arena_bytes;
inline bool host_access_matters(std::uintptr_t address) {
    return address - arena_begin < arena_bytes;
}

}  // namespace emulator::counting
