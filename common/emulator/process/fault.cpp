// SPDX-License-Identifier: MIT
#include "common/emulator/process/fault.hpp"

#include <sys/mman.h>

#include <array>
#include <csignal>
#include <mutex>

#include "common/emulator/process/vector_fault.hpp"

namespace emulator {
namespace {

constexpr std::size_t kSignalStackBytes = 64 * 1024;
constexpr std::array kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

std::array<struct sigaction, kSignals.size()> previous_actions;
FaultHandler fault_handler = nullptr;

void handle_fault(int signal, siginfo_t* information, void* context) {
    if (const auto address = refused_vector_address(*information, context); address != 0) {
        fault_handler(SIGBUS, reinterpret_cast<const void*>(address), true);
    } else {
        fault_handler(signal, information->si_addr,
                      signal == SIGBUS && information->si_code == BUS_ADRALN);
    }
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        if (kSignals[i] == signal) ::sigaction(signal, &previous_actions[i], nullptr);
    }
    // Returning repeats the instruction, now under the previous action; abort() would not.
    if (signal == SIGABRT) ::raise(signal);
}

}  // namespace

void install_fault_handler(FaultHandler handler) {
    static std::once_flag once;
    std::call_once(once, [handler] {
        fault_handler = handler;
        struct sigaction action {};
        action.sa_sigaction = handle_fault;
        // SA_NODEFER: the handler may leave without returning, so nothing would restore a mask.
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
