// SPDX-License-Identifier: MIT
// Which edges are wrong in a Delaunay triangulation, and which triangles are turned over.
#pragma once

#include <cuda_runtime.h>

#include "limit/03_device_lists/device_lists.cuh"

namespace distmesh {

// Half-edge h goes from a to b with c across, its twin g from b to a with d across. Whether the
// edge is wrong in a Delaunay triangulation of the domain, and could go from c to d instead.
__device__ __forceinline__ bool is_wrong(const DeviceMesh& mesh, const Triangulation& triangles,
                                         int h, int g) {
    if (triangles.twins[previous(h)] / 3 == triangles.twins[next(g)] / 3) return false;
    if (triangles.twins[next(h)] / 3 == triangles.twins[previous(g)] / 3) return false;
    const int a = triangles.corners[h], b = triangles.corners[g];
    const int c = triangles.corners[previous(h)], d = triangles.corners[previous(g)];
    if (c == d) return false;
    // The boundary gives away a triangle that is not inside any more, and takes in one that is now.
    if (c == kGhost) return !is_inside(mesh, b, a, d);
    if (d == kGhost) return !is_inside(mesh, a, b, c);
    if (a == kGhost) return is_inside(mesh, b, c, d);
    if (b == kGhost) return is_inside(mesh, a, d, c);
    return is_wrong_diagonal(mesh.h0, point_at(mesh, a), point_at(mesh, b), point_at(mesh, c),
                             point_at(mesh, d));
}

// Whether a triangle is turned over: a point has passed over one of its edges.
__device__ __forceinline__ bool is_turned_over(const DeviceMesh& mesh, const int* corners) {
    const int a = corners[0], b = corners[1], c = corners[2];
    if (a == kGhost || b == kGhost || c == kGhost) return false;
    const Point p = point_at(mesh, a), q = point_at(mesh, b), r = point_at(mesh, c);
    return twice_area(p, q, r) < -flat_area(mesh.h0, p, q, r);
}

__global__ void check_kernel(DeviceMesh mesh, Triangulation triangles, int* failed) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlockSize + threadIdx.x;
    if (i >= 2 * mesh.bar_count) return;
    const int h = static_cast<int>(i), g = triangles.twins[h], *corners = triangles.corners;
    const bool turned = h % 3 == 0 && is_turned_over(mesh, &corners[h]);
    const bool outside = corners[previous(h)] == kGhost && corners[previous(g)] != kGhost &&
                         !is_inside(mesh, corners[g], corners[h], corners[previous(g)]);
    if (turned || outside || (h < g && is_wrong(mesh, triangles, h, g))) atomicOr(failed, 1);
}

}  // namespace distmesh
