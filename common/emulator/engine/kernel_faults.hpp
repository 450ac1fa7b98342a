// SPDX-License-Identifier: MIT
// Turns faults of the processor in a kernel, and the end of a block's time limit, into CUDA errors
// that name the kernel, block and thread.
#pragma once

namespace emulator {

// Once for the process, before the first kernel runs.
void install_kernel_fault_handlers();

// For functions of libraries that a kernel calls, when they have released their locks: ends the
// block if its time was up while it was in one.
void end_block_if_overdue();

}  // namespace emulator
