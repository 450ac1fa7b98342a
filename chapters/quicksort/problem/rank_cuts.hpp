// SPDX-License-Identifier: MIT
// Which parts of the first level go to which rank, and where they lie there (the stage on many
// GPUs). All ranks have the same parts, and know how many keys each rank has of each part.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/ranks/message_line.hpp"
#include "common/ranks/slice.hpp"
#include "problem/quicksort.hpp"

namespace quicksort {

inline constexpr int kMostRanks = 64;
// The parts of a rank arrive in groups, so that it can sort one while the next is on its way.
// Nothing hides the way of the first group, so it is half as long as the others. Few parts do not
// keep a GPU busy.
inline constexpr int kMostGroups = 4;
inline constexpr int kFewestPartsOfFirst = 8;

struct PartRange {
    int begin = 0, end = 0;
    int size() const { return end - begin; }
};

class RankCuts {
  public:
    // counts: the keys in each part on rank 0, then on rank 1, and so on. is_constant: of each
    // part, whether its keys are all equal. A rank gets neighbouring parts. No part is sorted yet,
    // so only a constant part is divided, and at any place.
    RankCuts(std::vector<unsigned> counts, std::vector<bool> is_constant, int ranks)
        : counts_(std::move(counts)),
          is_constant_(std::move(is_constant)),
          ends_(is_constant_.size(), 0) {
        for (std::size_t i = 0; i < counts_.size(); ++i) ends_[i % ends_.size()] += counts_[i];
        for (std::size_t p = 1; p < ends_.size(); ++p) ends_[p] += ends_[p - 1];
        for (int rank = 0; rank <= ranks; ++rank) {
            const std::int64_t ideal =
                rank < ranks ? course::slice_of(ends_.back(), rank, ranks).begin : ends_.back();
            const int part = part_of(ideal);
            const std::int64_t before = ideal - begin(part), behind = ends_[part] - ideal;
            const std::int64_t nearer = before < behind ? begin(part) : ends_[part];
            begins_.push_back(is_constant_[part] ? ideal : nearer);
        }
    }

    int ranks() const { return static_cast<int>(begins_.size()) - 1; }
    bool is_constant(int part) const { return is_constant_[part]; }

    // Keys of the part that a rank has before the exchange.
    unsigned count(int rank, int part) const { return counts_[rank * ends_.size() + part]; }

    // Rank r gets the keys from begins()[r] to begins()[r + 1] of the sorted list.
    const std::vector<std::int64_t>& begins() const { return begins_; }
    std::int64_t keys(int rank) const { return begins_[rank + 1] - begins_[rank]; }

    // Of the part, the keys that a rank gets.
    std::int64_t share(int rank, int part) const {
        const std::int64_t first = std::max(begin(part), begins_[rank]);
        return std::max(std::min(ends_[part], begins_[rank + 1]) - first, std::int64_t{0});
    }

    // The parts of a rank, and those of one of its groups.
    PartRange parts(int rank) const {
        if (keys(rank) == 0) return {};
        return {part_of(begins_[rank] + 1), part_of(begins_[rank + 1]) + 1};
    }
    PartRange group(int rank, int group) const {
        const PartRange all = parts(rank);
        const int halves = 2 * kMostGroups - 1;  // of a long group
        const int half = std::max((all.size() + halves - 1) / halves, kFewestPartsOfFirst);
        return {std::min(all.begin + std::max(2 * group - 1, 0) * half, all.end),
                std::min(all.begin + (2 * group + 1) * half, all.end)};
    }

    // The parts of a group of rank `to` that rank `from` sends to it: a message each. Keys of a
    // constant part do not travel, because their value is known.
    std::vector<int> sent_parts(int from, int to, int group_of_rank) const {
        const PartRange range = group(to, group_of_rank);
        std::vector<int> sent;
        for (int part = range.begin; part < range.end; ++part) {
            if (!is_constant(part) && count(from, part) > 0) sent.push_back(part);
        }
        return sent;
    }

  private:
    std::int64_t begin(int part) const { return part > 0 ? ends_[part - 1] : 0; }
    // The part of the last one of so many keys.
    int part_of(std::int64_t keys) const {
        return static_cast<int>(std::lower_bound(ends_.begin(), ends_.end(), keys) - ends_.begin());
    }

    std::vector<unsigned> counts_;
    std::vector<bool> is_constant_;
    std::vector<std::int64_t> ends_;  // of the parts, in the sorted list
    std::vector<std::int64_t> begins_;  // of the ranks
};

inline std::int64_t longest_part(const std::vector<std::int64_t>& begins) {
    std::int64_t longest = 0;
    for (std::size_t d = 1; d < begins.size(); ++d) {
        longest = std::max(longest, begins[d] - begins[d - 1]);
    }
    return longest;
}

// The keys that a rank gets from one rank, of one part. Key i of the part is at place shift + i, if
// it is in this piece. end: the keys of the part in this piece and those before.
struct Piece {
    std::int64_t shift;
    unsigned end, first_tile;
};

// What a rank has after the exchange: of each of its parts, a piece from each rank. The pieces of a
// constant part are empty, because its keys are known: they do not travel.
class PartPieces {
  public:
    // own_begins: of each part, where the rank's own piece lies already. The others come to lie one
    // behind the other, from place `received` on, each at a multiple of 16 bytes: NCCL and the
    // partition need that. A tile has tile_keys keys, or the last ones of a piece.
    PartPieces(const RankCuts& cuts, int rank, std::span<const std::int64_t> own_begins,
               std::int64_t received, int tile_keys)
        : parts_(cuts.parts(rank)), ranks_(cuts.ranks()), end_(received) {
        for (int part = parts_.begin; part < parts_.end; ++part) {
            unsigned before = 0;
            for (int from = 0; from < ranks_; ++from) {
                const unsigned count = cuts.is_constant(part) ? 0 : cuts.count(from, part);
                const std::int64_t begin = from == rank ? own_begins[part] : end_;
                if (from != rank) end_ = course::line_after<Key>(end_ + count);
                pieces_.push_back({begin - before, before + count, tiles_});
                before += count;
                tiles_ += (std::int64_t{count} + tile_keys - 1) / tile_keys;
            }
        }
    }

    const std::vector<Piece>& pieces() const { return pieces_; }
    PartRange parts() const { return parts_; }
    int ranks() const { return ranks_; }
    std::int64_t end() const { return end_; }  // of what the rank receives

    std::int64_t begin(int part, int from) const {
        const std::size_t i = index(part) + from;
        return pieces_[i].shift + (from > 0 ? pieces_[i - 1].end : 0);
    }

    // The tiles of the parts before.
    unsigned first_tile(int part) const {
        return part < parts_.end ? pieces_[index(part)].first_tile : tiles_;
    }

  private:
    std::size_t index(int part) const {
        return static_cast<std::size_t>(part - parts_.begin) * ranks_;
    }

    PartRange parts_;
    int ranks_;
    std::vector<Piece> pieces_;
    std::int64_t end_;
    unsigned tiles_ = 0;
};

}  // namespace quicksort
