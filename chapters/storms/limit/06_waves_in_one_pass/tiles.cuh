// SPDX-License-Identifier: MIT
// Tiles of a layer that stay on chip for all waves of a pass. A tile has a halo: cells on each side
// that belong to its neighbours. Each wave makes one cell of it useless on each side.
#pragma once

#include <cuda_runtime.h>

#include <bit>
#include <cstdint>

#include "limit/06_waves_in_one_pass/particles.cuh"
#include "problem/storms.hpp"

namespace storms {

constexpr int kPositionBits = 33;  // and 31 of a positive float
constexpr std::int64_t kLastPosition = (std::int64_t{1} << kPositionBits) - 1;
using Key = unsigned long long;  // of a peak; 0: there is none

// x / 3, correctly rounded. 3 * quotient - x is exact. Its sign makes the third of -0 a -0.
// tests/chapters/storms/short_roots_test.cu tries every mantissa.
__device__ __forceinline__ float third_of(float x) {
    constexpr float kThird = 1.0f / 3;
    const float quotient = x * kThird;
    return fmaf(fmaf(3.0f, quotient, -x), -kThird, quotient);
}

// Relaxes the tile whose cell `first` is own[0] of thread 0, and raises `key` to the greatest peak
// of the block's own cells.
template <int kCells>
__device__ __forceinline__ void relax_and_find(float (&own)[kCells], std::int64_t first,
                                               std::int64_t size, int halo, Key* key) {
    constexpr int kTile = kCells * kUpdateBlock;
    __shared__ float s_updated[kTile + 2], s_relaxed[kTile];  // one has a cell more per side
    __shared__ Key s_keys[kUpdateBlock / 32];
    // The cells of the tile that are in the layer and not at one of its ends.
    const int begin = static_cast<int>(max(1 - first, std::int64_t{0}));
    const int end = static_cast<int>(min(size - 1 - first, std::int64_t{kTile}));
    if (threadIdx.x < 2) s_updated[threadIdx.x * (kTile + 1)] = 0.0f;
    for (int j = 0; j < kCells; ++j) s_updated[1 + threadIdx.x + j * kUpdateBlock] = own[j];
    __syncthreads();  // the updated tile has been written
    for (int j = 0; j < kCells; ++j) {
        const int i = threadIdx.x + j * kUpdateBlock;
        if (i >= begin && i < end) own[j] = third_of(s_updated[i] + own[j] + s_updated[i + 2]);
        s_relaxed[i] = own[j];
    }
    __syncthreads();  // the relaxed tile has been written
    float value = 0;
    unsigned place = 0;
    for (int j = 0; j < kCells; ++j) {
        const int i = threadIdx.x + j * kUpdateBlock;
        if (i < max(begin, halo) || i >= min(end, kTile - halo)) continue;
        if (own[j] <= max(value, max(s_relaxed[i - 1], s_relaxed[i + 1]))) continue;
        value = own[j];  // of equal peaks, the first one stays
        place = i;
    }
    const unsigned bits = __float_as_uint(value);
    const unsigned greatest = __reduce_max_sync(~0u, bits);
    const unsigned lowest = __reduce_min_sync(~0u, bits == greatest ? place : kTile);
    if (threadIdx.x % 32 == 0) {
        const Key from_end = kLastPosition - (first + lowest);
        s_keys[threadIdx.x / 32] = greatest > 0 ? Key{greatest} << kPositionBits | from_end : 0;
    }
    __syncthreads();  // the key of each warp has been written
    if (threadIdx.x > 0) return;
    Key own_key = s_keys[0];
    for (int warp = 1; warp < kUpdateBlock / 32; ++warp) own_key = max(own_key, s_keys[warp]);
    if (own_key > 0) atomicMax(key, own_key);
}

// Runs the waves of a pass. Wave w has the particles from begins[w] to begins[w + 1]. layer:
// nullptr before the first wave. halo: the cells of a tile, on each side, that its block does not
// own; at least waves + 1. kCells: cells per thread, kUpdateBlock apart.
template <int kCells, typename Place>
__global__ void bombard_kernel(const float* __restrict__ layer, float* __restrict__ next_layer,
                               std::int64_t size, const std::int64_t* __restrict__ positions,
                               const int* __restrict__ values,
                               const std::int64_t* __restrict__ begins, std::int64_t waves,
                               int halo, Key* __restrict__ keys) {
    constexpr int kTile = kCells * kUpdateBlock;
    const std::int64_t first = std::int64_t{kTile - 2 * halo} * blockIdx.x - halo;
    Place k[kCells];
    float own[kCells];
#pragma unroll
    for (int j = 0; j < kCells; ++j) {
        const std::int64_t cell = first + threadIdx.x + j * kUpdateBlock;
        k[j] = static_cast<Place>(cell);
        own[j] = layer != nullptr && cell >= 0 && cell < size ? layer[cell] : 0.0f;
    }
    for (std::int64_t w = 0; w < waves; ++w) {
        add_particles(own, k, static_cast<float>(size), positions + begins[w], values + begins[w],
                      begins[w + 1] - begins[w]);
        relax_and_find(own, first, size, halo, keys + w);
    }
#pragma unroll
    for (int j = 0; j < kCells; ++j) {
        const int i = threadIdx.x + j * kUpdateBlock;
        const bool mine = i >= halo && i < kTile - halo && first + i < size;
        if (mine) next_layer[first + i] = own[j];
    }
}

// The peak that a key stands for.
inline Maximum maximum_of(Key key) {
    if (key == 0) return {};
    const auto from_end = static_cast<std::int64_t>(key & kLastPosition);
    const auto bits = static_cast<std::uint32_t>(key >> kPositionBits);
    return {kLastPosition - from_end, std::bit_cast<float>(bits)};
}

}  // namespace storms
