// SPDX-License-Identifier: MIT
// The sorted runs in which the ranks leave their slices (stage many_gpus).
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/ranks/slice.hpp"
#include "problem/multisort.hpp"

namespace mergesort {

// The first key of a part, of those that `ranks` ranks with `parts` parts each share.
inline std::int64_t begin_of_part(std::int64_t count, int part, int ranks, int parts) {
    const course::Slice slice = course::slice_of(count, part / parts, ranks);
    return slice.begin + course::slice_of(slice.size(), part % parts, parts).begin;
}

// Run j of rank r is run r * each + j of all. Together there are `most` runs at most, or one per
// rank if that is more. The last runs of a rank may be short, or empty.
struct RunsOfRanks {
    // tile: the keys of the shortest run.
    RunsOfRanks(std::int64_t keys, int ranks, int most, std::int64_t tile)
        : keys(keys), ranks(ranks) {
        int levels = merge_levels(std::max(length_of_slice(0), std::int64_t{1}), tile);
        for (; levels > 0 && ranks > 1 && 2 * each * ranks <= most; --levels) each *= 2;
        run_length = tile << levels;
    }

    int all() const { return each * ranks; }
    std::int64_t length_of_slice(int rank) const {
        return course::slice_of(keys, rank, ranks).size();
    }
    std::int64_t length(int run) const {
        const std::int64_t left = length_of_slice(run / each) - run % each * run_length;
        return std::clamp(left, std::int64_t{0}, run_length);
    }

    std::int64_t keys;
    int ranks, each = 1;  // runs of a rank
    std::int64_t run_length = 0;
};

}  // namespace mergesort
