// SPDX-License-Identifier: MIT
// Host memory that holds copies of device memory which nobody wrote. The copy alone is no mistake:
// it may take the gaps of structs and the ends of rows with it. To use such a value is one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "common/emulator/counting/record/request.hpp"
#include "common/emulator/counting/record/source_lines.hpp"

namespace emulator::counting {

// A copy from device memory to the host has run; `copied_at` finds the line of the call.
void note_copied_back(std::uintptr_t destination, std::uintptr_t source, std::size_t bytes,
                      const std::function<SourceLine()>& copied_at);
// The host accesses memory that may hold such copies (record_hooks.hpp). Each allocation is
// reported once, and none after an error, of which it may be a consequence. `waits`: kernels are
// queued. If the copy should have waited for them, that is found when they run.
void check_copied_back(std::uintptr_t address, std::size_t bytes, Operation operation, bool waits);
// At the end of the program, after all other reports.
void report_waiting_copies();
// A function of the C library copies memory of the host: that uses no value.
void move_copied_back(std::uintptr_t destination, std::uintptr_t source, std::size_t bytes);

}  // namespace emulator::counting
