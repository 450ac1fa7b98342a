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

#include "common/ranks/message_line.hpp"
#include "common/ranks/slice.hpp"
#include "problem/quicksort.hpp"

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

    // The same, as a message.
    course::Message<Key> message(int chunk, int to) const {
        return {begin(chunk, to), begin(chunk, to + 1)};
    }

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

// The key at place `from` goes to place `to`.
struct KeyMove {
    std::int64_t from, to;
};

// Fills the holes of a list of `length` places with its last keys. The order does not matter,
// because the list is sorted afterwards. holes: ascending.
inline std::vector<KeyMove> moves_into(std::span<const std::int64_t> holes, std::int64_t length) {
    const std::int64_t keys = length - std::ssize(holes);
    std::vector<KeyMove> moves;
    std::int64_t from = length - 1;
    auto last = holes.rbegin();  // of the holes behind `from`, the next one
    for (const std::int64_t hole : holes) {
        if (hole >= keys) break;
        for (; last != holes.rend() && *last == from; ++last) --from;
        moves.push_back({from--, hole});
    }
    return moves;
}

// Where the keys of a chunk come to lie on a rank: first those that it keeps, then those of the
// other ranks. A message begins at a multiple of 16 bytes, and with keys that the rank does not
// want: there are holes.
struct Arrival {
    std::int64_t begin = 0, count = 0;  // of the keys, once the holes are filled
    std::vector<std::int64_t> places;  // of each rank's message, and of the keys that are kept
    std::vector<KeyMove> moves;  // fill the holes
};

// The chunks come one after another, each from a multiple of 16 bytes on.
inline std::vector<Arrival> arrivals_on(const RankCuts& cuts, int rank, int chunks) {
    std::vector<Arrival> arrivals(chunks);
    std::int64_t to = 0;
    for (int chunk = 0; chunk < chunks; ++chunk) {
        Arrival& arrival = arrivals[chunk];
        const std::int64_t begin = course::line_after<Key>(to);
        to = begin + cuts.count(rank * chunks + chunk, rank);
        std::vector<std::int64_t> holes;  // counted from `begin`
        for (int from = 0; from < cuts.ranks; ++from) {
            arrival.places.push_back(from == rank ? begin : course::line_after<Key>(to));
            const course::Message<Key> message = cuts.message(from * chunks + chunk, rank);
            if (from == rank || !message.is_sent) continue;
            const std::int64_t keys_begin = arrival.places.back() + message.unwanted;
            for (; to < keys_begin; ++to) holes.push_back(to - begin);
            to = arrival.places.back() + message.length;
        }
        arrival.begin = begin;
        arrival.count = to - begin - std::ssize(holes);
        arrival.moves = moves_into(holes, to - begin);
        for (KeyMove& move : arrival.moves) move = {begin + move.from, begin + move.to};
    }
    return arrivals;
}

// For each chunk of a rank, the keys of lower classes. counts: see cut_classes().
inline std::vector<ClassCount> cursors_of(std::span<const ClassCount> counts, int ranks, int rank) {
    const std::size_t own = counts.size() / ranks;
    std::vector<ClassCount> sums(own, 0);
    for (std::size_t i = 1; i < own; ++i) {
        if (i % kMostClasses > 0) sums[i] = sums[i - 1] + counts[own * rank + i - 1];
    }
    return sums;
}

}  // namespace quicksort
