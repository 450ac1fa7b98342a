// SPDX-License-Identifier: MIT
// The two kernels of a step of leapfrog, and lists of vectors as three lists of numbers.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/cuda/device_buffer.hpp"

namespace nbody {

using course::DeviceBuffer;

// v += a * duration: half a step before the drift, and half a step after it (equations 6.8, 6.7).
__global__ void kick_kernel(float* __restrict__ velocities_x, float* __restrict__ velocities_y,
                            float* __restrict__ velocities_z,
                            const float* __restrict__ accelerations_x,
                            const float* __restrict__ accelerations_y,
                            const float* __restrict__ accelerations_z, float duration, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    velocities_x[i] += accelerations_x[i] * duration;
    velocities_y[i] += accelerations_y[i] * duration;
    velocities_z[i] += accelerations_z[i] * duration;
}

// x += v * duration (equation 6.9).
__global__ void drift_kernel(float4* __restrict__ bodies, const float* __restrict__ velocities_x,
                             const float* __restrict__ velocities_y,
                             const float* __restrict__ velocities_z, float duration, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float4 body = bodies[i];
    body.x += velocities_x[i] * duration;
    body.y += velocities_y[i] * duration;
    body.z += velocities_z[i] * duration;
    bodies[i] = body;
}

// Three lists of `count` numbers each, one behind the other in one buffer.
struct Lists3 {
    float *x, *y, *z;
};
Lists3 split(DeviceBuffer<float>& buffer, int count) {
    float* const x = buffer.data();
    return {x, x + count, x + 2 * static_cast<std::int64_t>(count)};
}

}  // namespace nbody
