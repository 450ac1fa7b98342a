// SPDX-License-Identifier: MIT
// Faults of the processor in a kernel, and a block's time limit, become CUDA errors that name the
// kernel, block and thread.
#pragma once

namespace emulator {

// Once for the process, before the first kernel runs.
void install_kernel_fault_handlers();

}  // namespace emulator
