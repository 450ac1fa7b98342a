// SPDX-License-Identifier: MIT
// How many levels a sort by levels has, and their device memory.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "blocks/levels/region_leaves.cuh"
#include "blocks/rounds/round_sort.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "limit/07_one_pass/levels.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

// A list with more parts than 2^kMostSampledBits has half as many samples for each.
inline constexpr int kMostSampledBits = sizeof(Key) == 4 ? 9 : 8;

inline constexpr int kMostSlack = 74;
// On average, 4800 or 2400 pairs; a longer one is sorted in several turns.
inline constexpr int kKeysPerLeaf = 19200 / sizeof(Key);

// For tests: short lists can have two levels, and ordinary keys overflow with little slack.
inline const std::vector<Option> kLevelOptions = {
    {"--bits", "2^bits parts in each of two levels, 5 to 9; 0: by the number of keys", 0, 0, 9},
    {"--slack", "room in the regions of the first level, in percent more than its keys", kMostSlack,
     0, kMostSlack},
    {"--seeds", "sorts the keys with so many seeds, --seed and those after it: none may differ", 1,
     1, 1'000'000},
    kRoundsOption};

// Device memory: the keys, 1.74 and 2 times as much room for regions (2.48 in the first level of
// many pairs), and tables, of which short lists have more.
inline constexpr double kLevelBytesPerKey = sizeof(Key) == 4 ? 19 : 44.5;
inline constexpr double kTablesOfShortLists = 128 * 1024;  // bytes, with fewer than 2^23 keys

struct LevelPlan {
    bool possible;  // false: more keys than the levels' 32-bit counts can hold
    int first_bits, last_bits;  // last_bits 0: one level
    std::int64_t first_area;  // keys
    std::int64_t first_keys, last_keys;  // the sizes of the two buffers
};

// asked, slack: the values of kLevelOptions.
inline LevelPlan plan_levels(std::int64_t count, int asked, std::int64_t slack) {
    LevelPlan plan = {};
    int bits = 0;
    while ((std::int64_t{kKeysPerLeaf} << bits) < count) ++bits;
    if (asked > 0) bits = 2 * asked;
    const bool two = asked > 0 || bits > 8;
    plan.first_bits = std::clamp(two ? (bits + 1) / 2 : bits, 5, 9);
    plan.last_bits = two ? std::clamp(bits - plan.first_bits, 5, kMostSampledBits) : 0;
    // A level with fewer samples has twice the room to spare.
    const bool few = !two || plan.first_bits > kMostSampledBits;
    plan.first_area = (count + count * slack / (few ? 50 : 100) + 3) / 4 * 4;
    plan.possible = count < (std::int64_t{1} << 31) && plan.first_area < (std::int64_t{1} << 32);
    if (!plan.possible) {
        LevelPlan none = {};
        none.first_keys = count;
        return none;
    }
    plan.first_keys = two ? plan.first_area + 4 : count;
    plan.last_keys = two ? 2 * count + 4 * kMostParts : plan.first_area + 4;
    return plan;
}

// What must be zero before a sort.
struct Cleared {
    unsigned* words;
    std::int64_t count;
};

// Owns what the levels and the leaves need besides keys.
class LevelMemory {
  public:
    // pieces: of a list of the last level; a tile's keys are in one of them.
    LevelMemory(const LevelPlan& plan, std::int64_t count, int tile_keys, int pieces = 1)
        : first_{1, 1 << plan.first_bits, 0},
          last_{plan.last_bits > 0 ? 1 << plan.first_bits : 0, 1 << plan.last_bits,
                count / tile_keys + (std::int64_t{pieces} << plan.first_bits)},
          leaf_count_(last_.parts() > 0 ? last_.parts() : first_.parts()),
          cleared_(first_.cleared_words() + last_.cleared_words() + kFlags),
          leaves_(leaf_count_),
          constants_(leaf_count_ + kMostParts + count / kConstantPiece),
          unfit_(leaf_count_),
          h_any_unfit_(1) {}

    // Before a sort: what the levels add to becomes zero.
    void clear() {
        const Cleared all = cleared();
        course::cuda_check(cudaMemsetAsync(all.words, 0, all.count * sizeof(unsigned)));
    }
    // The same, if the caller clears these words on the device.
    Cleared cleared() {
        *h_any_unfit_.data() = 0;
        return {cleared_.data(), cleared_.count()};
    }
    // The first level has one list, of `count` keys.
    Level first(const Key* from, Key* to, std::int64_t count) {
        return first_.level(from, to, count, cleared_.data());
    }
    Level last(const Key* from, Key* to) {
        return last_.level(from, to, 0, cleared_.data() + first_.cleared_words());
    }
    RegionLeaves leaves() {
        return {leaves_.data(), constants_.data(), flags() + kConstants, flags() + kLongLeaves,
                unfit_.data(),  flags() + kUnfit,  h_any_unfit_.data()};
    }
    unsigned leaf_count() const { return static_cast<unsigned>(leaf_count_); }

    // Of the device, in all.
    std::size_t bytes() const {
        return first_.bytes() + last_.bytes() + cleared_.bytes() + leaves_.bytes() +
               constants_.bytes() + unfit_.bytes();
    }

    // Whether something did not fit, once the kernels have ended: they tell the host in its own
    // memory, so nothing is copied.
    bool any_unfit() const { return *h_any_unfit_.data() != 0; }
    // What did not fit. Waits for the kernels.
    std::vector<Unfit> unfit() const {
        course::cuda_check(cudaStreamSynchronize(nullptr));
        if (!any_unfit()) return {};
        std::vector<Unfit> parts(flag(kUnfit));
        course::cuda_check(cudaMemcpy(parts.data(), unfit_.data(), parts.size() * sizeof(Unfit),
                                      cudaMemcpyDeviceToHost));
        return parts;
    }
    unsigned long_leaves() const { return flag(kLongLeaves); }  // waits

  private:
    enum Flag { kConstants, kLongLeaves, kUnfit, kFlags };  // counts
    static constexpr std::int64_t kTileWords = sizeof(Tile) / sizeof(unsigned);
    struct Arrays {
        Arrays(int list_count, int part_count, std::int64_t most_tiles)
            : parts_of_list(part_count),
              tiles(list_count > 0 ? most_tiles : 0),
              lists(list_count),
              splitters(std::int64_t{list_count} * part_count),
              regions(splitters.count()) {}
        std::int64_t parts() const { return splitters.count(); }
        // The tiles, and a cursor for each part; a whole number of tiles' words.
        std::int64_t cleared_words() const {
            return (tiles + (parts() + kTileWords - 1) / kTileWords) * kTileWords;
        }
        Level level(const Key* from, Key* to, std::int64_t count, unsigned* cleared) {
            return {from,           to,
                    lists.data(),   static_cast<int>(lists.count()),
                    parts_of_list,  tiles > 0 ? reinterpret_cast<Tile*>(cleared) : nullptr,
                    count,          splitters.data(),
                    regions.data(), cleared + tiles * kTileWords};
        }
        std::size_t bytes() const { return lists.bytes() + splitters.bytes() + regions.bytes(); }
        int parts_of_list;
        std::int64_t tiles;
        course::DeviceBuffer<LevelList> lists;
        course::DeviceBuffer<Key> splitters;
        course::DeviceBuffer<unsigned> regions;
    };

    unsigned flag(Flag which) const {
        unsigned value = 0;
        course::cuda_check(cudaMemcpy(&value, cleared_.data() + cleared_.count() - kFlags + which,
                                      sizeof value, cudaMemcpyDeviceToHost));
        return value;
    }
    unsigned* flags() { return cleared_.data() + cleared_.count() - kFlags; }

    Arrays first_, last_;
    std::int64_t leaf_count_;
    course::DeviceBuffer<unsigned> cleared_;  // of the first level, of the last one, and the flags
    course::DeviceBuffer<RegionLeaf> leaves_;
    course::DeviceBuffer<Leaf> constants_;
    // Parts of the last level; a list that did not fit stands for all of its parts.
    course::DeviceBuffer<Unfit> unfit_;
    course::PinnedBuffer<unsigned> h_any_unfit_;
};

}  // namespace quicksort
