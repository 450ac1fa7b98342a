// SPDX-License-Identifier: MIT
// For a sort on many GPUs: its options and sizes, and the sort of a sample of all keys, which is
// that of stage limit/09.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "blocks/levels/level_memory.cuh"
#include "blocks/levels/level_sort.cuh"
#include "common/base/error.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/ranks/message_line.hpp"
#include "limit/01_multiway_partition/multiway.cuh"
#include "limit/04_stratified_sample/sample.cuh"
#include "limit/09_two_pipes/long_tiles.cuh"
#include "limit/09_two_pipes/path_tree.cuh"
#include "limit/09_two_pipes/two_pipes.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

inline std::vector<Option> rank_options() {
    std::vector<Option> options = kLevelOptions;
    options.push_back({"--samples", "keys of each rank in the sample, at most; for several ranks",
                       1 << 17, 1, 1 << 17});
    return options;
}

// The whole stage limit/09.
inline void sort_with_two_pipes(const Input& input, Output& output, PhaseTimer& timer) {
    with_tiles<LongTiles>([&](int keys_per_thread, const auto& partition) {
        sort_by_levels<PathTree, TwoPipes>(input, output, timer, keys_per_thread, partition);
    });
}

// For the tables of two levels, or one. Their keys are elsewhere.
inline LevelPlan tables_of(int first_bits, int last_bits) {
    return {true, first_bits, last_bits, 0, 0, 0};
}

constexpr std::int64_t kSamplesOfAll = 1 << 20;

// As plan_levels() says, but there are always two levels. Ranks whose number divides that of the
// parts get the same number of them, so that a cut is as good as the sample.
struct RankPlan {
    RankPlan(const Input& input, int ranks) : ranks(ranks), mean((input.count() - 1) / ranks + 1) {
        const std::int64_t asked = input.options.integer("--bits");
        int bits = 0;
        while ((std::int64_t{kKeysPerLeaf} << bits) < input.count()) ++bits;
        first_bits = static_cast<int>(asked > 0 ? asked : std::clamp((bits + 1) / 2, 5, 9));
        last_bits = static_cast<int>(asked > 0 ? asked : std::clamp(bits - first_bits, 5, 9));
        while (first_bits < 9 && (1 << first_bits) < 8 * ranks) ++first_bits;
        const std::int64_t most =
            std::min({mean / 4 + 1, input.options.integer("--samples"), kSamplesOfAll / ranks});
        const std::int64_t parts_of_rank = parts() / ranks;
        keys_per_part = static_cast<int>(std::max(most / parts_of_rank, std::int64_t{1}));
        samples = static_cast<int>(std::min(keys_per_part * parts_of_rank, most));
        // The standard deviation of a part's length is its mean, divided by the root of the samples
        // in it. Random keys hardly ever need more room than six deviations.
        slack = std::min(input.options.integer("--slack"),
                         static_cast<std::int64_t>(600 / std::sqrt(1.0 * keys_per_part * ranks)));
        if (mean >= std::int64_t{1} << 31) {  // counts and places have 32 bits
            throw course::UsageError("a rank sorts at most 2147483647 keys");
        }
        if (input.options.integer("--seeds") > 1) {
            throw course::UsageError("--seeds: only a run with one rank sorts with several seeds");
        }
    }
    int parts() const { return 1 << first_bits; }
    // For the keys that a rank gets; most often enough.
    std::int64_t room() const { return mean + mean / 8 + ranks; }
    // So many keys, and the room to spare in their regions of the first level.
    std::int64_t with_slack(std::int64_t keys) const {
        return (keys + keys * slack / 100 + 3) / 4 * 4;
    }

    int ranks;
    std::int64_t mean;  // keys of a rank
    int first_bits, last_bits;
    int samples;  // of each rank
    int keys_per_part;  // of each rank's sample
    std::int64_t slack;  // in percent
};

// Sample i of `samples` becomes samples[i]. A rank without keys shows the largest key.
static __global__ void sample_keys_kernel(const Key* __restrict__ keys, std::int64_t count,
                                          int samples, std::uint64_t seed,
                                          Key* __restrict__ sample) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= samples) return;
    sample[i] = count > 0 ? keys[sample_place(i, sample_range(samples, count), seed)] : kLargestKey;
}

// The sort of stage limit/09 for keys that are on the device, with its memory.
class SampleSort {
  public:
    // For so many keys.
    SampleSort(std::int64_t count, const Input& input)
        : plan_(plan_levels(count, 0, input.options.integer("--slack"))),
          rounds_(input.options.integer("--rounds")),
          seed_(input.seed),
          first_(plan_.first_keys),
          last_(plan_.last_keys),
          memory_(plan_, count, kThreads * kFewerKeys) {}

    // Waits for the result, and returns where it is.
    const Key* sort(const Key* keys, std::int64_t count) {
        with_tiles<LongTiles>([&](int keys_per_thread, const auto& partition) {
            queue_levels<PathTree, TwoPipes>(plan_, memory_, keys, count, first_.data(),
                                             last_.data(), seed_, kThreads * keys_per_thread,
                                             partition);
        });
        sort_unfit(memory_.unfit(), keys, count, first_.data(), last_.data(), rounds_, seed_);
        return first_.data();
    }

  private:
    LevelPlan plan_;
    std::int64_t rounds_;
    std::uint64_t seed_;
    course::DeviceBuffer<Key> first_, last_;
    LevelMemory memory_;
};

}  // namespace quicksort
