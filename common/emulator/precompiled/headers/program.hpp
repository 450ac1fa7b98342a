// SPDX-License-Identifier: MIT
// What nvcc includes by itself, precompiled for programs of `make try` and labs.
#include <cuda_runtime.h>
