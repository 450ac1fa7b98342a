// SPDX-License-Identifier: MIT
// The way round a point, from half-edge to half-edge.
#pragma once

#include <cuda_runtime.h>

#include "problem/distmesh.hpp"

namespace distmesh {

__device__ __forceinline__ int previous(int h) { return h % 3 == 0 ? h + 2 : h - 1; }

// Calls `visit` with every half-edge that leaves a point, in turn round it.
template <typename Visit>
__device__ __forceinline__ void go_round(const int* twins, int leaving, Visit visit) {
    if (leaving == kNoHalfEdge) return;
    int h = leaving;
    do {
        visit(h);
        h = twins[previous(h)];
    } while (h != leaving);
}

}  // namespace distmesh
