// SPDX-License-Identifier: MIT
// A merge of the runs of all ranks, of any lengths, in one pass or in two.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "blocks/sized_tiles/any_runs.cuh"
#include "common/ranks/message_line.hpp"
#include "problem/mergesort.hpp"

namespace mergesort {

inline constexpr int kMostRanks = 64;

using Message = course::Message<Key>;

// A run in a list of the device.
struct RankRun {
    std::int64_t begin, length;
};

// Enough for a merge of so many keys.
inline std::int64_t rank_boundaries(std::int64_t keys) { return kMostRuns * (keys / kRunTile + 2); }

// Merges up to 16 runs of the list, in order, to its place `to`: of equal keys, those of the first
// run come first.
inline RankRun merge_some_runs(Key* list, std::span<const RankRun> runs, std::int64_t to,
                               std::int64_t* boundaries) {
    Runs some = {};
    std::int64_t keys = 0;
    for (std::size_t j = 0; j < runs.size(); ++j) {
        some.begins[j] = runs[j].begin;
        some.lengths[j] = runs[j].length;
        keys += runs[j].length;
    }
    if (keys > 0) launch_run_merge(list, list + to, some, keys, boundaries);
    return {to, keys};
}

// Merges the runs of a list to the place `to`. More than 16 runs need two passes: the second brings
// the keys to `then_to`, where nothing may be left that is still needed. Returns where they are.
inline std::int64_t merge_runs_of_ranks(Key* list, std::vector<RankRun> runs, std::int64_t to,
                                        std::int64_t then_to, std::int64_t* boundaries) {
    while (true) {
        std::vector<RankRun> longer;
        std::int64_t place = to;
        for (std::size_t j = 0; j < runs.size(); j += kMostRuns) {
            const std::size_t number = std::min<std::size_t>(kMostRuns, runs.size() - j);
            longer.push_back(
                merge_some_runs(list, std::span(runs).subspan(j, number), place, boundaries));
            place += longer.back().length;
        }
        if (longer.size() == 1) return to;
        runs = longer;
        to = then_to;
    }
}

}  // namespace mergesort
