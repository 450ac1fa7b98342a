// SPDX-License-Identifier: MIT
// What the sort of tiles learns of the order of a list, and what a pass does with it.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/sized_tiles/sized_sort.cuh"
#include "problem/mergesort.hpp"

namespace mergesort::natural {

using sized::kThreads;

// Bits of a tile's order. Its keys and the first one of the next tile are compared.
inline constexpr unsigned kUp = 1;  // no key is less than the one before
inline constexpr unsigned kDown = 2;  // no key is greater
inline constexpr unsigned kBoth = kUp | kDown;

enum class Order : int { kNone, kSorted, kDown, kRuns };

inline constexpr int kMostRuns = 16;

struct FoundRuns {
    Order order;  // kNone: nothing helps
    std::int64_t begins[kMostRuns], lengths[kMostRuns];  // of runs, whole tiles; of missing ones: 0
};

// What each pass gets. tile_orders: nullptr if nobody has looked.
struct PassOrder {
    const unsigned char* tile_orders;
    FoundRuns* found;  // the first pass writes it
    std::int64_t tile_keys;  // of a sorted tile
    bool is_first;
    bool copies_back;  // where the first pass put keys into their final places, but in the wrong
                       // list
};

// All threads of a block call. A tile that is not in order is a run of its own, because it was
// sorted. kWays: so many runs at most. s_found is written if there are some.
template <int kWays>
__device__ __forceinline__ Order find_runs(const unsigned char* tile_orders, std::int64_t tile_keys,
                                           std::int64_t count, FoundRuns& s_found) {
    __shared__ int s_broken[kWays], s_number;
    __shared__ unsigned s_order;  // of all tiles
    const int tiles = static_cast<int>((count + tile_keys - 1) / tile_keys), thread = threadIdx.x;
    if (thread == 0) s_number = 0, s_order = kBoth;
    __syncthreads();
    int broken = 0;  // tiles that do not go up
    for (int first = 0; first < tiles; first += kThreads) {
        const int tile = first + thread;
        const unsigned order = tile < tiles ? tile_orders[tile] : kBoth;
        const int not_up = __popc(__ballot_sync(0xffffffff, (order & kUp) == 0));
        const bool down = __all_sync(0xffffffff, (order & kDown) != 0);
        if (thread % 32 == 0 && not_up > 0) atomicAdd(&s_number, not_up);
        if (thread % 32 == 0 && !down) atomicAnd(&s_order, kUp);
        __syncthreads();
        broken = s_number;
        if (broken > kWays && (s_order & kDown) == 0) return Order::kNone;
        __syncthreads();  // all threads have read
    }
    if (broken == 0) return Order::kSorted;
    if ((s_order & kDown) != 0) return Order::kDown;
    if (thread < kMostRuns) s_found.begins[thread] = s_found.lengths[thread] = 0;
    if (thread == 0) s_found.order = Order::kRuns, s_number = 0;
    __syncthreads();
    for (int tile = thread; tile < tiles; tile += kThreads) {
        if ((tile_orders[tile] & kUp) == 0) s_broken[atomicAdd(&s_number, 1)] = tile;
    }
    __syncthreads();
    if (thread == 0) {
        int runs = 0;
        const auto add = [&](int begin_tile, int end_tile) {
            if (begin_tile == end_tile) return;
            if (runs < kWays) {
                s_found.begins[runs] = begin_tile * tile_keys;
                s_found.lengths[runs] = min(end_tile * tile_keys, count) - begin_tile * tile_keys;
            }
            ++runs;
        };
        int begin = 0;
        for (int i = 0; i < broken; ++i) {
            int tile = tiles;  // the first broken one from `begin` on
            for (int j = 0; j < broken; ++j) {
                if (s_broken[j] >= begin) tile = min(tile, s_broken[j]);
            }
            add(begin, tile);
            add(tile, tile + 1);
            begin = tile + 1;
        }
        add(begin, tiles);
        if (runs > kWays) s_found.order = Order::kNone;
    }
    __syncthreads();
    return s_found.order;
}

// All blocks of a pass copy the sorted tiles, each to its place; or, if the tiles of the list go
// down, the last tile to the front.
__device__ __forceinline__ void place_tiles(const Key* __restrict__ from, Key* __restrict__ to,
                                            std::int64_t count, std::int64_t tile_keys, bool down) {
    for (std::int64_t begin = blockIdx.x * tile_keys; begin < count;
         begin += gridDim.x * tile_keys) {
        const std::int64_t end = min(begin + tile_keys, count);
        const Key* const its = from + begin;
        Key* const place = to + (down ? count - end : begin);
#pragma unroll 8
        for (int i = threadIdx.x; i < static_cast<int>(end - begin); i += kThreads) {
            place[i] = its[i];
        }
    }
}

// Whether nothing is to merge in this pass: true for all blocks, or for none. Then all keys are
// where the passes would have brought them.
__device__ __forceinline__ bool is_done(const PassOrder& order, Order found, const Key* from,
                                        Key* to, std::int64_t count) {
    if (found == Order::kNone || (found == Order::kRuns && order.is_first)) return false;
    if (found == Order::kSorted) return true;
    if (order.is_first || order.copies_back) {
        place_tiles(from, to, count, order.tile_keys, order.is_first);
    }
    return true;
}

}  // namespace mergesort::natural
