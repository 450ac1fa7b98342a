// SPDX-License-Identifier: MIT
// How much of its work a group of bodies gives to one warp (stages limit/03 and later).
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>

#include "common/cuda/cuda_check.hpp"

namespace nbody {

// The packets of one task, if each of `groups` groups must meet `packets` of them, and a
// multiprocessor has `warps` warps. With few packets, no warp waits long for the last task, but
// each task costs some time, too. If each warp of the device must meet A packets, sqrt(A / 2) is
// near the best (measured on an H200, 8192 to 262 144 bodies).
inline int packets_per_task(int groups, int packets, int warps) {
    int device = 0, multiprocessors = 0;
    course::cuda_check(cudaGetDevice(&device));
    course::cuda_check(
        cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    const double of_warp = static_cast<double>(groups) * packets / (multiprocessors * warps);
    return std::min(1 + static_cast<int>(std::sqrt(of_warp / 2)), packets);
}

}  // namespace nbody
