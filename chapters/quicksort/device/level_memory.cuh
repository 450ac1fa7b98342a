// SPDX-License-Identifier: MIT
// How many levels a sort by levels has, and their device memory. From stage 22 on.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "device/levels.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

inline constexpr int kMostSlack = 74;

// For tests: short lists can have two levels, and ordinary keys overflow with little slack.
inline const std::vector<Option> kLevelOptions = {
    {"--bits", "2^bits parts in each of two levels, 5 to 9; 0: by the number of keys", 0, 0, 9},
    {"--slack", "room in the regions of the first level, in percent more than its keys", kMostSlack,
     0, kMostSlack},
    {"--seeds", "sorts the keys with so many seeds, --seed and those after it: none may differ", 1,
     1, 1'000'000},
    kRoundsOption};

// Device memory: the keys, 1.74 and 2 times as much room for regions, and tables, of which short
// lists have more.
inline constexpr double kLevelBytesPerKey = 19;
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
    plan.possible = count < (std::int64_t{1} << 31);
    if (!plan.possible) {
        plan.first_keys = count;
        return plan;
    }
    int bits = 0;
    while ((std::int64_t{kKeysPerPart} << bits) < count) ++bits;
    if (asked > 0) bits = 2 * asked;
    const bool two = asked > 0 || bits > 8;
    plan.first_bits = std::clamp(two ? (bits + 1) / 2 : bits, 5, 9);
    plan.last_bits = two ? std::clamp(bits - plan.first_bits, 5, 9) : 0;
    plan.first_area = (count + count * slack / 100 + 3) / 4 * 4;
    plan.first_keys = plan.first_area + 4;
    plan.last_keys = 2 * count + 4 * kMostParts;
    return plan;
}

// Owns what the levels and the leaves need besides keys.
class LevelMemory {
  public:
    explicit LevelMemory(const LevelPlan& plan)
        : first_{1, 1 << plan.first_bits},
          last_{plan.last_bits > 0 ? 1 << plan.first_bits : 0, 1 << plan.last_bits},
          leaf_count_(last_.parts.count() > 0 ? last_.parts.count() : first_.parts.count()),
          leaves_(leaf_count_),
          constants_(leaf_count_ + kMostParts),
          long_leaves_(leaf_count_),
          flags_(kFlags) {}

    void clear() {
        for (Arrays* one : {&first_, &last_}) {
            if (one->lists.count() == 0) continue;
            course::cuda_check(cudaMemsetAsync(one->cursors.data(), 0, one->cursors.bytes()));
        }
        course::cuda_check(cudaMemsetAsync(flags_.data(), 0, flags_.bytes()));
    }
    Level first(const Key* from, Key* to) {
        return first_.level(from, to, flags_.data() + kNever, flags_.data() + kFirstTiles);
    }
    Level last(const Key* from, Key* to) {
        return last_.level(from, to, flags_.data() + kFirstFailed, flags_.data() + kLastTiles);
    }
    RegionLeaves leaves() {
        return {leaves_.data(),
                constants_.data(),
                flags_.data() + kConstants,
                flags_.data() + kFirstFailed,
                flags_.data() + kLongLeaves,
                long_leaves_.data(),
                flags_.data() + kTooLong};
    }
    unsigned leaf_count() const { return static_cast<unsigned>(leaf_count_); }

    // Of the device, in all.
    std::size_t bytes() const {
        return first_.bytes() + last_.bytes() + leaves_.bytes() + constants_.bytes() +
               long_leaves_.bytes() + flags_.bytes();
    }

    struct Outcome {
        bool overflowed;
        unsigned long_leaves;
    };
    // Waits for the kernels.
    Outcome outcome() const {
        unsigned flags[kFlags];
        course::cuda_check(
            cudaMemcpy(flags, flags_.data(), flags_.bytes(), cudaMemcpyDeviceToHost));
        return {flags[kFirstFailed] + flags[kLastFailed] + flags[kTooLong] > 0, flags[kLongLeaves]};
    }

  private:
    // A level's words: whether it must stop, and, next to it, whether it has failed itself.
    enum Flag {
        kNever,
        kFirstFailed,
        kLastFailed,
        kTooLong,
        kConstants,
        kLongLeaves,
        kFirstTiles,
        kLastTiles,
        kFlags
    };
    struct Arrays {
        Arrays(int list_count, int part_count)
            : parts_of_list(part_count),
              lists(list_count),
              first_tiles(list_count),
              parts(std::int64_t{list_count} * part_count),
              regions(parts.count()),
              cursors(parts.count()) {}
        Level level(const Key* from, Key* to, unsigned* flags, unsigned* tiles) {
            return {from,           to,
                    lists.data(),   static_cast<int>(lists.count()),
                    parts_of_list,  first_tiles.data(),
                    tiles,          parts.data(),
                    regions.data(), cursors.data(),
                    flags,          flags + 1};
        }
        std::size_t bytes() const {
            return lists.bytes() + first_tiles.bytes() + parts.bytes() + regions.bytes() +
                   cursors.bytes();
        }
        int parts_of_list;
        course::DeviceBuffer<LevelList> lists;
        course::DeviceBuffer<unsigned> first_tiles;
        course::DeviceBuffer<Key> parts;  // their splitters
        course::DeviceBuffer<unsigned> regions, cursors;
    };

    Arrays first_, last_;
    std::int64_t leaf_count_;
    course::DeviceBuffer<RegionLeaf> leaves_;
    course::DeviceBuffer<Leaf> constants_;
    course::DeviceBuffer<unsigned> long_leaves_, flags_;
};

}  // namespace quicksort
