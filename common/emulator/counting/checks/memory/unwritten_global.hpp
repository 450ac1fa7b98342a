// SPDX-License-Identifier: MIT
// Global memory that a kernel reads before anybody wrote it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "common/emulator/counting/record/request.hpp"

namespace emulator::counting {

// The arena of cudaMalloc(). Returns its bits (record/written_bits.hpp).
const unsigned char* cover_written(std::uintptr_t begin, std::size_t bytes);
// The memory was freed.
void forget_written(std::uintptr_t begin, std::size_t bytes);
// The host wrote the bytes, or copied them from `source` if that is not 0. Unwritten bytes of the
// source stay unwritten.
void note_written(std::uintptr_t begin, std::size_t bytes, std::uintptr_t source);

// Whether all bytes are written, as those outside of the arena are.
bool all_are_written(std::uintptr_t begin, std::size_t bytes);
// Calls `tell` with each stretch of unwritten bytes, as long as it is.
void for_unwritten(std::uintptr_t begin, std::size_t bytes,
                   const std::function<void(std::uintptr_t begin, std::size_t bytes)>& tell);

// A kernel wrote the bytes, in a block that is not recorded. Several OS threads may call it at the
// same time.
void note_unrecorded_store(std::uintptr_t begin, std::size_t bytes);

// A kernel's request of global memory: reports the first unwritten read of each place.
void check_written(Worker& worker, int warp, const Request& request);

}  // namespace emulator::counting
