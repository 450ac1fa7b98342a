// SPDX-License-Identifier: MIT
// The documented error of rsqrt.approx, for the tests of what the stages compute with it.
#pragma once

#include <cuda_runtime.h>

#include <cmath>

constexpr float kDocumentedUnits = 2;  // of the last place

// Whether the approximation of 1 / sqrt(d) is as near as documented.
__device__ inline bool is_documented(float approximation, float d) {
    const double exact = 1 / sqrt(static_cast<double>(d));
    const double unit = ldexp(1.0, ilogb(exact) - 23);
    return fabs(approximation - exact) <= kDocumentedUnits * unit;
}
