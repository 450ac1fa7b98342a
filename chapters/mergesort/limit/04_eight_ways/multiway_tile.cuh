// SPDX-License-Identifier: MIT
// Where a tile that is merged from several runs gets its keys, and where they lie in shared memory.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "limit/01_tile_merge/padded_merge.cuh"
#include "problem/mergesort.hpp"
#include "problem/multiway.hpp"

namespace mergesort {

// A tile of the result. Its keys come from one fragment of each run. In round r, pairs of fragments
// are merged; there are 2^p = kWays / 2^r of them. The pairs of all rounds form a tree: pair i of
// the round is node 2^p + i, and the pair that it belongs to in the next round is node / 2.
template <int kWays>
struct Tile {
    const Key* sources[kWays];
    Key* result;
    int starts[kWays + 1];  // of the fragments, if they lie one after the other
    // By nodes: a round's pairs have gaps between them, so that each begins at a multiple of a
    // thread's keys, and no thread merges keys of two pairs.
    int gaps[kWays];
};

// The next multiple of a thread's keys.
__device__ __forceinline__ int rounded_up(int place) {
    return (place + kKeysPerThread - 1) & ~(kKeysPerThread - 1);
}

// The first kWays threads call, each with its fragment: where it lies, and its keys.
template <int kWays>
__device__ __forceinline__ void place_fragments(const Key* source, std::int64_t length,
                                                Tile<kWays>& s_tile) {
    constexpr unsigned kMask = (1u << kWays) - 1;
    const int thread = threadIdx.x;
    int end = static_cast<int>(length);
    for (int distance = 1; distance < kWays; distance *= 2) {
        const int before = __shfl_up_sync(kMask, end, distance);
        if (thread >= distance) end += before;
    }
    s_tile.sources[thread] = source;
    s_tile.starts[thread + 1] = end;
    if (thread == 0) s_tile.starts[0] = 0;
    __syncwarp(kMask);
    int pairs = 1, gap = 0;
    while (2 * pairs <= thread) pairs *= 2;
    for (int i = 1; i <= thread - pairs; ++i) {
        const int dense = s_tile.starts[i * (kWays / pairs)];
        gap = rounded_up(dense + gap) - dense;
    }
    s_tile.gaps[thread] = gap;
}

// A thread's fragment of a tile, and the tile, in places of the list.
struct Fragment {
    std::int64_t begin, length, tile_begin;
};

// boundaries: see find_cuts_kernel.
template <int kWays>
__device__ __forceinline__ Fragment find_fragment(const Pass& pass, const std::int64_t* boundaries,
                                                  std::int64_t tile) {
    const int thread = threadIdx.x;
    const std::int64_t tile_in_group = tile % pass.tiles_per_group;
    const std::int64_t group = tile / pass.tiles_per_group * kWays * pass.run;
    const std::int64_t begin = group + thread * pass.run;
    const std::int64_t cut = boundaries[tile * kWays + thread];
    // The last tile of a group ends with its runs.
    const bool last = tile_in_group == pass.tiles_per_group - 1 || tile == pass.tiles - 1;
    const std::int64_t next_cut = last ? min(max(pass.count - begin, std::int64_t{0}), pass.run)
                                       : boundaries[(tile + 1) * kWays + thread];
    return {begin + cut, next_cut - cut, group + tile_in_group * pass.capacity};
}

// The first kWays threads call.
template <int kWays>
__device__ __forceinline__ void describe_tile(const Key* from, Key* to, const Pass& pass,
                                              const std::int64_t* boundaries, std::int64_t tile,
                                              Tile<kWays>& s_tile) {
    const Fragment own = find_fragment<kWays>(pass, boundaries, tile);
    place_fragments(from + own.begin, own.length, s_tile);
    if (threadIdx.x == 0) s_tile.result = to + own.tile_begin;
}

}  // namespace mergesort
