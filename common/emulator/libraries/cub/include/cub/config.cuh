// SPDX-License-Identifier: MIT
// CUB's macros, of all kinds.
#pragma once

#include "util_arch.cuh"
#include "util_macro.cuh"
#include "version.cuh"
