// SPDX-License-Identifier: MIT
// Precompiled for the programs in examples/ and mistakes/. nvcc includes the first header by
// itself; most programs include the others.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>
