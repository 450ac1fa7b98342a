// SPDX-License-Identifier: MIT
// The flip of an edge to the other diagonal of its two triangles.
#pragma once

#include <cuda_runtime.h>

#include "limit/03_device_lists/device_lists.cuh"

namespace distmesh {

__device__ __forceinline__ void join(const Triangulation& triangles, int h, int g, int edge) {
    triangles.twins[h] = g;
    triangles.twins[g] = h;
    triangles.edges[h] = triangles.edges[g] = edge;
}

// Triangles (a, b, c) and (b, a, d) become (a, d, c) and (b, c, d).
__device__ __forceinline__ void flip(const Triangulation& triangles, int h) {
    const int g = triangles.twins[h], h1 = next(h), g1 = next(g);
    const int beyond_h = triangles.twins[h1], beyond_g = triangles.twins[g1];
    const int edge = triangles.edges[h], edge_h = triangles.edges[h1], edge_g = triangles.edges[g1];
    const int c = triangles.corners[previous(h)], d = triangles.corners[previous(g)];
    triangles.corners[h1] = d;
    triangles.corners[g1] = c;
    join(triangles, h, beyond_g, edge_g);
    join(triangles, g, beyond_h, edge_h);
    join(triangles, h1, g1, edge);
}

}  // namespace distmesh
