// SPDX-License-Identifier: MIT
// The third of a float. Unchanged from stage 18_exact_third.
#pragma once

#include <cuda_runtime.h>

namespace storms {

// x / 3, correctly rounded. 3 * quotient - x is exact. Its sign makes the third of -0 a -0.
// tests/chapters/storms/short_roots_test.cu tries every mantissa.
__device__ __forceinline__ float third_of(float x) {
    constexpr float kThird = 1.0f / 3;
    const float quotient = x * kThird;
    return fmaf(fmaf(3.0f, quotient, -x), -kThird, quotient);
}

}  // namespace storms
