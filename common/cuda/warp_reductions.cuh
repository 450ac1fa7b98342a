// SPDX-License-Identifier: MIT
// __reduce_add_sync() and its sisters for GPUs before compute capability 8.0, which have no
// instruction for them. There, shuffles do the same in five steps.
//
// No stage includes this file. The build does, with nvcc's flag -include, where it compiles for
// such a GPU. For all others the file is left out, so their machine code is the stage's alone.
#pragma once

namespace course {

// Combines `value` over the lanes of `mask`, all of which call this. `combine` is associative and
// commutative.
template <typename T, typename Combine>
__device__ __forceinline__ T reduce_lanes(unsigned mask, T value, Combine combine) {
    constexpr unsigned kAllLanes = 0xFFFFFFFF;
    if (mask == kAllLanes) {
        for (int distance = 16; distance > 0; distance /= 2) {
            value = combine(value, __shfl_xor_sync(kAllLanes, value, distance));
        }
        return value;
    }
    // A lane without a partner has nothing to exchange. So each lane of the mask is read in turn.
    T result = __shfl_sync(mask, value, __ffs(static_cast<int>(mask)) - 1);
    for (unsigned rest = mask & (mask - 1); rest != 0; rest &= rest - 1) {
        result = combine(result, __shfl_sync(mask, value, __ffs(static_cast<int>(rest)) - 1));
    }
    return result;
}

struct Add {
    template <typename T>
    __device__ T operator()(T a, T b) const {
        return a + b;
    }
};

struct Least {
    template <typename T>
    __device__ T operator()(T a, T b) const {
        return b < a ? b : a;
    }
};

struct Greatest {
    template <typename T>
    __device__ T operator()(T a, T b) const {
        return a < b ? b : a;
    }
};

struct BitAnd {
    __device__ unsigned operator()(unsigned a, unsigned b) const { return a & b; }
};

struct BitOr {
    __device__ unsigned operator()(unsigned a, unsigned b) const { return a | b; }
};

struct BitXor {
    __device__ unsigned operator()(unsigned a, unsigned b) const { return a ^ b; }
};

}  // namespace course

// The names and types of CUDA's own functions. nvcc knows these for newer GPUs, and reads host code
// as if for those.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
__device__ __forceinline__ int __reduce_add_sync(unsigned mask, int value) {
    return course::reduce_lanes(mask, value, course::Add());
}
__device__ __forceinline__ unsigned __reduce_add_sync(unsigned mask, unsigned value) {
    return course::reduce_lanes(mask, value, course::Add());
}
__device__ __forceinline__ int __reduce_min_sync(unsigned mask, int value) {
    return course::reduce_lanes(mask, value, course::Least());
}
__device__ __forceinline__ unsigned __reduce_min_sync(unsigned mask, unsigned value) {
    return course::reduce_lanes(mask, value, course::Least());
}
__device__ __forceinline__ int __reduce_max_sync(unsigned mask, int value) {
    return course::reduce_lanes(mask, value, course::Greatest());
}
__device__ __forceinline__ unsigned __reduce_max_sync(unsigned mask, unsigned value) {
    return course::reduce_lanes(mask, value, course::Greatest());
}
__device__ __forceinline__ unsigned __reduce_and_sync(unsigned mask, unsigned value) {
    return course::reduce_lanes(mask, value, course::BitAnd());
}
__device__ __forceinline__ unsigned __reduce_or_sync(unsigned mask, unsigned value) {
    return course::reduce_lanes(mask, value, course::BitOr());
}
__device__ __forceinline__ unsigned __reduce_xor_sync(unsigned mask, unsigned value) {
    return course::reduce_lanes(mask, value, course::BitXor());
}
#endif
