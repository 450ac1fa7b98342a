// SPDX-License-Identifier: MIT
// The start of a context on x86-64. The switch itself is inlined (context.hpp).
#include <cstdint>

#include "common/emulator/engine/fibers/context.hpp"

// The stack is empty, and its pointer a multiple of 16. The frame pointer holds the entry.
// `.cfi_undefined rip` ends a walk through the frames of the stack here (DWARF 4, section 6.4.4).
asm(R"(
    .text
    .local emulator_context_begin
    .type emulator_context_begin, @function
emulator_context_begin:
    .cfi_startproc
    .cfi_undefined rip
    movq %rbp, %rax
    xorl %ebp, %ebp
    callq *%rax
    ud2
    .cfi_endproc
    .size emulator_context_begin, . - emulator_context_begin
)");

extern "C" void emulator_context_begin();

namespace emulator {

Context make_context(char* stack, std::size_t bytes, ContextEntry entry) {
    const auto end = reinterpret_cast<std::uintptr_t>(stack + bytes);
    auto* const place = reinterpret_cast<SavedContext*>((end - sizeof(SavedContext)) / 16 * 16);
    *place = {place, reinterpret_cast<void*>(entry),
              reinterpret_cast<const void*>(emulator_context_begin)};
    return place;
}

}  // namespace emulator
