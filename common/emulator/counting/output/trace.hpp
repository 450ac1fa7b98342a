// SPDX-License-Identifier: MIT
// Every access of every lane as one row of CSV, in the order of the replay.
#pragma once

#include <string>

#include "common/emulator/counting/record/request.hpp"
#include "common/emulator/engine/worker.hpp"

namespace emulator::counting {

extern bool tracing;

// start_trace() and finish_trace() end the program if the file cannot be written.
void start_trace(const std::string& path);
void begin_block_trace();
// After a barrier of the block.
void next_trace_step();
void trace_request(Worker& worker, int warp, const Request& request);
void finish_trace();

}  // namespace emulator::counting
