// SPDX-License-Identifier: MIT
// Starts the recording of a block.
#pragma once

#include "common/emulator/engine/worker.hpp"

namespace emulator::counting {

// No lane has events then. `kernel_is_known`: RecordHooks::name_kernel() need not be called.
void start_recording(Worker& worker, bool kernel_is_known);

// Starts a block that is not recorded. Only the name of its kernel may be asked for.
void start_unrecorded(Worker& worker, bool kernel_is_known);

}  // namespace emulator::counting
