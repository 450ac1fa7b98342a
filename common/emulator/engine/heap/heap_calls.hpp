// SPDX-License-Identifier: MIT
// What programs call to allocate memory and to free it. In device code that is the device heap, in
// host code the C library's.
#pragma once

#include <cstddef>

namespace emulator {

// For the running CUDA thread. `code`: the return address of the program's call, for messages.
// nullptr: the heap is full.
void* allocate_in_kernel(std::size_t bytes, const void* code);
// `function` is for the message. Ends the kernel with an error if the heap did not return the
// pointer, or if it was freed before.
void free_in_kernel(void* pointer, const char* function, const void* code);

// The host passes memory of the device heap to this function, which cannot free it or use it.
void refuse_heap_pointer(const char* function, const void* pointer, bool frees);

}  // namespace emulator
