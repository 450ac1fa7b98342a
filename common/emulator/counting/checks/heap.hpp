// SPDX-License-Identifier: MIT
// The device heap: what is freed wrongly, and what is never freed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/emulator/device/arena.hpp"
#include "common/emulator/engine/worker.hpp"

namespace emulator::counting {

// Hooks::heap_allocated, heap_freed and wrong_free, with the calls that lead to `code` (paths.hpp).
void note_heap_allocation(const Worker& worker, const Allocation& allocation, const void* code,
                          std::uint16_t path);
void note_heap_free(const Allocation& allocation);
void report_wrong_free(Worker& worker, bool twice, const std::string& what, const void* code,
                       std::uint16_t path);

// HostHooks::heap_pages_released. Accesses that were recorded may still have to be checked: the
// pages are forgotten at the end of the block.
void note_released_heap(const void* begin, std::size_t bytes);
void forget_released_heap();

// At the end of the program.
void warn_of_leaks();

}  // namespace emulator::counting
