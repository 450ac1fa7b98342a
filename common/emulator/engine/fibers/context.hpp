// SPDX-License-Identifier: MIT
// Contexts: each has a stack of its own, and they switch from one to another.
//
// Three implementations. On x86-64 (EMULATOR_X86_CONTEXT) a switch is a few instructions of our
// own, inlined. On other processors it is a call of Boost.Context (EMULATOR_BOOST_CONTEXT). Without
// that library, makecontext() starts a context, and setjmp() and longjmp() switch
// (context_ucontext.cpp). Every Unix has these, but a switch saves more registers.
#pragma once

#include <cstddef>

#ifdef EMULATOR_BOOST_CONTEXT
#include <boost/context/detail/fcontext.hpp>

#include "common/emulator/engine/fibers/denormal_control.hpp"
#endif

namespace emulator {

// A context that was left. It may be entered again, once.
using Context = void*;
using ContextEntry = void (*)();

// A new context on the stack of that many bytes. `entry` starts when the context is first entered,
// and does not return. A switch leaves the floating-point control word as it is.
Context make_context(char* stack, std::size_t bytes, ContextEntry entry);

#if defined(EMULATOR_X86_CONTEXT)

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

#elif defined(EMULATOR_BOOST_CONTEXT)

// Each switch hands over where to store the context that is left. The context that is entered
// stores it, because its value is known only then. Boost gave it the control word with which it
// was left.
struct LeftContext {
    Context* place;
    DenormalControl::Word control;
};
inline boost::context::detail::transfer_t store_left_context(
    boost::context::detail::transfer_t transfer) {
    const auto& left = *static_cast<const LeftContext*>(transfer.data);
    *left.place = transfer.fctx;
    DenormalControl::write(left.control);
    return transfer;
}

// Leaves the running context for one that was left before. ontop_fcontext rather than
// jump_fcontext: the function that it calls on the other side returns to where that side left, with
// a return instruction. jump_fcontext ends with a jump, after which the processor mispredicts each
// return of the callers: measured, 28 ns per barrier instead of 8.
inline void switch_context(Context to, Context* left) {
    LeftContext here{left, DenormalControl::read()};
    boost::context::detail::ontop_fcontext(to, &here, store_left_context);
}

inline Context make_context(char* stack, std::size_t bytes, ContextEntry entry) {
    using boost::context::detail::transfer_t;
    constexpr auto begin = [](transfer_t transfer) {
        const auto start = reinterpret_cast<ContextEntry>(transfer.data);
        boost::context::detail::jump_fcontext(transfer.fctx, nullptr);
        start();
    };
    const Context fresh = boost::context::detail::make_fcontext(stack + bytes, bytes, begin);
    // ontop_fcontext() does not hand its argument to a context that has not started.
    return boost::context::detail::jump_fcontext(fresh, reinterpret_cast<void*>(entry)).fctx;
}

#else

void switch_context(Context to, Context* left);

#endif

}  // namespace emulator
