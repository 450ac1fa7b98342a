// SPDX-License-Identifier: MIT
// Faults of the processor in a kernel become CUDA errors that name the kernel, block and thread.
#pragma once

namespace emulator {

// Handles SIGSEGV, SIGBUS, SIGFPE and SIGILL of kernel threads, once for the process; those of host
// code take the course that they had before.
void install_fault_handler();

// A kernel that has overrun its stack has none left for the handler: each worker has another one.
void* install_signal_stack();
void remove_signal_stack(void* stack);

}  // namespace emulator
