#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns CUDA C++ into C++ that g++ compiles for the CPU engine.

Three constructs need rewriting, because a header cannot express them:

    kernel<<<grid, block>>>(arguments)  becomes a call of ::emulator::bind_launch
    extern __shared__ T name[];         becomes a pointer to the launch's dynamic shared memory
    __shared__ T name[N];               is followed by EMULATOR_SHARED_END, which may add a gap

The headers in include/ express the rest of the language by macros and functions. Two kinds of text
are dropped: hints like #pragma unroll, because g++ warns about pragmas that it does not know; and
casts like cudaLaunchKernel((void*)kernel, …), because the engine knows a kernel's parameters by its
type. Line numbers stay those of the source, so compiler messages, debuggers and profilers show the
student's file. Quoted includes that hold device code (.cuh, .cu) are translated too, beside the
output. The work is done by the package translator/.
"""

import sys

from translator.translation import main

if __name__ == "__main__":
    sys.exit(main())
