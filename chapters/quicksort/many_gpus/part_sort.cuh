// SPDX-License-Identifier: MIT
// The lists of the second level, which are the parts that a rank gets: their tables, and their sort
// if a region has overflowed.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "blocks/levels/level_memory.cuh"
#include "blocks/levels/level_sort.cuh"
#include "blocks/levels/region_leaves.cuh"
#include "blocks/rank_parts/list_pieces.cuh"
#include "blocks/rank_parts/rank_sample.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "limit/01_multiway_partition/multiway.cuh"
#include "limit/07_one_pass/levels.cuh"
#include "limit/09_two_pipes/long_tiles.cuh"
#include "problem/quicksort.hpp"
#include "problem/rank_cuts.hpp"

namespace quicksort {

class PartSort {
  public:
    // The option --slack: less than kMostSlack leaves less room than the other stages have.
    PartSort(const RankPlan& plan, const Input& input)
        : plan_(plan),
          rounds_(input.options.integer("--rounds")),
          slack_(input.options.integer("--slack")),
          seed_(input.seed),
          last_(2 * plan.room() + kMessageKeys * plan.parts()),
          d_pieces_(std::int64_t{plan.parts()} * plan.ranks),
          memory_(memory_for(plan.room())) {}

    // The parts of this rank, which lie in pieces of `lists`. `upper` is the level that made them.
    void set_lists(const RankCuts& cuts, int rank, const Level& upper, Key* lists,
                   const PartPieces& pieces) {
        const std::int64_t keys = cuts.keys(rank);
        if (keys > plan_.room()) {  // the sample was a bad one
            last_ = {};
            last_ = course::DeviceBuffer<Key>(2 * keys + kMessageKeys * plan_.parts());
            memory_ = memory_for(keys);
        }
        upper_ = upper;
        lists_ = lists;
        lower_ = memory_.last(lists, last_.data());
        std::vector<LevelList> all;
        std::int64_t begin = 0, area = 0;
        for (int part = pieces.parts().begin; part < pieces.parts().end; ++part) {
            const std::int64_t count = cuts.share(rank, part);
            LevelList list = {};
            list.begin = begin;
            list.area = area;
            list.count = static_cast<unsigned>(count);
            list.constant = cuts.is_constant(part);
            if (!list.constant) {
                const std::int64_t wanted = (count + count * slack_ / kMostSlack + 3) / 4 * 4;
                list.area_keys = static_cast<unsigned>(std::min(wanted, kMostAreaKeys));
            }
            begin += count;
            area += list.area_keys;
            all.push_back(list);
        }
        memory_.clear();
        copy(lower_.lists, all);
        copy(d_pieces_.data(), pieces.pieces());
        parts_ = pieces.parts();
        keys_ = keys;
    }

    // The lists of some neighbouring parts of the rank.
    ListGroup group(const PartRange& group, const PartPieces& pieces) {
        const int first = group.begin - parts_.begin;
        const std::int64_t parts_before = std::int64_t{first} * lower_.parts;
        ListGroup result = {lower_, upper_, d_pieces_.data() + std::int64_t{first} * plan_.ranks,
                            0,      0,      memory_.leaves()};
        const unsigned first_tile = pieces.first_tile(group.begin);
        result.tiles = pieces.first_tile(group.end) - first_tile;
        result.leaf_count = static_cast<unsigned>(group.size() * lower_.parts);
        result.leaves.leaves += parts_before;
        result.level.lists += first;
        result.level.list_count = group.size();
        result.level.tiles += first_tile;
        result.level.splitters += parts_before;
        result.level.regions += parts_before;
        result.level.cursors += parts_before;
        result.before.splitters += group.begin;
        return result;
    }

    // Before the leaves of a group. The group before has filled its constant parts.
    void forget_constants() {
        course::cuda_check(cudaMemsetAsync(memory_.leaves().constant_count, 0, sizeof(unsigned)));
    }

    // Waits. If a region has overflowed, sorts all lists in rounds; they are still where they were,
    // and that place becomes the rounds' buffer. sorted: where the keys belong.
    void settle(const PartPieces& pieces, Key* sorted) {
        if (keys_ == 0 || memory_.unfit().empty()) return;
        last_ = {};  // makes room for the rounds' memory
        queue_join(group(parts_, pieces), plan_.ranks, sorted);
        sort_exactly({{0, keys_, 0}}, keys_, sorted, lists_, rounds_, seed_);
    }

  private:
    static constexpr std::int64_t kMessageKeys = course::kMessageLine<Key>;
    static constexpr std::int64_t kMostAreaKeys = 0xfffffffc;

    LevelMemory memory_for(std::int64_t keys) const {
        return LevelMemory(tables_of(plan_.first_bits, plan_.last_bits), keys,
                           kThreads * kFewerKeys, plan_.ranks);
    }

    template <typename T>
    static void copy(T* to, const std::vector<T>& from) {
        course::cuda_check(
            cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
    }

    RankPlan plan_;
    std::int64_t rounds_, slack_;
    std::uint64_t seed_;
    course::DeviceBuffer<Key> last_;
    course::DeviceBuffer<Piece> d_pieces_;
    LevelMemory memory_;
    Level upper_ = {}, lower_ = {};
    Key* lists_ = nullptr;
    PartRange parts_;
    std::int64_t keys_ = 0;
};

}  // namespace quicksort
