// SPDX-License-Identifier: MIT
// The order of a body's numbers in shared memory.
#pragma once

#include <cuda_runtime.h>

namespace nbody {

// In shared memory, bodies lie as (mass, x, y, z). So the coordinates of two bodies come from
// different banks of registers (see the README, "Register banks").
__device__ __forceinline__ float4 mass_first(float4 body) {
    return make_float4(body.w, body.x, body.y, body.z);
}
__device__ __forceinline__ float4 mass_last(float4 body) {
    return make_float4(body.y, body.z, body.w, body.x);
}

}  // namespace nbody
