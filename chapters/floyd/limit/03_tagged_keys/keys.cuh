// SPDX-License-Identifier: MIT
// Keys: a distance and the pivot that the path leads over last, in one word. For rounds of kPivots
// steps, a power of 2.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "limit/01_blocked/matrices.cuh"
#include "limit/02_register_tiles/four_words.cuh"

namespace floyd {

// A key is a distance times kTags plus a tag: k + 1 for the path over pivot k, 0 for the path that
// was known before the round. So the least key is the shortest path, of equally short ones an old
// one, and of new ones that over the smallest pivot. Distances in keys are relative: to the least
// of the row (to any pivot) plus the least of the column (from any pivot). So no sum is negative.
// What is above kMaxRelative is cut to it, a cell to kMaxCell: above any sum of two cut distances,
// and below any sum with an infinite one. A cut distance can win where it should not, but never the
// other way round; store_keys searches again where it won.
template <int kPivots>
struct Keys {
    static constexpr int kTagBits = kPivots == 32 ? 6 : kPivots == 64 ? 7 : 8;
    static constexpr int kTags = 1 << kTagBits;
    static_assert(kTags == 2 * kPivots);
    static constexpr int kTagMask = kTags - 1;
    static constexpr Distance kMaxRelative = (1 << 29) / kTags - 64;
    static constexpr Distance kMaxCell = 2 * kMaxRelative + 1;
    static constexpr int kInfinite = (kMaxCell + 1) * kTags;

    // The sum of two infinite keys and a tag fits 32 bits.
    static_assert(2LL * kInfinite + kPivots <= INT32_MAX);
    static_assert(2LL * kMaxRelative * kTags + kPivots < static_cast<long long>(kMaxCell) * kTags);
};

// The distances between all vertices and the round's pivots in one direction: element k * stride +
// vertex. The same as keys; and for each vertex the least distance, to which its keys are relative.
struct Panel {
    Distance* distances;
    int* keys;
    Distance* least;
};

// The key of one element of a panel.
template <int kPivots>
__device__ __forceinline__ int key_of(Distance distance, Distance least) {
    using Limits = Keys<kPivots>;
    if (distance > kMaxDistance) return Limits::kInfinite;
    return min(distance - least, Limits::kMaxRelative) * Limits::kTags;
}

// The keys of 4 x 4 cells.
template <int kPivots>
__device__ __forceinline__ void load_keys(Matrices matrices, Panel to, Panel from, std::int64_t row,
                                          std::int64_t column, int (&keys)[4][4]) {
    using Limits = Keys<kPivots>;
    Distance to_least[4], from_least[4];
    load_four(&to.least[row], to_least);
    load_four(&from.least[column], from_least);
    for (int i = 0; i < 4; ++i) {
        Distance cells[4];
        load_four(&matrices.distances[(row + i) * matrices.stride + column], cells);
        for (int j = 0; j < 4; ++j) {
            // An infinite cell needs no limit of its own: the least sum of finite distances, if
            // there is one, is that of a simple path, and so at most kMaxDistance. And no sum is
            // below 0: a cell that is below may as well be 0.
            const Distance relative = cells[j] - (to_least[i] + from_least[j]);
            keys[i][j] = max(min(relative, Limits::kMaxCell), 0) * Limits::kTags;
        }
    }
}

// The relaxation of one cell over all pivots, with whole distances.
template <int kPivots>
__device__ __forceinline__ void relax_cell(Matrices matrices, int round, Panel to, Panel from,
                                           std::int64_t row, std::int64_t column) {
    Distance best = as_cell(matrices.distances[row * matrices.stride + column]);
    int via = -1;
#pragma unroll 1
    for (int k = 0; k < kPivots; ++k) {
        const Distance through =
            to.distances[k * matrices.stride + row] + from.distances[k * matrices.stride + column];
        if (through < best) {
            best = through;
            via = k;
        }
    }
    if (via < 0) return;
    matrices.distances[row * matrices.stride + column] = best;
    matrices.next_hops[row * matrices.stride + column] =
        matrices.next_hops[row * matrices.stride + round * kPivots + via];
}

// Stores those of 4 x 4 cells that have become less, and their next hops. Changes the keys.
// Measured on an H200: to store four cells at a time, the old ones with the new ones, is slower.
template <int kPivots>
__device__ __forceinline__ void store_keys(Matrices matrices, int round, Panel to, Panel from,
                                           std::int64_t row, std::int64_t column,
                                           int (&keys)[4][4]) {
    using Limits = Keys<kPivots>;
    int all = 0;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) all |= keys[i][j];
    }
    if ((all & Limits::kTagMask) == 0) return;
    Distance to_least[4], from_least[4];
    load_four(&to.least[row], to_least);
    load_four(&from.least[column], from_least);
    // All loads come before all stores: the compiler cannot know that they are of other cells.
    Vertex hops[4][4];
    unsigned cut = 0;  // a bit per cell
    for (int i = 0; i < 4; ++i) {
        const Vertex* first_hops =
            matrices.next_hops + (row + i) * matrices.stride + round * kPivots - 1;
        for (int j = 0; j < 4; ++j) {
            const int tag = keys[i][j] & Limits::kTagMask;
            if (tag == 0) continue;
            hops[i][j] = first_hops[tag];
            if (keys[i][j] < Limits::kMaxRelative * Limits::kTags) continue;
            cut |= 1U << (4 * i + j);
            keys[i][j] = 0;
        }
    }
    for (int i = 0; i < 4; ++i) {
        const std::int64_t cells = (row + i) * matrices.stride + column;
        for (int j = 0; j < 4; ++j) {
            if ((keys[i][j] & Limits::kTagMask) == 0) continue;
            matrices.distances[cells + j] =
                (keys[i][j] >> Limits::kTagBits) + (to_least[i] + from_least[j]);
            matrices.next_hops[cells + j] = hops[i][j];
        }
    }
    for (; cut != 0; cut &= cut - 1) {
        const int cell = __ffs(cut) - 1;
        relax_cell<kPivots>(matrices, round, to, from, row + cell / 4, column + cell % 4);
    }
}

}  // namespace floyd
