// SPDX-License-Identifier: MIT
// Vector instructions of an x86-64 processor that stop at an address that is no multiple of 16.
#pragma once

#include <csignal>
#include <cstdint>

namespace emulator {

// The address that an instruction of 16 bytes was refused, which the signal does not tell; 0 if the
// fault has another cause. Always 0 on other processors.
std::uintptr_t refused_vector_address(const siginfo_t& information, const void* context);

}  // namespace emulator
