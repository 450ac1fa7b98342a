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
inline constexpr int kMostGroups = 6;
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

    // Of a group of rank `to`, the parts from the first to the last one that rank `from` sends to
    // it. Keys of a constant part do not travel, because their value is known.
    PartRange sent_parts(int from, int to, int group_of_rank) const {
        PartRange range = group(to, group_of_rank);
        const auto travels = [&](int part) { return !is_constant(part) && count(from, part) > 0; };
        while (range.size() > 0 && !travels(range.begin)) ++range.begin;
        while (range.size() > 0 && !travels(range.end - 1)) --range.end;
        return range;
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

// Where each rank has the parts after the first level: in regions, which are equally long on all
// ranks; or one part behind the other, if one of them was longer than its region.
class PartPlaces {
  public:
    // regions: of each part, the number of its region; a constant part has none. capacity: the keys
    // of a region.
    PartPlaces(const RankCuts& cuts, std::span<const unsigned> regions, std::int64_t capacity)
        : parts_(std::ssize(regions)) {
        for (int rank = 0; rank < cuts.ranks(); ++rank) {
            bool fit = true;
            for (int part = 0; part < parts_; ++part) {
                fit = fit && (cuts.is_constant(part) || cuts.count(rank, part) <= capacity);
            }
            std::int64_t place = 0;
            for (int part = 0; part < parts_; ++part) {
                if (cuts.is_constant(part)) {
                    begins_.push_back(0);  // it has no keys here
                    continue;
                }
                begins_.push_back(fit ? regions[part] * capacity : place);
                place = course::line_after<Key>(place + cuts.count(rank, part));
            }
            fit_.push_back(fit);
        }
    }

    bool fit(int rank) const { return fit_[rank]; }
    std::int64_t begin(int rank, int part) const { return begins_[rank * parts_ + part]; }

  private:
    std::int64_t parts_;
    std::vector<std::int64_t> begins_;
    std::vector<bool> fit_;
};

// What rank `from` sends to rank `to` for one of its groups: one message, with the free room
// between the parts. NCCL sends one long message much faster than many short ones.
struct PartMessage {
    PartMessage(const RankCuts& cuts, const PartPlaces& places, int from, int to, int group) {
        const PartRange parts = cuts.sent_parts(from, to, group);
        if (parts.size() == 0) return;
        const int last = parts.end - 1;
        begin = places.begin(from, parts.begin);
        length = places.begin(from, last) + cuts.count(from, last) - begin;
    }

    std::int64_t begin = 0, length = 0;
};

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
    // The rank's own pieces stay where they are. The messages come to lie one behind the other,
    // from place `received` on, each at a multiple of 16 bytes: NCCL and the partition need that. A
    // tile has tile_keys keys, or the last ones of a piece.
    PartPieces(const RankCuts& cuts, const PartPlaces& places, int rank, std::int64_t received,
               int tile_keys)
        : parts_(cuts.parts(rank)), ranks_(cuts.ranks()), end_(received) {
        for (int g = 0; g < kMostGroups; ++g) {
            std::vector<std::int64_t> moved(ranks_);  // how far, from the sender's place
            for (int from = 0; from < ranks_; ++from) {
                if (from != rank) {
                    const PartMessage message(cuts, places, from, rank, g);
                    moved[from] = end_ - message.begin;
                    messages_.push_back(end_);
                    end_ = course::line_after<Key>(end_ + message.length);
                } else {
                    messages_.push_back(0);  // no message
                }
            }
            const PartRange group = cuts.group(rank, g);
            for (int part = group.begin; part < group.end; ++part) {
                unsigned before = 0;
                for (int from = 0; from < ranks_; ++from) {
                    const unsigned count = cuts.is_constant(part) ? 0 : cuts.count(from, part);
                    pieces_.push_back(
                        {places.begin(from, part) + moved[from] - before, before + count, tiles_});
                    before += count;
                    tiles_ += (std::int64_t{count} + tile_keys - 1) / tile_keys;
                }
            }
        }
    }

    // Where the message of a group begins that comes from a rank.
    std::int64_t message(int group, int from) const { return messages_[group * ranks_ + from]; }

    const std::vector<Piece>& pieces() const { return pieces_; }
    PartRange parts() const { return parts_; }
    int ranks() const { return ranks_; }
    std::int64_t end() const { return end_; }  // of what the rank receives

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
    std::vector<std::int64_t> messages_;
    std::vector<Piece> pieces_;
    std::int64_t end_;
    unsigned tiles_ = 0;
};

}  // namespace quicksort
