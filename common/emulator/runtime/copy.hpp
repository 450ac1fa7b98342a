// SPDX-License-Identifier: MIT
// Copies and sets: checks where their ends lie and whether they are allowed, and queues the work in
// a stream. `function` is the caller's name, for messages.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace emulator {

// Where one end of a copy lies.
enum class Place { pageable, pinned, device, managed, invalid };

// `role` names the end in messages: "source".
Place place_of(const char* function, const char* role, const void* pointer, std::size_t bytes);

// Rows of bytes.
struct Copy {
    char* destination;
    const char* source;
    std::size_t destination_pitch;
    std::size_t source_pitch;
    std::size_t width;
    std::size_t height;

    std::size_t destination_bytes() const { return (height - 1) * destination_pitch + width; }
    std::size_t source_bytes() const { return (height - 1) * source_pitch + width; }
};

Copy linear_copy(void* destination, const void* source, std::size_t bytes);

cudaError_t copy_memory(const char* function, const Copy& copy, cudaMemcpyKind kind,
                        cudaStream_t stream, bool asynchronous);

// `to_symbol`: whether the symbol is the destination.
cudaError_t copy_symbol(const char* function, Symbol symbol, std::size_t offset, void* destination,
                        const void* source, std::size_t bytes, cudaMemcpyKind kind,
                        cudaStream_t stream, bool asynchronous, bool to_symbol);

cudaError_t set_memory(const char* function, void* destination, int value, std::size_t bytes,
                       cudaStream_t stream);

}  // namespace emulator
