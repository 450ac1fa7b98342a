// SPDX-License-Identifier: MIT
// Contexts: each has a stack of its own, and they switch from one to another.
//
// Two implementations. With Boost.Context (EMULATOR_BOOST_CONTEXT) a switch is a few instructions,
// inlined. Without it, makecontext() starts a context, and setjmp() and longjmp() switch
// (context_ucontext.cpp). Every Unix has these, but a switch is a call and saves more registers.
#pragma once

#include <cstddef>

#ifdef EMULATOR_BOOST_CONTEXT
#include <boost/context/detail/fcontext.hpp>
#endif

namespace emulator {

// A context that was left. It may be entered again, once.
using Context = void*;
using ContextEntry = void (*)();

// A new context on the stack of that many bytes. `entry` starts when the context is first entered,
// and does not return. It begins with the maker's floating-point control word.
Context make_context(char* stack, std::size_t bytes, ContextEntry entry);

#ifdef EMULATOR_BOOST_CONTEXT

// Each switch hands over where to store the context that is left. The context that is entered
// stores it, because its value is known only then.
inline boost::context::detail::transfer_t store_left_context(
    boost::context::detail::transfer_t transfer) {
    *static_cast<Context*>(transfer.data) = transfer.fctx;
    return transfer;
}

// Leaves the running context for one that was left before. Each side keeps its floating-point
// control word. ontop_fcontext rather than jump_fcontext: the function that it calls on the other
// side returns to where that side left, with a return instruction. jump_fcontext ends with a jump,
// after which the processor mispredicts each return of the callers: measured, 28 ns per barrier
// instead of 8.
inline void switch_context(Context to, Context* left) {
    boost::context::detail::ontop_fcontext(to, left, store_left_context);
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
