// SPDX-License-Identifier: MIT
// MTGP32's table of parameters is the toolkit's own, where that is installed.
#pragma once

#include "emulator/curand/mtgp32.hpp"

// The engine's types take the place of the toolkit's curand_mtgp32.h, which the table includes.
#define CURAND_MTGP32_H
#if __has_include_next(<curand_mtgp32dc_p_11213.h>)
#include_next <curand_mtgp32dc_p_11213.h>
#elif __has_include("/usr/local/cuda/include/curand_mtgp32dc_p_11213.h")
#include "/usr/local/cuda/include/curand_mtgp32dc_p_11213.h"
#else
#error \
    "the CPU engine takes MTGP32's table from the CUDA toolkit (curand_mtgp32dc_p_11213.h), which is not installed here; use curandStateXORWOW or curandStatePhilox4_32_10"
#endif
