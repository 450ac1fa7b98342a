// SPDX-License-Identifier: MIT
#include "common/emulator/process/vector_fault.hpp"

#ifdef __x86_64__
#include <ucontext.h>

#include <array>
#include <cstring>
#endif

namespace emulator {

#ifdef __x86_64__
namespace {

constexpr std::array kRegisters = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                   REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                   REG_R12, REG_R13, REG_R14, REG_R15};

// The memory operand of an instruction, which begins at its ModRM byte. `extension` has the bits
// that make register numbers four bits long: 2 for the index, 1 for the base.
std::uintptr_t operand_address(const unsigned char* bytes, unsigned extension,
                               const greg_t* registers) {
    const auto value = [&](unsigned number) {
        return static_cast<std::uintptr_t>(registers[kRegisters[number]]);
    };
    const unsigned mode = *bytes >> 6;
    unsigned base = *bytes & 7;
    ++bytes;
    if (mode == 3 || (mode == 0 && base == 5)) return 0;  // a register; a fixed place in the code
    std::uintptr_t address = 0;
    bool has_base = true;
    if (base == 4) {
        const unsigned index = (*bytes >> 3 & 7) | (extension & 2) << 2;
        if (index != 4) address = value(index) << (*bytes >> 6);
        base = *bytes & 7;
        has_base = !(mode == 0 && base == 5);
        ++bytes;
    }
    if (has_base) address += value(base | (extension & 1) << 3);
    if (mode == 1) return address + static_cast<signed char>(*bytes);
    std::int32_t distance = 0;
    if (mode == 2 || !has_base) std::memcpy(&distance, bytes, sizeof distance);
    return address + distance;
}

}  // namespace

// The processor gives no address for such a fault, and none for one at an address that no memory
// can have. Of the instructions only the encodings of SSE are read: those of AVX do not stop,
// unless they are moves that a program asks for by -march.
std::uintptr_t refused_vector_address(const siginfo_t& information, const void* context) {
    if (information.si_signo != SIGSEGV || information.si_code != SI_KERNEL) return 0;
    const greg_t* const registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
    const auto* bytes = reinterpret_cast<const unsigned char*>(registers[REG_RIP]);
    while (*bytes == 0x66 || *bytes == 0xf2 || *bytes == 0xf3) ++bytes;
    unsigned extension = 0;
    if ((*bytes & 0xf0) == 0x40) extension = *bytes++ & 3;
    if (*bytes != 0x0f) return 0;
    bytes += bytes[1] == 0x38 || bytes[1] == 0x3a ? 3 : 2;
    const std::uintptr_t address = operand_address(bytes, extension, registers);
    const bool exists = address >> 47 == 0;
    return exists && address % 16 != 0 ? address : 0;
}
#else
std::uintptr_t refused_vector_address(const siginfo_t&, const void*) { return 0; }
#endif

}  // namespace emulator
