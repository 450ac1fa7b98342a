// SPDX-License-Identifier: MIT
// Copies and sets of streams, and kernels of other streams that use the same memory.
#pragma once

#include "common/emulator/counting/record/request.hpp"

namespace emulator::counting {

// The running task is a copy: checks it against all tasks that are unordered with it.
void check_copy();
// A kernel's request, against the copies that are unordered with the kernel.
void check_against_copies(Worker& worker, int warp, const Request& request);

}  // namespace emulator::counting
