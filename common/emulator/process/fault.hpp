// SPDX-License-Identifier: MIT
// The fault signals (SIGSEGV, SIGBUS, SIGFPE, SIGILL, and SIGABRT of abort()), handed to whoever
// asks for them.
#pragma once

namespace emulator {

// Gets the signal and the address that caused it. An access that the processor refuses because of
// its address' alignment is SIGBUS with `is_misaligned`. If a kernel caused the fault, the handler
// leaves by a context switch. If it returns, the previous action for the signal is taken.
using FaultHandler = void (*)(int signal, const void* address, bool is_misaligned);

// Installs the handler, once for the process.
void install_fault_handler(FaultHandler handler);

// A kernel that has overrun its stack has no room left for the handler: each worker has a second
// stack for it.
void* install_signal_stack();
void remove_signal_stack(void* stack);

}  // namespace emulator
