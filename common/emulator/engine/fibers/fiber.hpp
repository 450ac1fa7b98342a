// SPDX-License-Identifier: MIT
// The stacks of fibers, which run the threads of one block.
#pragma once

#include <cstddef>

#include "common/emulator/engine/fibers/context.hpp"

namespace emulator {

// The stacks of up to `capacity` fibers, reserved at once and used in order, each with a guard page
// below it. Memory is committed when a stack is touched.
class FiberStacks {
  public:
    FiberStacks() = default;
    ~FiberStacks() { release(); }
    FiberStacks(const FiberStacks&) = delete;
    FiberStacks& operator=(const FiberStacks&) = delete;

    // Forgets all fibers; keeps the memory if it fits. Throws std::bad_alloc.
    void reserve(int capacity, std::size_t stack_bytes);
    int capacity() const { return capacity_; }
    std::size_t stack_bytes() const { return stack_bytes_; }

    // A new fiber on stack `index`, before its first instruction.
    Context make(int index, ContextEntry entry);

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
