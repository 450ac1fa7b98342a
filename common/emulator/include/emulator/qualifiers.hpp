// SPDX-License-Identifier: MIT
// CUDA's declaration specifiers for the CPU engine. Host and device are one processor here, so
// most of them mean nothing; __shared__ is the one that matters.
#pragma once

#define __global__
#define __device__
#define __host__
#define __grid_constant__
#define __managed__
#define __constant__
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

// One block at a time runs on a worker thread, so storage that each worker has once is storage that
// each block has once. constinit refuses, as nvcc does, what needs a constructor to run, and with
// that spares the guard that g++ would test at each use.
// The sections let the runtime find the variables, to poison them at the start of a block: one
// section a declaration, because g++ puts no variable of an inline function into a section that
// another function uses. (It puts those of function templates nowhere but where it wants: they are
// not poisoned.)
#define EMULATOR_TEXT_OF(token) #token
#define EMULATOR_SHARED_SECTION(number) "emulator_shared." EMULATOR_TEXT_OF(number)
#define __shared__         \
    constinit thread_local \
        __attribute__((aligned(16), section(EMULATOR_SHARED_SECTION(__COUNTER__))))
