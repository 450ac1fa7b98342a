// SPDX-License-Identifier: MIT
// Four neighbouring cells of a row as the elements of an array.
#pragma once

#include <cuda_runtime.h>

#include "problem/floyd.hpp"

namespace floyd {

// Four neighbouring words in one access, as elements of an array.
__device__ __forceinline__ void load_four(const int* from, int* to) {
    const int4 words = *reinterpret_cast<const int4*>(from);
    to[0] = words.x;
    to[1] = words.y;
    to[2] = words.z;
    to[3] = words.w;
}

// Copies four neighbouring words in one access.
__device__ __forceinline__ void copy_four(const int* from, int* to) {
    *reinterpret_cast<int4*>(to) = *reinterpret_cast<const int4*>(from);
}

// A distance that is to become less. No sum that contains infinity is less than this.
__device__ __forceinline__ Distance as_cell(Distance distance) {
    return min(distance, kMaxDistance + 1);
}

}  // namespace floyd
