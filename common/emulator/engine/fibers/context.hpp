// SPDX-License-Identifier: MIT
// Contexts: each has a stack of its own, and they switch from one to another.
//
// Three implementations. On x86-64 (EMULATOR_X86_CONTEXT) a switch is a few instructions of our
// own, inlined; on AArch64 it is a function of our own (context_aarch64.cpp). On other processors
// makecontext() starts a context, and setjmp() and longjmp() switch (context_ucontext.cpp). Every
// Unix has these, but a switch saves more registers.
#pragma once

#include <cstddef>

namespace emulator {

// A context that was left. It may be entered again, once.
using Context = void*;
using ContextEntry = void (*)();

// A new context on the stack of that many bytes. `entry` starts when the context is first entered,
// and does not return. A switch leaves the floating-point control word as it is.
Context make_context(char* stack, std::size_t bytes, ContextEntry entry);

#ifdef EMULATOR_X86_CONTEXT

// Leaves the running context for one that was left before.
//
// The compiler saves the registers that it needs, because all are named as clobbered; the three
// that cannot be named are kept here. The switch ends with a jump, not with a return. All threads
// of a block usually leave at the same place, so the processor predicts the jump; and calls and
// returns stay in pairs, so it predicts the returns too.
struct SavedContext {
    void* stack_pointer;
    void* frame_pointer;
    const void* code;  // where it goes on
};

[[gnu::always_inline]] inline void switch_context(Context to, Context* left) {
    SavedContext here;
    SavedContext* place = &here;
    // All three operands are outputs too: after the switch their registers are the other side's.
    asm volatile(
        "movq %[here], (%[left])\n\t"
        "movq %%rsp, 0(%[here])\n\t"
        "movq %%rbp, 8(%[here])\n\t"
        "leaq 1f(%%rip), %%rax\n\t"
        "movq %%rax, 16(%[here])\n\t"
        "movq 0(%[to]), %%rsp\n\t"
        "movq 8(%[to]), %%rbp\n\t"
        "jmpq *16(%[to])\n"
        "1:\n\t"
        : [to] "+d"(to), [left] "+S"(left), [here] "+c"(place)
        :
        : "rax", "rbx", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1",
          "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
          "xmm13", "xmm14", "xmm15", "cc", "memory");
}

#else

// The name is that of the assembly's function.
void switch_context(Context to, Context* left) asm("emulator_switch_context");

#endif

}  // namespace emulator
