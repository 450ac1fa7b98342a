// SPDX-License-Identifier: MIT
// How stages 01 and 02 move points, for the stages built on them.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "problem/distmesh.hpp"

namespace distmesh {

inline constexpr int kBlockSize = 256;

// Moves point i by its force, and if it left the domain back to the boundary.
__device__ __forceinline__ void move_point(double2* points, const double2* triangulated,
                                           double2 force, std::int64_t i, const Domain& domain,
                                           double h0, Status* status) {
    const double step = kGradientStep * h0;
    const double2 start = triangulated[i];
    const double dx = kTimeStep * force.x, dy = kTimeStep * force.y;
    double2 point = points[i];
    point = make_double2(point.x + dx, point.y + dy);
    const double outside = distance(domain, point.x, point.y);
    if (outside > 0) {
        const double gx = (distance(domain, point.x + step, point.y) - outside) / step;
        const double gy = (distance(domain, point.x, point.y + step) - outside) / step;
        const double back = outside / (gx * gx + gy * gy);
        point = make_double2(point.x - back * gx, point.y - back * gy);
    } else if (outside < -kInsideTolerance * h0 &&
               std::sqrt(dx * dx + dy * dy) >= kStopTolerance * h0) {
        atomicOr(&status->moving, 1);
    }
    const double drift_x = point.x - start.x, drift_y = point.y - start.y;
    if (std::sqrt(drift_x * drift_x + drift_y * drift_y) > kTriangulateTolerance * h0) {
        atomicOr(&status->drifted, 1);
    }
    points[i] = point;
}

// Moves every point but the fixed ones.
__global__ void move_points_kernel(double2* __restrict__ points,
                                   const double2* __restrict__ triangulated,
                                   const double2* __restrict__ forces, std::int64_t fixed,
                                   std::int64_t count, Domain domain, double h0,
                                   Status* __restrict__ status) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlockSize + threadIdx.x;
    if (i < fixed || i >= count || status->crowded != 0) return;
    const double2 force = forces[i];
    move_point(points, triangulated, force, i, domain, h0, status);
}

}  // namespace distmesh
