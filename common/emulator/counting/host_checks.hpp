// SPDX-License-Identifier: MIT
// What the host does with memory while queued work is still to use it.
#pragma once

#include "common/emulator/counting/request.hpp"

namespace emulator::counting {

// Set while there are words that the host touched before a queued kernel has run.
extern bool host_touched_words;

// A kernel runs after all, and writes what the host has read before, or reads what it has written.
void check_kernel_against_host(Worker& worker, int warp, const Request& request);

}  // namespace emulator::counting
