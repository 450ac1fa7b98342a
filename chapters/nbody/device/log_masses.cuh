// SPDX-License-Identifier: MIT
// Masses as logarithms of their parts of a unit. Unchanged from stage 11_log_masses.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "problem/nbody.hpp"

namespace nbody {

// A body with the logarithm of its mass, as a part of the largest mass: near 0, a logarithm has
// most digits. A body without mass gets 2^-60, and so feels all pulls. Past the end of the list
// there are bodies with 2^-infinity = 0, which pull nobody.
__device__ __forceinline__ float4 load_body(const float4* __restrict__ bodies, int i, int count,
                                            float inverse_unit) {
    if (i >= count) return make_float4(0.0f, 0.0f, 0.0f, -INFINITY);
    float4 body = bodies[i];
    body.w = __log2f(fmaxf(body.w * inverse_unit, kSmallestPart));
    return body;
}

// The power of 2 at the largest mass or just below it, so that parts of it are exact. Its inverse
// is a normal float, too. If no body has mass, it is 0, and so are the factors of all sums.
inline float choose_mass_unit(std::span<const Body> bodies) {
    float largest = 0;
    for (const Body& body : bodies) largest = std::max(largest, body.mass);
    return largest > 0 ? std::exp2(std::clamp(std::floor(std::log2(largest)), -126.0f, 126.0f)) : 0;
}

}  // namespace nbody
