// SPDX-License-Identifier: MIT
// The keys per thread, the ways of a pass and the search for cuts, by the number of keys.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "blocks/sized_tiles/sized_sort.cuh"
#include "problem/mergesort.hpp"

namespace mergesort {

// Of lists of up to `most` keys: the keys per thread of the sort of tiles and of the merges, the
// runs that a pass merges, and whether a block searches its own cuts.
struct Sizes {
    std::int64_t most;
    int sort_keys, merge_keys, ways;
    bool own_cuts;
};
inline constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
inline constexpr Sizes kSizes[] = {
    {sized::tile_keys(9), 9, 17, 8, true},  // one tile
    {sized::tile_keys(17), 17, 17, 8, true},  // one tile
    {1 << 14, 17, 17, 8, true},
    {1 << 15, 17, 17, 16, true},  // one pass
    {1 << 19, 17, 17, 8, true},
    {1 << 22, 33, 33, 8, true},
    {kAny, 33, 49, 8, false},
};

// A flag that is not 0 replaces a size. --cuts 2 needs 49 keys per thread: samples are that far
// apart.
inline Sizes choose_sizes(std::int64_t count, const course::sorting::Options& options) {
    const Sizes* sizes = kSizes;
    while (count > sizes->most) ++sizes;
    Sizes chosen = *sizes;
    const std::int64_t sort_keys = options.integer("--sort-keys");
    const std::int64_t merge_keys = options.integer("--merge-keys");
    const std::int64_t ways = options.integer("--ways");
    const std::int64_t cuts = options.integer("--cuts");
    if (sort_keys > 0) chosen.sort_keys = sort_keys < 17 ? 9 : sort_keys < 33 ? 17 : 33;
    if (merge_keys > 0) chosen.merge_keys = merge_keys < 33 ? 17 : merge_keys < 49 ? 33 : 49;
    if (ways > 0) chosen.ways = static_cast<int>(ways);
    if (cuts > 0) chosen.own_cuts = cuts == 1;
    chosen.own_cuts = chosen.own_cuts || chosen.merge_keys < 49;
    return chosen;
}

inline std::vector<Option> size_options() {
    return {{"--sort-keys", "keys per thread that sorts; rounded down to 9, 17 or 33; 0: by n", 0,
             0, 33},
            {"--merge-keys", "keys per thread that merges; rounded down to 17, 33 or 49; 0: by n",
             0, 0, 49},
            {"--ways", "runs that a pass merges at most; rounded down to a power of two; 0: by n",
             0, 0, 16},
            {"--cuts", "1: each block searches its own; 2: a launch for all; 0: by n", 0, 0, 2}};
}

}  // namespace mergesort
