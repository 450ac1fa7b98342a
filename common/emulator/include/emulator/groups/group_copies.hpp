// SPDX-License-Identifier: MIT
// The copy of a group of threads into shared memory, as cooperative_groups::memcpy_async and
// cuda::memcpy_async make it: each thread copies every size()-th piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <emulator/async/async_copies.hpp>
#include <emulator/qualifiers.hpp>
#include <emulator/thread.hpp>

namespace emulator {

// The calling thread as a group.
struct SingleThread {
    static void sync() {}
    static constexpr unsigned int size() { return 1; }
    static constexpr unsigned int thread_rank() { return 0; }
};

template <class Piece, class Group>
__forceinline__ void copy_plainly(const Group& group, char* destination, const char* source,
                                  std::size_t bytes) {
    auto* const to = reinterpret_cast<Piece*>(destination);
    const auto* const from = reinterpret_cast<const Piece*>(source);
    const std::size_t threads = group.size();
    for (std::size_t i = group.thread_rank(); i < bytes / sizeof(Piece); i += threads) {
        to[i] = from[i];
    }
}

// Whether cp.async can copy: from global to shared memory.
__forceinline__ bool can_copy_async(const void* destination, const void* source) {
    return is_in_shared_memory(destination) && !is_in_shared_memory(source);
}

// Pieces of kPiece bytes (4, 8 or 16); the caller has called can_copy_async().
template <unsigned kPiece, class Group>
__forceinline__ void copy_pieces_async(const Group& group, char* destination, const char* source,
                                       std::size_t bytes) {
    const std::size_t stride = std::size_t{kPiece} * group.size();
    for (std::size_t i = std::size_t{kPiece} * group.thread_rank(); i + kPiece <= bytes;
         i += stride) {
        copy_async(destination + i, source + i, kPiece, 0);
    }
}

}  // namespace emulator
