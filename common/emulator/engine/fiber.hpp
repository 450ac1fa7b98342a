// SPDX-License-Identifier: MIT
// Fibers for the threads of one block, on Boost.Context's plain switch, without the bookkeeping of
// its C++ classes.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>

namespace emulator {

using FiberContext = boost::context::detail::fcontext_t;
using FiberEntry = void (*)(boost::context::detail::transfer_t);

// Each switch hands over where the context that is left has to be stored; the context that is
// entered stores it, because it is known only then.
inline boost::context::detail::transfer_t store_left_context(
    boost::context::detail::transfer_t transfer) {
    *static_cast<FiberContext*>(transfer.data) = transfer.fctx;
    return transfer;
}

// Leaves the running context for one that was left before. ontop_fcontext rather than
// jump_fcontext: the function that it calls on the other side returns to where that side left, with
// a return instruction. jump_fcontext ends with a jump, after which the processor mispredicts each
// return of the callers: measured, 28 ns a barrier instead of 8.
inline void switch_context(FiberContext to, FiberContext* left) {
    boost::context::detail::ontop_fcontext(to, left, store_left_context);
}

// The stacks of up to `capacity` fibers, reserved at once and used from the first on, each with a
// guard page below it. Memory is committed as a stack is touched.
class FiberStacks {
  public:
    FiberStacks() = default;
    ~FiberStacks() { release(); }
    FiberStacks(const FiberStacks&) = delete;
    FiberStacks& operator=(const FiberStacks&) = delete;

    // Forgets all fibers; keeps the memory where it fits. Throws std::bad_alloc.
    void reserve(int capacity, std::size_t stack_bytes);
    int capacity() const { return capacity_; }
    std::size_t stack_bytes() const { return stack_bytes_; }

    // A new fiber on stack `index`. It has run `entry` as far as its first switch, which goes back
    // to the context that `entry` is given.
    FiberContext make(int index, FiberEntry entry);

    // Where all stacks lie.
    const char* begin() const { return memory_; }
    std::size_t bytes() const { return static_cast<std::size_t>(capacity_) * stack_bytes_; }
    // Whether the address lies in the guard page of a stack.
    bool guards(const void* address) const;

  private:
    void release();

    char* memory_ = nullptr;
    int capacity_ = 0;
    int guarded_ = 0;  // stacks [0, guarded_) have their guard page
    std::size_t stack_bytes_ = 0;
};

}  // namespace emulator
