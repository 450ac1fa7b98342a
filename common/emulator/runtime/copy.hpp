// SPDX-License-Identifier: MIT
// Copies and sets: checks where their ends lie and whether they are allowed, and queues the work in
// a stream. `function` is the caller's name, for messages.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "common/emulator/runtime/work.hpp"

namespace emulator {

// `role` names the end in messages: "source".
Place place_of(const char* function, const char* role, const void* pointer, std::size_t bytes);

// Whether a copy of this kind may go from one place to the other.
cudaError_t check_direction(const char* function, cudaMemcpyKind kind, Place destination,
                            Place source);

Copy linear_copy(void* destination, const void* source, std::size_t bytes);

cudaError_t copy_memory(const char* function, const Copy& copy, cudaMemcpyKind kind,
                        cudaStream_t stream, bool asynchronous);

// `to_symbol`: whether the symbol is the destination.
cudaError_t copy_symbol(const char* function, Symbol symbol, std::size_t offset, void* destination,
                        const void* source, std::size_t bytes, cudaMemcpyKind kind,
                        cudaStream_t stream, bool asynchronous, bool to_symbol);

cudaError_t set_memory(const char* function, void* destination, int value, std::size_t bytes,
                       cudaStream_t stream, bool asynchronous);

}  // namespace emulator
