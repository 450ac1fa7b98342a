// SPDX-License-Identifier: MIT
// Every access of every lane as one row of CSV, in the order of the replay; and every exchange of
// values between the lanes of a warp, with the value that a lane gave and the lane that it took one
// from.
#pragma once

#include <string>

#include "common/emulator/counting/record/request.hpp"
#include "common/emulator/engine/worker.hpp"

namespace emulator::counting {

extern bool tracing;

// All end the program if the file cannot be written. The trace appears when it is finished.
void start_trace(const std::string& path);
// Writes only rows of these spaces: names with commas between them; "warp" are the exchanges.
// False: there is no such space.
bool choose_traced_spaces(const std::string& names);
void begin_block_trace();
// The running thread is about to call a warp function, by this path of calls.
void note_exchange(const void* code, std::uint16_t path);
// After a barrier of the block.
void next_trace_step();
void trace_request(Worker& worker, int warp, const Request& request);
void finish_trace();

}  // namespace emulator::counting
