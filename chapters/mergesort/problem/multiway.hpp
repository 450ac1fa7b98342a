// SPDX-License-Identifier: MIT
// The passes of a merge sort that merges several runs at once (stages limit/04 on).
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "problem/mergesort.hpp"

namespace mergesort {

// One pass: groups of `ways` runs are merged, each of `run` keys. A group has tiles of `capacity`
// keys, of which the last may be short. The last group may have fewer runs, and its last run may be
// short.
struct Pass {
    std::int64_t count, run;  // keys
    std::int64_t tiles_per_group;  // of a whole group
    std::int64_t tiles;
    int ways;  // 2, 4, 8 or 16
    int capacity;  // keys
};

// --ways: how many runs a pass merges at most.
Option ways_option();

// A pass over `count` keys. A tile has `windows` windows of `window_keys` keys, one per thread;
// each of the ways / 2 pairs of fragments may waste one of them. It uses a multiple of
// `windows_together` of the others.
Pass make_pass(std::int64_t count, std::int64_t run, int ways, int windows, int window_keys,
               int fragments_per_gap = 2, int windows_together = 1);

// The passes that turn runs of `run` keys into one of `count` keys, or, if `aim` is less, into runs
// of at least `aim` keys, each of at most `most_ways` runs. There are as few as possible, and their
// ways differ by a factor of 2 at most: each round of a pass costs time, even if it finds nothing
// to merge.
std::vector<Pass> plan_passes(std::int64_t count, std::int64_t run, std::int64_t most_ways,
                              int windows, int window_keys, int fragments_per_gap = 2,
                              std::int64_t aim = std::numeric_limits<std::int64_t>::max(),
                              int windows_together = 1);

// The passes of a merge sort whose tiles are stored by bulk copies: each tile begins at a multiple
// of four keys.
std::vector<Pass> plan_bulk_passes(std::int64_t count, std::int64_t run, std::int64_t most_ways,
                                   int windows, int window_keys);

// Stages whose cuts are 32-bit integers sort at most so many keys.
std::int64_t largest_sampled_n();

// Device memory that such a stage takes: two lists, a sample per 32 keys, and the boundaries.
inline constexpr double kSampledBytesPerKey = 8.3;

// The chunks in which a list comes to the device, in keys: at most `most`. All but the last are
// whole tiles. The last four shrink, because nothing else is left to do while the last one is
// sorted; but chunks of less than `least` keys take longer to sort than to copy, so there are none.
std::vector<std::int64_t> plan_chunks(std::int64_t count, std::int64_t most, std::int64_t least,
                                      std::int64_t tile);

// The most boundaries that a pass has: `ways` per tile.
std::int64_t most_boundaries(const std::vector<Pass>& passes);

}  // namespace mergesort
