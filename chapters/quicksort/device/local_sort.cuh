// SPDX-License-Identifier: MIT
// The sort of stage 26 for keys that are on the device, and its memory. For the last stage.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "common/base/error.hpp"
#include "common/cuda/device_buffer.hpp"
#include "device/agreeing_warps.cuh"
#include "device/exact_rounds.cuh"
#include "device/level_memory.cuh"
#include "device/level_sort.cuh"
#include "device/search_trees.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

inline std::vector<Option> rank_options() {
    std::vector<Option> options = kLevelOptions;
    options.push_back(
        {"--samples", "keys of each rank in the sample; for several ranks", 8192, 1, 1 << 16});
    return options;
}

class LocalSort {
  public:
    // For at most so many keys.
    LocalSort(std::int64_t most_keys, const Input& input)
        : plan_(plan_levels(most_keys, static_cast<int>(input.options.integer("--bits")),
                            input.options.integer("--slack"))),
          rounds_(input.options.integer("--rounds")),
          seed_(input.seed),
          first_(plan_.first_keys),
          last_(plan_.last_keys),
          memory_(plan_) {
        if (input.options.integer("--seeds") > 1) {
            throw course::UsageError("--seeds: only a run with one rank sorts with several seeds");
        }
    }

    // Room for as many keys, until sort() is called.
    Key* buffer() { return first_.data(); }

    // Waits for the result, and returns where it is. `keys` are overwritten if a region overflows.
    const Key* sort(Key* keys, std::int64_t count) {
        if (count == 0) return keys;
        if (plan_.possible) {
            with_agreeing_warps([&](int keys_per_thread, const auto& partition) {
                queue_levels<PathTree>(plan_, memory_, keys, count, first_.data(), last_.data(),
                                       seed_, kThreads * keys_per_thread, partition);
            });
            if (!memory_.outcome().overflowed) return first_.data();
        }
        last_ = {};  // makes room for the rounds' memory
        sort_exactly(keys, first_.data(), count, rounds_, seed_);
        return keys;
    }

  private:
    LevelPlan plan_;
    std::int64_t rounds_;
    std::uint64_t seed_;
    course::DeviceBuffer<Key> first_, last_;
    LevelMemory memory_;
};

}  // namespace quicksort
