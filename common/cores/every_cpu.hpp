// SPDX-License-Identifier: MIT
// EVERY_CPU before a function: g++ compiles it three times, for any x86-64, for AVX2 and for
// AVX-512, and the first call chooses what the processor has. So one executable is as fast as with
// -march=native. Other compilers and processors get the function once.
//
// The body of a parallel region is not compiled with its function. So a loop over cores is in a
// plain function, and calls a function with this attribute for each part of the work.
#pragma once

#if defined(__x86_64__) && !defined(__clang__) && __GNUC__ >= 12
#define EVERY_CPU [[gnu::target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")]]
#else
#define EVERY_CPU
#endif
