// SPDX-License-Identifier: MIT
// Every access of every lane as a row of CSV, in the order of the replay.
#pragma once

#include <string>

#include "common/emulator/counting/request.hpp"
#include "common/emulator/engine/worker.hpp"

namespace emulator::counting {

extern bool tracing;

// Ends the program where the file cannot be written, as finish_trace() does.
void start_trace(const std::string& path);
void begin_block_trace();
// After a barrier of the block.
void next_trace_step();
void trace_request(Worker& worker, int warp, const Request& request);
void finish_trace();

}  // namespace emulator::counting
