// SPDX-License-Identifier: MIT
// EMULATOR_WIDE, before a function: also compile it for processors with wider registers. The
// program chooses when it starts.
#pragma once

#include <cstdint>  // any header of the C library defines __GLIBC__

#if defined(__x86_64__) && defined(__GLIBC__)
#define EMULATOR_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define EMULATOR_WIDE
#endif
