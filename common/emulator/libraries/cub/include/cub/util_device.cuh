// SPDX-License-Identifier: MIT
// CUB's helpers of the host: the checks of errors.
#pragma once

#include <cuda_runtime.h>

#include "util_debug.cuh"
