// SPDX-License-Identifier: MIT
// What a launch is told that iterates on the device, and what it tells.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "01_global_atomics/iteration.cuh"

namespace distmesh {

// Whether an iteration with this status is the last one.
__device__ __forceinline__ bool is_over(const Status& status) {
    return status.moving == 0 || status.drifted != 0 || status.crowded != 0;
}

// How far a launch came. Iteration i has status i % 2: one is cleared while the other is used.
struct Progress {
    Status statuses[2];
    std::int64_t iterations;
};

struct Loop {
    Sums* sums;  // of each block
    Progress* progress;
    std::int64_t first, most;  // iterations done before, and still to do
};

}  // namespace distmesh
