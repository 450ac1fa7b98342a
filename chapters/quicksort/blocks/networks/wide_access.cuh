// SPDX-License-Identifier: MIT
// Accesses of 16 bytes, for keys of either kind: four int32, or two pairs of 64 bits.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "problem/quicksort.hpp"

namespace quicksort {

inline constexpr int kWide = 16 / sizeof(Key);  // keys in 16 bytes

// Reads four neighbours that begin at 16 bytes.
__device__ __forceinline__ void load_four(const std::int32_t* from, std::int32_t* keys) {
    const int4 four = *reinterpret_cast<const int4*>(from);
    keys[0] = four.x, keys[1] = four.y, keys[2] = four.z, keys[3] = four.w;
}
__device__ __forceinline__ void load_four(const std::int64_t* from, std::int64_t* keys) {
    const longlong2 first = reinterpret_cast<const longlong2*>(from)[0];
    const longlong2 second = reinterpret_cast<const longlong2*>(from)[1];
    keys[0] = first.x, keys[1] = first.y, keys[2] = second.x, keys[3] = second.y;
}

// Reads kWide keys that begin at 16 bytes, and that are not read again.
__device__ __forceinline__ void load_once(const std::int32_t* from, std::int32_t* keys) {
    const int4 four = __ldcs(reinterpret_cast<const int4*>(from));
    keys[0] = four.x, keys[1] = four.y, keys[2] = four.z, keys[3] = four.w;
}
__device__ __forceinline__ void load_once(const std::int64_t* from, std::int64_t* keys) {
    const longlong2 two = __ldcs(reinterpret_cast<const longlong2*>(from));
    keys[0] = two.x, keys[1] = two.y;
}

// Writes kWide keys, which begin at 16 bytes.
__device__ __forceinline__ void store_wide(std::int32_t* to, const std::int32_t* keys) {
    *reinterpret_cast<int4*>(to) = make_int4(keys[0], keys[1], keys[2], keys[3]);
}
__device__ __forceinline__ void store_wide(std::int64_t* to, const std::int64_t* keys) {
    *reinterpret_cast<longlong2*>(to) = make_longlong2(keys[0], keys[1]);
}

}  // namespace quicksort
