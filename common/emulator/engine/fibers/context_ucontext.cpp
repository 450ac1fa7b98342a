// SPDX-License-Identifier: MIT
// Contexts on any processor. swapcontext() alone would do, but each switch calls the
// operating system for the signal mask. Here makecontext() only starts a context; setjmp() and
// longjmp(), which ignore the mask, do the rest. A fortified longjmp() treats a jump to another
// stack as an error.
#undef _FORTIFY_SOURCE

#include "common/emulator/engine/fibers/context.hpp"

#include <setjmp.h>
#include <ucontext.h>

#include <cstdlib>

namespace emulator {
namespace {

// Lies on the stack of the context that was left.
struct SavedContext {
    jmp_buf registers;
};

struct Start {
    ContextEntry entry;
    Context maker;
    Context made;
};
constinit thread_local Start* start = nullptr;

void begin() {
    Start& own = *start;
    const ContextEntry entry = own.entry;
    switch_context(own.maker, &own.made);
    entry();
    std::abort();  // it does not return
}

}  // namespace

void switch_context(Context to, Context* left) {
    SavedContext here;
    // It is used only while this call waits.
    // cppcheck-suppress autoVariables
    *left = &here;
    if (_setjmp(here.registers) == 0) _longjmp(static_cast<SavedContext*>(to)->registers, 1);
}

Context make_context(char* stack, std::size_t bytes, ContextEntry entry) {
    SavedContext here;
    Start own{entry, &here, nullptr};
    start = &own;
    ucontext_t fresh;
    if (::getcontext(&fresh) != 0) std::abort();
    fresh.uc_stack.ss_sp = stack;
    fresh.uc_stack.ss_size = bytes;
    fresh.uc_link = nullptr;
    ::makecontext(&fresh, begin, 0);
    if (_setjmp(here.registers) == 0) ::setcontext(&fresh);
    start = nullptr;
    return own.made;
}

}  // namespace emulator
