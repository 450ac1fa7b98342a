// SPDX-License-Identifier: MIT
// The device heap: what kernels allocate with new, malloc() and cudaMalloc(). It is a part of the
// arena with a table of its own (CUDA C++ Programming Guide, "Dynamic Global Memory Allocation").
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/emulator/device/arena.hpp"

namespace emulator {

// nullptr if the heap, as large as cudaLimitMallocHeapSize says, has no room. The address is a
// multiple of 16. 0 bytes are an allocation, too, as on an H200.
void* allocate_on_heap(std::size_t bytes, Allocation& allocation);

enum class HeapFree {
    done,
    freed_before,
    not_begin,  // an address in the heap that no allocation returned
    not_heap,
};
// `allocation`: what was freed, now or before.
HeapFree free_on_heap(void* pointer, Allocation& allocation);

bool is_heap_address(const void* address);
// As find_allocation() and describe_address(), for an address of the heap.
bool find_heap_allocation(const void* address, Allocation& allocation);
std::string describe_heap_address(const void* address);

// By address.
std::vector<Allocation> heap_allocations();
// Whether device code has allocated: then the heap's size is fixed.
bool heap_is_used();
// Whether an allocation has failed.
bool heap_was_full();
void clear_heap();

}  // namespace emulator
