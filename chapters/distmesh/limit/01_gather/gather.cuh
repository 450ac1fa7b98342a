// SPDX-License-Identifier: MIT
// The force on a point, gathered from its bars.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace distmesh {

// The bars of each point: those of point i are list[begins[i]] to list[ends[i] - 1]. An entry is a
// bar, or ~bar where the point is its second end.
struct BarLists {
    int *begins, *ends, *list;
};

// The force on point i: the sum over its bars.
__device__ __forceinline__ double2 gather_force(const BarLists& bars, const double2* pushes,
                                                std::int64_t i) {
    double2 force = make_double2(0, 0);
    for (int place = bars.begins[i]; place < bars.ends[i]; ++place) {
        const int bar = bars.list[place];
        const double2 push = pushes[bar < 0 ? ~bar : bar];
        const double sign = bar < 0 ? -1 : 1;
        force = make_double2(force.x + sign * push.x, force.y + sign * push.y);
    }
    return force;
}

}  // namespace distmesh
