// SPDX-License-Identifier: MIT
// For the stage on many GPUs: the sort of stage 26 for keys that are on the device, with its
// memory, and the level above.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "common/base/error.hpp"
#include "common/cuda/device_buffer.hpp"
#include "device/exact_rounds.cuh"
#include "device/level_memory.cuh"
#include "device/level_sort.cuh"
#include "device/multiway.cuh"
#include "device/sample.cuh"
#include "device/search_trees.cuh"
#include "device/two_pipes.cuh"
#include "problem/quicksort.hpp"
#include "problem/rank_cuts.hpp"

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
        : most_keys_(most_keys),
          plan_(plan_levels(most_keys, static_cast<int>(input.options.integer("--bits")),
                            input.options.integer("--slack"))),
          rounds_(input.options.integer("--rounds")),
          seed_(input.seed),
          first_(plan_.first_keys),
          last_(plan_.last_keys),
          memory_(plan_, most_keys, kThreads * kFewerKeys) {
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
            with_long_tiles([&](int keys_per_thread, const auto& partition) {
                queue_levels<PathTree, TwoPipes>(plan_, memory_, keys, count, first_.data(),
                                                 last_.data(), seed_, kThreads * keys_per_thread,
                                                 partition);
            });
            if (!memory_.outcome().overflowed) return first_.data();
        }
        last_ = {};  // makes room for the rounds' memory
        sort_exactly(keys, first_.data(), count, rounds_, seed_);
        return keys;
    }

  private:
    std::int64_t most_keys_;
    LevelPlan plan_;
    std::int64_t rounds_;
    std::uint64_t seed_;
    course::DeviceBuffer<Key> first_, last_;
    LevelMemory memory_;
};

// The whole stage 26.
inline void sort_with_two_pipes(const Input& input, Output& output, PhaseTimer& timer) {
    with_long_tiles([&](int keys_per_thread, const auto& partition) {
        sort_by_levels<PathTree, TwoPipes>(input, output, timer, keys_per_thread, partition);
    });
}

// The level above the others in a sort on several ranks: its sample, and the classes that the
// splitters part the keys into (problem/rank_cuts.hpp).
inline constexpr int kCopies = 8;  // of a counter in shared memory: lanes of one class wait less

// Sample i of `samples` becomes samples[i]. A rank without keys shows the largest key.
static __global__ void sample_keys_kernel(const Key* __restrict__ keys, std::int64_t count,
                                          int samples, std::uint64_t seed,
                                          Key* __restrict__ sample) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= samples) return;
    sample[i] = count > 0 ? keys[sample_place(i, sample_range(samples, count), seed)] : kLargestKey;
}

// Twice the number of splitters that are less than the key, and 1 if the next one equals it.
__device__ __forceinline__ int class_of(const Key* s_splitters, int splitters, Key key) {
    int less = 0;
    for (int step = kMostRanks / 2; step > 0; step /= 2) {
        if (less + step <= splitters && s_splitters[less + step - 1] < key) less += step;
    }
    return 2 * less + (less < splitters && s_splitters[less] == key);
}

// One block per tile; counts[kMostClasses * c + k] becomes the number of keys of class k in chunk
// c.
static __global__ void __launch_bounds__(kThreads)
    count_classes_kernel(const Key* __restrict__ keys, std::int64_t count, int chunk_tiles,
                         const Key* __restrict__ splitters, int ranks,
                         ClassCount* __restrict__ counts) {
    __shared__ Key s_splitters[kMostRanks];
    __shared__ unsigned s_counts[kMostClasses * kCopies];
    const int thread = threadIdx.x, classes = 2 * ranks - 1;
    for (int i = thread; i < classes * kCopies; i += kThreads) s_counts[i] = 0;
    if (thread < ranks - 1) s_splitters[thread] = splitters[thread];
    __syncthreads();
    const std::int64_t first = std::int64_t{blockIdx.x} * kTileKeys;
#pragma unroll 4
    for (int j = 0; j < kKeysPerThread; ++j) {
        const std::int64_t i = first + j * kThreads + thread;
        if (i >= count) break;
        const int own = class_of(s_splitters, ranks - 1, keys[i]);
        atomicAdd(&s_counts[own * kCopies + thread % kCopies], 1u);
    }
    __syncthreads();
    if (thread >= classes) return;
    unsigned sum = 0;
    for (int copy = 0; copy < kCopies; ++copy) sum += s_counts[thread * kCopies + copy];
    if (sum > 0) atomicAdd(&counts[blockIdx.x / chunk_tiles * kMostClasses + thread], sum);
}

}  // namespace quicksort
