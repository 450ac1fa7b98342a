// SPDX-License-Identifier: MIT
// Copies and sets of streams, and kernels of other streams that use the same memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/emulator/counting/record/request.hpp"
#include "common/emulator/counting/record/source_lines.hpp"

namespace emulator::counting {

// A kernel uses memory that was freed in the order of another stream, and nothing orders the two:
// the race is reported.
bool report_unordered_release(Worker& worker, int thread, std::uintptr_t address,
                              Operation operation, const SourceLine& line);
// The running task is a copy: checks it against all tasks that are unordered with it.
void check_copy();
// A function of the host runs in a stream or a graph. What it uses is checked at its end, as if it
// were copies.
void begin_host_function();
void note_host_function_access(std::uintptr_t address, std::size_t bytes, bool writes,
                               const void* code);
void end_host_function();
// A kernel's request, against the copies that are unordered with the kernel.
void check_against_copies(Worker& worker, int warp, const Request& request);

}  // namespace emulator::counting
