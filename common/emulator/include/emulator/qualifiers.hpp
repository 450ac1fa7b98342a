// SPDX-License-Identifier: MIT
// CUDA's declaration specifiers for the CPU engine. Host and device are one processor here, so
// most of them mean nothing; __shared__ is the one that matters.
#pragma once

// In this header of g++ 16, the library also writes [[__gnu__::__noinline__]], where an empty macro
// would break it. So it is read before.
#if __GNUC__ >= 16 && __has_include(<format>)
#include <format>
#endif

#define __global__
#define __device__
#define __host__
#define __grid_constant__
#define __managed__
#define __launch_bounds__(...)
#define __maxnreg__(...)
// Empty: the standard library writes __attribute__((__noinline__)), which any other definition
// would break.
#define __noinline__
#define __forceinline__ inline __attribute__((always_inline))
#define __inline_hint__ inline
#define __align__(alignment) __attribute__((aligned(alignment)))
#define __device_builtin__
#define __cudart_builtin__
#define __nv_pure__ __attribute__((pure))

// The tags are part of the symbols' names, by which the runtime finds the variables.
#define __constant__ __attribute__((abi_tag("constant")))

// A worker thread runs one block at a time, so storage that each worker has once is storage that
// each block has once. constinit refuses, as nvcc does, types that need a constructor to run. So
// g++ needs no guard that it would test at each use.
// The sections let the runtime find the variables, to poison them at the start of a block. There is
// one section per declaration, because g++ puts no variable of an inline function into a section
// that another function uses. (It ignores the section for function templates: their variables are
// found by the tag in their symbols.)
#define EMULATOR_TEXT_OF(token) #token
#define EMULATOR_SHARED_SECTION(number) "emulator_shared." EMULATOR_TEXT_OF(number)
#define EMULATOR_SHARED(alignment, tag)                                     \
    constinit thread_local __attribute__((aligned(alignment), abi_tag(tag), \
                                          section(EMULATOR_SHARED_SECTION(__COUNTER__))))

// The translator puts EMULATOR_SHARED_END behind each declaration. Where accesses are checked, it
// declares bytes that belong to nobody, so that an index too large reaches no other variable.
#ifdef __SANITIZE_THREAD__
#define __shared__ EMULATOR_SHARED(128, "shared")
#define EMULATOR_JOIN_EXPANDED(a, b) a##b
#define EMULATOR_JOIN(a, b) EMULATOR_JOIN_EXPANDED(a, b)
#define EMULATOR_SHARED_END                \
    static EMULATOR_SHARED(128, "redzone") \
        __attribute__((used)) char EMULATOR_JOIN(emulator_redzone_, __COUNTER__)[512];
// The same behind each declaration of __device__ and __constant__ variables. g++ has these in one
// order or the other, but three kinds apart: static ones, other ones, and those with values. Such
// bytes of each kind lie between any two of them.
#define EMULATOR_REDZONE(...)                                                        \
    static __attribute__((used, abi_tag("redzone") __VA_ARGS__)) char EMULATOR_JOIN( \
        emulator_redzone_, __COUNTER__)[512]
#define EMULATOR_VARIABLE_END            \
    EMULATOR_REDZONE();                  \
    EMULATOR_REDZONE(, section(".bss")); \
    EMULATOR_REDZONE() = {1};
#else
#define EMULATOR_VARIABLE_END
#define __shared__ EMULATOR_SHARED(16, "shared")
#define EMULATOR_SHARED_END
#endif
