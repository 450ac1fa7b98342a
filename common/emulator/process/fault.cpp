// SPDX-License-Identifier: MIT
#include "common/emulator/process/fault.hpp"

#include <sys/mman.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <string>

#include "common/emulator/engine/worker.hpp"
#include "common/emulator/runtime/errors.hpp"
#include "common/emulator/runtime/memory.hpp"

namespace emulator {
namespace {

constexpr std::size_t kSignalStackBytes = 64 * 1024;
constexpr std::array kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

std::array<struct sigaction, kSignals.size()> previous_actions;

void pass_on(int signal) {
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        if (kSignals[i] == signal) ::sigaction(signal, &previous_actions[i], nullptr);
    }
    // Returning repeats the instruction, now under the previous action.
}

std::string describe_access(const Worker& worker, const void* address) {
    char text[64];
    std::snprintf(text, sizeof text, "illegal address %p: ", address);
    if (worker.guards_shared_memory(address)) {
        return std::string(text) + "behind the block's " +
               std::to_string(worker.dynamic_shared_bytes()) + " bytes of dynamic shared memory";
    }
    return text + describe_address(address);
}

// Leaves by a context switch instead of returning: the fiber that faulted is given up.
void handle_fault(int signal, siginfo_t* information, void*) {
    const Worker* worker = worker_of_running_block();
    if (worker == nullptr || current_thread == nullptr) return pass_on(signal);
    if (signal == SIGFPE) {
        fail_kernel(cudaErrorLaunchFailure,
                    "integer division by zero (a GPU goes on with an undefined quotient)");
    }
    if (signal == SIGILL) fail_kernel(cudaErrorIllegalInstruction, "illegal instruction or trap");
    const void* address = information->si_addr;
    if (worker->stacks().guards(address)) {
        fail_kernel(cudaErrorIllegalAddress,
                    "stack overflow: local variables or recursion need more than the thread's "
                    "stack, which cudaDeviceSetLimit(cudaLimitStackSize, bytes) raises");
    }
    fail_kernel(cudaErrorIllegalAddress, describe_access(*worker, address).c_str());
}

}  // namespace

void install_fault_handler() {
    static std::once_flag once;
    std::call_once(once, [] {
        struct sigaction action {};
        action.sa_sigaction = handle_fault;
        // No mask to restore (SA_NODEFER): the handler does not return.
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        for (std::size_t i = 0; i < kSignals.size(); ++i) {
            ::sigaction(kSignals[i], &action, &previous_actions[i]);
        }
    });
}

void* install_signal_stack() {
    void* memory = ::mmap(nullptr, kSignalStackBytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    stack_t stack{};
    stack.ss_sp = memory;
    stack.ss_size = kSignalStackBytes;
    ::sigaltstack(&stack, nullptr);
    return memory;
}

void remove_signal_stack(void* memory) {
    if (memory == nullptr) return;
    stack_t stack{};
    stack.ss_flags = SS_DISABLE;
    ::sigaltstack(&stack, nullptr);
    ::munmap(memory, kSignalStackBytes);
}

}  // namespace emulator
