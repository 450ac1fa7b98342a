// SPDX-License-Identifier: MIT
// Contexts on AArch64. A switch is a call that keeps what a function must keep: x19 to x30, the
// stack pointer, and the lower halves of v8 to v15 (Procedure Call Standard for the Arm 64-bit
// Architecture, section 6.1). They lie on the stack of the context that was left.
#include <cstdint>

#include "common/emulator/engine/fibers/context.hpp"

// `hint #34` is `bti c`: an indirect call may arrive there. The first switch to a context returns
// to emulator_context_begin, with the entry in x19. `.cfi_undefined x30` ends a walk through the
// frames of the stack there (DWARF 4, section 6.4.4).
asm(R"(
    .macro emulator_saved_registers instruction
    \instruction x19, x20, [sp, #16]
    \instruction x21, x22, [sp, #32]
    \instruction x23, x24, [sp, #48]
    \instruction x25, x26, [sp, #64]
    \instruction x27, x28, [sp, #80]
    \instruction d8, d9, [sp, #96]
    \instruction d10, d11, [sp, #112]
    \instruction d12, d13, [sp, #128]
    \instruction d14, d15, [sp, #144]
    .endm
    .text
    .balign 16
    .global emulator_switch_context
    .type emulator_switch_context, %function
emulator_switch_context:
    hint #34
    stp x29, x30, [sp, #-160]!
    emulator_saved_registers stp
    mov x9, sp
    str x9, [x1]
    mov sp, x0
    emulator_saved_registers ldp
    ldp x29, x30, [sp], #160
    ret
    .global emulator_context_begin
    .hidden emulator_context_begin
    .type emulator_context_begin, %function
emulator_context_begin:
    .cfi_startproc
    .cfi_undefined x30
    blr x19
    brk #0
    .cfi_endproc
)");

extern "C" [[gnu::visibility("hidden")]] void emulator_context_begin();

namespace emulator {

Context make_context(char* stack, std::size_t bytes, ContextEntry entry) {
    const auto end = reinterpret_cast<std::uintptr_t>(stack + bytes) / 16 * 16;
    auto* const saved = reinterpret_cast<const void**>(end) - 20;
    saved[0] = nullptr;  // x29: no frame before it
    saved[1] = reinterpret_cast<const void*>(emulator_context_begin);  // x30
    saved[2] = reinterpret_cast<const void*>(entry);  // x19
    return saved;
}

}  // namespace emulator
