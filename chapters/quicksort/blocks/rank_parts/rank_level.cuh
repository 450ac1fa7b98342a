// SPDX-License-Identifier: MIT
// The first level of a sort on many GPUs. All ranks choose the same parts, from a sample of all
// keys, and each rank partitions its own keys.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "blocks/levels/level_memory.cuh"
#include "blocks/levels/level_sort.cuh"
#include "blocks/rank_parts/rank_sample.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/ranks/message_line.hpp"
#include "limit/01_multiway_partition/multiway.cuh"
#include "limit/07_one_pass/level_regions.cuh"
#include "limit/07_one_pass/levels.cuh"
#include "limit/09_two_pipes/long_tiles.cuh"
#include "problem/quicksort.hpp"
#include "problem/rank_cuts.hpp"

namespace quicksort {

// Keys of a tile of partition_lists().
inline int long_tile_keys() {
    return with_tiles<LongTiles>(
        [](int keys_per_thread, const auto&) { return kThreads * keys_per_thread; });
}

// Launches the partition of stage limit/09, one block per tile.
inline void partition_lists(int bits, const Level& level, std::int64_t tiles) {
    if (tiles == 0) return;
    with_tiles<LongTiles>([&](int, const auto& partition) {
        with_bits(bits, [&](auto constant) {
            partition(constant, level, static_cast<unsigned>(tiles));
            course::cuda_check(cudaGetLastError());
        });
    });
}

class RankLevel {
  public:
    // For the `count` keys of this rank. Regions are equally long on all ranks.
    RankLevel(const RankPlan& plan, std::int64_t count)
        : bits_(plan.first_bits),
          count_(count),
          area_(std::min(plan.with_slack(plan.mean), std::int64_t{0xfffffffc})),
          memory_(tables_of(bits_, 0), count, kTileKeys),
          h_regions_(plan.parts()),
          h_list_(1) {}

    // The keys of level().to: enough for both ways to partition.
    std::int64_t room() const {
        return std::max(area_, course::line_after<Key>(count_)) +
               course::kMessageLine<Key> * h_regions_.count();
    }

    // The splitters come from a sorted sample of the keys of all ranks. That list is the one of
    // this level; afterwards, only its parts matter.
    void choose(const Key* sample, const RankPlan& plan, std::uint64_t seed, Key* to) {
        const std::int64_t samples = plan.samples * plan.ranks;
        memory_.clear();
        level_ = memory_.first(sample, to, samples);
        with_bits(bits_, [&](auto bits) {
            launch_choose_regions<decltype(bits)::value, false>(
                level_, {Level{}, samples, area_, 1}, plan.keys_per_part, seed);
        });
        course::cuda_check(cudaMemcpyAsync(h_regions_.data(), level_.regions, h_regions_.bytes(),
                                           cudaMemcpyDeviceToHost));
        course::cuda_check(
            cudaMemcpyAsync(h_list_.data(), level_.lists, h_list_.bytes(), cudaMemcpyDeviceToHost));
    }

    // Into regions. The cursors become the numbers of keys in the parts, also if one does not fit.
    void partition(const Key* keys) {
        level_.from = keys;
        level_.count = count_;
        partition_lists(bits_, level_, (count_ + long_tile_keys() - 1) / long_tile_keys());
    }

    // Where the parts lie on all ranks, once the host has waited for partition().
    PartPlaces places(const RankCuts& cuts) {
        return PartPlaces(cuts, {h_regions_.data(), constant_parts().size()},
                          h_list_.data()->capacity);
    }

    // If a region has overflowed, partitions once more: now the numbers of keys are known, so that
    // each part gets its place, behind the one before it.
    void settle(const RankCuts& cuts, const PartPlaces& places, int rank) {
        if (places.fit(rank)) return;
        LevelList list = h_list_.data()[0];
        std::vector<unsigned> cursors;
        for (int part = 0; part < h_regions_.count(); ++part) {
            cursors.push_back(static_cast<unsigned>(places.begin(rank, part)));
            if (!cuts.is_constant(part)) h_regions_.data()[part] = 0;
        }
        list.capacity = 0xffffffff;  // one region of all parts
        course::cuda_check(cudaMemcpy(level_.lists, &list, sizeof list, cudaMemcpyHostToDevice));
        course::cuda_check(cudaMemcpy(level_.regions, h_regions_.data(), h_regions_.bytes(),
                                      cudaMemcpyHostToDevice));
        course::cuda_check(cudaMemcpy(level_.cursors, cursors.data(),
                                      cursors.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
        partition(level_.from);
    }

    const Level& level() const { return level_; }
    // The keys of these parts are all equal; known once the host has waited for choose().
    std::vector<bool> constant_parts() const {
        std::vector<bool> is_constant;
        for (int part = 0; part < h_regions_.count(); ++part) {
            is_constant.push_back(h_regions_.data()[part] == kNoRegion);
        }
        return is_constant;
    }

  private:
    int bits_;
    std::int64_t count_, area_;
    LevelMemory memory_;
    Level level_ = {};
    course::PinnedBuffer<unsigned> h_regions_;
    course::PinnedBuffer<LevelList> h_list_;
};

}  // namespace quicksort
