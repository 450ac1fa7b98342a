// SPDX-License-Identifier: MIT
// The sort of tiles that looks whether a tile is in order already.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "blocks/natural_runs/found_runs.cuh"
#include "blocks/sized_tiles/sized_sort.cuh"
#include "blocks/tile_copies/tile_copies.cuh"
#include "problem/mergesort.hpp"

namespace mergesort::natural {

// Integers that are equal are alike: nobody sees their order. Other keys must keep it, so a list
// that goes down must have no equal ones.
__device__ __forceinline__ bool goes_down(Key key, Key next) {
    return std::is_integral_v<Key> ? !(key < next) : next < key;
}

// One block per tile, from one list to another. tile_orders: nullptr, or what each tile's order is.
template <int kKeys>
__global__ void __launch_bounds__(kThreads, 5)
    sort_tiles_kernel(const Key* __restrict__ from, Key* __restrict__ to, std::int64_t count,
                      unsigned char* __restrict__ tile_orders) {
    extern __shared__ Key s_keys[];
    __shared__ unsigned s_order;
    constexpr std::int64_t kTileKeys = sized::tile_keys(kKeys);
    const int thread = threadIdx.x;
    const std::int64_t first = blockIdx.x * kTileKeys, left = count - first;
    const int tile_count = static_cast<int>(min(left, kTileKeys));
    if (thread == 0) s_order = kBoth;
    Key next_tile = {};
    if (thread == kThreads - 1 && left > kTileKeys) next_tile = from[first + kTileKeys];
    Key own[kKeys];
    sized::load_tile(from + first, tile_count, s_keys, own);
    if (tile_orders == nullptr) {
        __syncthreads();  // all threads have read
    } else {
        bool up = true, down = true;
        const auto next_keys = static_cast<int>(min(left - 1 - thread * kKeys, kTileKeys));
#pragma unroll
        for (int k = 0; k < kKeys; ++k) {
            if (k >= next_keys || !(up || down)) break;
            const Key next = k + 1 < kKeys            ? own[k + 1]
                             : thread == kThreads - 1 ? next_tile
                                                      : s_keys[(thread + 1) * kKeys];
            up = up && !(next < own[k]);
            down = down && goes_down(own[k], next);
        }
        const unsigned warp_order =
            (__all_sync(0xffffffff, up) ? kUp : 0u) | (__all_sync(0xffffffff, down) ? kDown : 0u);
        if (thread % 32 == 0 && warp_order != kBoth) atomicAnd(&s_order, warp_order);
        __syncthreads();  // all threads have read
        const unsigned order = s_order;
        if (thread == 0) tile_orders[blockIdx.x] = static_cast<unsigned char>(order);
        if ((order & kUp) != 0) {
            store_tile<kThreads, kKeys>(to + first, s_keys, tile_count);
            return;
        }
        if ((order & kDown) != 0) {
            for (int i = thread; i < tile_count; i += kThreads) {
                to[first + i] = s_keys[tile_count - 1 - i];
            }
            return;
        }
    }
    sized::sort_tile(s_keys, own);
    store_tile<kThreads, kKeys>(to + first, s_keys, tile_count);
}

}  // namespace mergesort::natural
