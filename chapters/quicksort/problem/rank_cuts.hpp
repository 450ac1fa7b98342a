// SPDX-License-Identifier: MIT
// Where the keys of several ranks are cut, so that each rank gets about as many (the last stage).
// A splitter parts keys into classes: keys less than it, its equals, and keys greater than it. So
// R ranks have R - 1 splitters, and at most 2 R - 1 classes. Classes follow each other in order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/ranks/slice.hpp"

namespace quicksort {

inline constexpr int kMostRanks = 64;
inline constexpr int kMostClasses = 2 * kMostRanks;

using ClassCount = unsigned long long;  // of keys: what atomicAdd takes

// The keys of one chunk of one rank, in the order of their classes, have R + 1 cuts: rank d gets
// those from cut d to cut d + 1.
struct RankCuts {
    std::vector<std::int64_t> cuts;
    int ranks;

    std::int64_t begin(int chunk, int to) const {
        return cuts[static_cast<std::size_t>(chunk) * (ranks + 1) + to];
    }
    std::int64_t count(int chunk, int to) const { return begin(chunk, to + 1) - begin(chunk, to); }

    // The keys of rank d are those from d to d + 1 of the sorted list.
    std::vector<std::int64_t> begins() const {
        std::vector<std::int64_t> sums(ranks + 1, 0);
        for (std::size_t i = 0; i < cuts.size(); ++i) sums[i % (ranks + 1)] += cuts[i];
        return sums;
    }
};

// counts: kMostClasses per chunk, for all chunks of rank 0, then those of rank 1, and so on. Keys
// of different value cannot be told apart within a class with an even number, so it goes to one
// rank. Equal keys are divided as their number demands: first those of the first chunks.
inline RankCuts cut_classes(std::span<const ClassCount> counts, int ranks) {
    const std::size_t chunks = counts.size() / kMostClasses;
    std::vector<std::int64_t> ends(kMostClasses, 0);  // of the classes of all ranks
    for (std::size_t i = 0; i < counts.size(); ++i) {
        ends[i % kMostClasses] += static_cast<std::int64_t>(counts[i]);
    }
    for (std::size_t c = 1; c < kMostClasses; ++c) ends[c] += ends[c - 1];
    const std::int64_t all = ends.back();
    RankCuts result{std::vector<std::int64_t>(chunks * (ranks + 1)), ranks};
    for (int d = 1; d <= ranks; ++d) {
        const std::int64_t ideal = d < ranks ? course::slice_of(all, d, ranks).begin : all;
        const auto cut_class = std::lower_bound(ends.begin(), ends.end(), ideal) - ends.begin();
        const std::int64_t first = cut_class > 0 ? ends[cut_class - 1] : 0;
        std::int64_t taken = ideal - first;  // of the class that is cut
        if (cut_class % 2 == 0) {
            const std::int64_t size = ends[cut_class] - first;
            taken = 2 * taken < size ? 0 : size;
        }
        for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
            const ClassCount* const own = counts.data() + chunk * kMostClasses;
            std::int64_t cut = 0;
            for (std::ptrdiff_t c = 0; c < cut_class; ++c) cut += static_cast<std::int64_t>(own[c]);
            const auto equal = std::min(static_cast<std::int64_t>(own[cut_class]), taken);
            taken -= equal;
            result.cuts[chunk * (ranks + 1) + d] = cut + equal;
        }
    }
    return result;
}

inline std::int64_t longest_part(const std::vector<std::int64_t>& begins) {
    std::int64_t longest = 0;
    for (std::size_t d = 1; d < begins.size(); ++d) {
        longest = std::max(longest, begins[d] - begins[d - 1]);
    }
    return longest;
}

// For each chunk, the keys of lower classes.
inline std::vector<ClassCount> sums_before(std::span<const ClassCount> counts) {
    std::vector<ClassCount> sums(counts.size(), 0);
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (i % kMostClasses > 0) sums[i] = sums[i - 1] + counts[i - 1];
    }
    return sums;
}

}  // namespace quicksort
