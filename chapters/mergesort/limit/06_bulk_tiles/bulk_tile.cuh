// SPDX-License-Identifier: MIT
// A tile that comes and goes by bulk copies: one for each fragment, and one for the result.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/bulk_copies/bulk_copies.cuh"
#include "blocks/multiway_cuts/sampled_cuts.cuh"
#include "limit/02_block_sort/block_sort.cuh"
#include "limit/04_eight_ways/multiway_tile.cuh"
#include "limit/05_odd_windows/odd_tile.cuh"
#include "problem/mergesort.hpp"
#include "problem/multiway.hpp"

namespace mergesort {

// kThreads merge kKeys keys each. A fragment comes with up to kBulkKeys - 1 keys before and after
// it. Behind each run lie kRoom words, which the threads fill with the largest key: a thread whose
// window ends with its runs may read one of them for each of its keys.
template <int kWays, int kThreads, int kKeys>
struct BulkTile {
    static constexpr int kRoom = static_cast<int>(whole_bulks(kKeys + 1));
    static constexpr int kWords = kThreads * kKeys + kWays * (kRoom + 2 * kBulkKeys);

    std::int64_t result, samples;  // its place in the list, and that of its samples
    int starts[kWays + 1];  // of the fragments, if they lie one after the other
    int gaps[kWays];  // of the pairs, by nodes: so many places of a last window stay empty
    int places[kWays];  // of the fragments, as they arrive
};

// The first warp calls, lane j with fragment j, and the others with one without keys. Describes the
// tile and starts its copies; all threads then wait for phase 0 of s_arrived.
template <int kWays, int kThreads, int kKeys>
__device__ __forceinline__ void fetch_fragments(const Key* from, const Fragment& own, Key* s_keys,
                                                BulkTile<kWays, kThreads, kKeys>& s_tile,
                                                std::uint64_t& s_arrived) {
    const int lane = threadIdx.x;
    const int length = static_cast<int>(own.length);
    const int before = length == 0 ? 0 : static_cast<int>(own.begin % kBulkKeys);
    const int copied = static_cast<int>(whole_bulks(before + length));
    int end = length, copied_end = copied;
    for (int distance = 1; distance < kWays; distance *= 2) {
        const int others = __shfl_up_sync(0xffffffff, end, distance);
        const int others_copied = __shfl_up_sync(0xffffffff, copied_end, distance);
        if (lane >= distance) end += others, copied_end += others_copied;
    }
    const int all_copied = __shfl_sync(0xffffffff, copied_end, kWays - 1);
    const int place = copied_end - copied + s_tile.kRoom * lane;
    if (lane == 0) expect_bulks(all_copied, s_arrived);
    __syncwarp();  // s_arrived expects them
    if (copied > 0) fetch_bulk(s_keys + place, from + (own.begin - before), copied, s_arrived);
    if (lane < kWays) {
        s_tile.starts[lane + 1] = end;
        s_tile.places[lane] = place + before;
    }
    if (lane == 0) {
        s_tile.starts[0] = 0;
        s_tile.result = own.tile_begin;
    }
    __syncwarp();
    int pairs = 1, gap = 0;
    while (2 * pairs <= lane) pairs *= 2;
    for (int i = 1; lane < kWays && i <= lane - pairs; ++i) {
        const int dense = s_tile.starts[i * (kWays / pairs)];
        gap = after_gap<kKeys>(dense + gap) - dense;
    }
    if (lane < kWays) s_tile.gaps[lane] = gap;
}

// One thread calls. tile_begin: of the tile, in the list.
template <int kWays, int kThreads, int kKeys>
__device__ __forceinline__ void place_samples(const Pass& pass, std::int64_t tile,
                                              std::int64_t tile_begin,
                                              BulkTile<kWays, kThreads, kKeys>& s_tile) {
    const std::int64_t before_tile = tile % pass.tiles_per_group * pass.capacity;
    s_tile.samples = samples_at(tile_begin - before_tile) + before_tile / kKeys;
}

// Fills the room after each of the runs. places(i): where run i lies.
template <int kWays, int kThreads, int kKeys, typename Places>
__device__ __forceinline__ void fill_rooms(Key* s_keys,
                                           const BulkTile<kWays, kThreads, kKeys>& s_tile, int runs,
                                           Places places) {
    const int span = kWays / runs;
    for (int i = threadIdx.x / 32; i < runs; i += kThreads / 32) {  // a warp per run
        const int end = places(i) + s_tile.starts[(i + 1) * span] - s_tile.starts[i * span];
        for (int j = threadIdx.x % 32; j <= kKeys; j += 32) s_keys[end + j] = kLargestKey;
    }
}

// How many of the first `diagonal` keys of a merge come from its left run. Each step is half of the
// one before, rounded up: with powers of two, the places of 32 threads would differ by multiples
// of 32 and lie in one bank. kMost: one run has no more keys.
template <int kMost>
__device__ __forceinline__ int split_path(const Key* s_left, int left_count, const Key* s_right,
                                          int right_count, int diagonal) {
    constexpr int kRare = 1000;  // such a step is too long for most searches
    int path = max(diagonal - right_count, 0);
    const int most = min(diagonal, left_count), range = most - path;
    const Key* left = s_left + path - 1;
    const Key* right = s_right + diagonal - path;
#pragma unroll
    for (int step = kMost; step > 0; step = step == 1 ? 0 : (step + 1) / 2) {
        if (step >= kRare && range < step) continue;
        if (path + step <= most && !(right[-step] < left[step])) {
            path += step;
            left += step;
            right -= step;
        }
    }
    return path;
}

}  // namespace mergesort
