// SPDX-License-Identifier: MIT
#include "common/emulator/engine/kernel_faults.hpp"

#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>

#include "common/emulator/device/memory.hpp"
#include "common/emulator/device/peer_access.hpp"
#include "common/emulator/engine/hooks.hpp"
#include "common/emulator/engine/worker.hpp"
#include "common/emulator/process/fault.hpp"
#include "common/emulator/process/time_limit.hpp"

namespace emulator {
namespace {

// Why a kernel cannot use an address that is allocated on another device.
std::string describe_missing_access(const Worker& worker, const void* address) {
    const int device = const_cast<Worker&>(worker).grid().device;
    Allocation allocation;
    if (!find_allocation(address, allocation) || can_reach(device, allocation)) return "";
    return "; " + advice_for_access(device, allocation);
}

std::string describe_access(const Worker& worker, const void* address) {
    char text[64];
    std::snprintf(text, sizeof text, "illegal address %p: ", address);
    if (worker.guards_shared_memory(address)) {
        return std::string(text) + "past the end of the block's " +
               std::to_string(worker.dynamic_shared_bytes()) + " bytes of dynamic shared memory";
    }
    return text + describe_address(address) + describe_missing_access(worker, address);
}

std::string describe_misaligned(const void* address) {
    char text[160];
    std::snprintf(
        text, sizeof text,
        "16 bytes at address %p, which is no multiple of 16: let each float4 and the like "
        "begin at a multiple of 16 bytes",
        address);
    return text;
}

// Ignores a fault of the host. After a kernel's fault it leaves by a context switch instead of
// returning, and the fiber that faulted is given up.
void end_faulting_kernel(int signal, const void* address, bool is_misaligned) {
    const Worker* worker = worker_of_running_block();
    if (worker == nullptr || current_thread == nullptr) return;
    if (signal == SIGFPE) {
        fail_kernel(cudaErrorLaunchFailure,
                    "integer division by zero (a GPU continues with an undefined quotient)");
    }
    if (signal == SIGABRT) {
        fail_kernel(cudaErrorLaunchFailure,
                    "calls abort(), which device code does not have: use assert() or __trap()");
    }
    if (signal == SIGILL) fail_kernel(cudaErrorIllegalInstruction, "illegal instruction or trap");
    if (is_misaligned) {
        fail_kernel(cudaErrorMisalignedAddress, describe_misaligned(address).c_str());
    }
    if (worker->stacks().guards(address)) {
        fail_kernel(cudaErrorIllegalAddress,
                    "stack overflow: local variables or recursion need more than the thread's "
                    "stack: 512 KiB as on a GPU, and cudaLimitStackSize for recursion");
    }
    fail_kernel(cudaErrorIllegalAddress, describe_access(*worker, address).c_str());
}

void end_overdue_block() { fail_kernel(cudaErrorLaunchTimeout, describe_overdue_block().c_str()); }

// Does not interrupt the C library, which may hold a lock: the handler is called again soon.
void end_block_in_time(bool in_program) {
    if (hooks.time_is_up != nullptr && hooks.time_is_up()) return;
    if (current_thread != nullptr && in_program) end_overdue_block();
}

// What the program would do without the engine.
std::terminate_handler terminate_program = nullptr;

void end_if_kernel_throws() {
    if (current_thread == nullptr) return;
    fail_kernel(cudaErrorLaunchFailure,
                "throws an exception, which device code cannot do: use assert() or __trap()");
}

[[noreturn]] void end_throwing_kernel() {
    end_if_kernel_throws();
    terminate_program();
    std::abort();
}

}  // namespace

void install_kernel_fault_handlers() {
    static std::once_flag once;
    std::call_once(once, [] {
        install_fault_handler(end_faulting_kernel);
        install_time_handler(end_block_in_time);
        terminate_program = std::set_terminate(end_throwing_kernel);
    });
}

// With a hook, the handler has told it, and it ends the block itself, with its own report.
void end_block_if_overdue() {
    if (hooks.time_is_up != nullptr) return;
    if (current_thread != nullptr && block_is_overdue()) end_overdue_block();
}

}  // namespace emulator

// The linker replaces a program's calls of these functions by __wrap_…() (--wrap). They would end
// the process in the middle of a kernel, without a word and with a status of the kernel's choice.
#define EMULATOR_EXIT(function)                                                          \
    [[gnu::weak, noreturn]] void __real_##function(int status);                          \
    [[noreturn]] void __wrap_##function(int status) {                                    \
        if (emulator::current_thread != nullptr) {                                       \
            emulator::fail_kernel(cudaErrorLaunchFailure,                                \
                                  "calls " #function                                     \
                                  "(), which device code does not have: return, or use " \
                                  "assert() or __trap()");                               \
        }                                                                                \
        __real_##function(status);                                                       \
    }
extern "C" {
EMULATOR_EXIT(exit)
EMULATOR_EXIT(_exit)
EMULATOR_EXIT(_Exit)
EMULATOR_EXIT(quick_exit)
}
#undef EMULATOR_EXIT

// A block that prints is nearly always in the C library when its time is up. So what prints ends
// it. g++ turns printf() into the other functions.
extern "C" {
int __wrap_vprintf(const char* format, va_list values) {
    const int printed = std::vfprintf(stdout, format, values);
    emulator::end_block_if_overdue();
    return printed;
}
void* __real___cxa_allocate_exception(std::size_t bytes);
void* __wrap___cxa_allocate_exception(std::size_t bytes) {
    emulator::end_if_kernel_throws();
    return __real___cxa_allocate_exception(bytes);
}
int __wrap_printf(const char* format, ...) {
    va_list values;
    va_start(values, format);
    const int printed = std::vfprintf(stdout, format, values);
    va_end(values);
    emulator::end_block_if_overdue();
    return printed;
}
int __wrap___vprintf_chk(int, const char* format, va_list values) {
    return __wrap_vprintf(format, values);
}
int __wrap___printf_chk(int, const char* format, ...) {
    va_list values;
    va_start(values, format);
    const int printed = std::vfprintf(stdout, format, values);
    va_end(values);
    emulator::end_block_if_overdue();
    return printed;
}
int __wrap_puts(const char* line) {
    const int printed = std::fprintf(stdout, "%s\n", line);
    emulator::end_block_if_overdue();
    return printed;
}
int __wrap_putchar(int character) {
    const int printed = std::fputc(character, stdout);
    emulator::end_block_if_overdue();
    return printed;
}
}
