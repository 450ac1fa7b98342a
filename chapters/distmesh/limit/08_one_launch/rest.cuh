// SPDX-License-Identifier: MIT
// The test whether a mesh at rest is ready, as in Mesh::is_at_rest() and mend() of the host.
#pragma once

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "limit/05_claims/claims.cuh"

namespace distmesh {

constexpr int kRestless = 1, kToMend = 2;  // why a mesh at rest is not ready

// Whether the triangle of a half-edge was one of the mesh at the last triangulation.
__device__ __forceinline__ bool was_inside(const DeviceMesh& mesh, const Triangulation& triangles,
                                           int h) {
    const int first = h / 3 * 3, *corners = &triangles.corners[first];
    const int a = corners[0], b = corners[1], c = corners[2];
    if (a == kGhost || b == kGhost || c == kGhost) return false;
    const double2 p = mesh.triangulated[a], q = mesh.triangulated[b], r = mesh.triangulated[c];
    return is_inside(mesh.domain, mesh.h0, {p.x, p.y}, {q.x, q.y}, {r.x, r.y});
}

// All blocks note in `rest` why the mesh is not ready.
__device__ __forceinline__ void find_unrest(const DeviceMesh& mesh, const Triangulation& triangles,
                                            int* rest) {
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const double slide = kSlideTolerance * mesh.h0;
    for (std::int64_t i = grid.thread_rank(); i < mesh.count; i += grid.size()) {
        const double2 p = mesh.points[i], q = mesh.triangulated[i];
        const Point from = {q.x, q.y}, to = {p.x, p.y};
        if (squared_distance(from, to) > slide * slide) atomicOr(rest, kRestless);
    }
    for (std::int64_t i = grid.thread_rank(); i < 2 * mesh.bar_count; i += grid.size()) {
        const int h = static_cast<int>(i);
        if (!was_inside(mesh, triangles, h)) continue;
        const int a = triangles.corners[h], b = triangles.corners[next(h)];
        const int c = triangles.corners[previous(h)];
        if (h % 3 == 0 && !is_inside(mesh, a, b, c)) atomicOr(rest, kRestless);
        if (c < mesh.fixed || was_inside(mesh, triangles, triangles.twins[h])) continue;
        const Point p = point_at(mesh, a), q = point_at(mesh, b), r = point_at(mesh, c);
        if (is_to_mend(mesh.domain, mesh.h0, p, q, r)) atomicOr(rest, kToMend);
    }
}

}  // namespace distmesh
