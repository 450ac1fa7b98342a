// SPDX-License-Identifier: MIT
// What nvcc includes by itself, precompiled for programs of `make try` on the CPU engine.
#include <cuda_runtime.h>
