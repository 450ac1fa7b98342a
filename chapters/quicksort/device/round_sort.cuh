// SPDX-License-Identifier: MIT
// The host's part of a sort in rounds, for stage limit/01 and those that build on it: memory,
// copies, the loop, and the report. A stage says what a round launches.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <utility>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/input/splitmix64.hpp"
#include "device/multiway.cuh"
#include "device/rounds.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

struct RoundShape {
    int buckets, splitters;  // for each list
    int leaf_keys;  // at most
};

// What the kernels of a round read and write.
struct Round {
    Pass pass;
    Key* splitters;
    bool* twins;  // one for each list, from stage limit/06 on
    NextRound next;
    RoundSizes sizes;
    std::uint64_t seed;
};

class RoundSort {
  public:
    RoundSort(std::int64_t count, RoundShape shape)
        : count_(count),
          memory_(count, shape.buckets, kTileKeys, shape.leaf_keys),
          splitters_(shape.splitters * memory_.most_lists()),
          twins_(memory_.most_lists()) {}

    // Sorts `keys`, which end where they were, in at most `most` rounds. launch_round(round) splits
    // the lists of a round; launch_leaves(from, keys, leaves, count) sorts its leaves. Returns the
    // number of rounds.
    template <typename LaunchRound, typename LaunchLeaves>
    int sort(Key* keys, Key* buffer, std::int64_t most, std::uint64_t seed,
             LaunchRound launch_round, LaunchLeaves launch_leaves) {
        Key *from = keys, *to = buffer;
        RoundSizes sizes = memory_.begin(count_);
        int round = 0;
        for (; sizes.lists > 0 && round < most; ++round) {
            const NextRound next = memory_.next(round);
            memory_.clear(sizes.lists);
            launch_round(Round{{from, to, memory_.lists(round), memory_.list_of_tile(round),
                                splitters_.data(), memory_.counts()},
                               splitters_.data(),
                               twins_.data(),
                               next,
                               sizes,
                               seed + round * course::kSplitmix64Step});
            sizes = memory_.next_sizes();
            if (sizes.leaves > 0) launch_leaves(to, keys, next.leaves, sizes.leaves);
            std::swap(from, to);
        }
        lists_left_ = sizes.lists;
        memory_.sort_lists_left(round, sizes.lists, from, keys);
        return round;
    }
    unsigned lists_left() const { return lists_left_; }

  private:
    std::int64_t count_;
    RoundMemory memory_;
    course::DeviceBuffer<Key> splitters_;
    course::DeviceBuffer<bool> twins_;
    unsigned lists_left_ = 0;
};

// The function of a stage.
template <typename LaunchRound, typename LaunchLeaves>
void sort_in_rounds(const Input& input, Output& output, PhaseTimer& timer, RoundShape shape,
                    LaunchRound launch_round, LaunchLeaves launch_leaves) {
    const std::int64_t count = input.count();
    timer.begin(Phase::kSetup);
    course::DeviceBuffer<Key> d_keys(count), d_buffer(count);
    RoundSort sort(count, shape);

    timer.begin(Phase::kCopyIn);
    course::cuda_check(
        cudaMemcpy(d_keys.data(), input.keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    const int rounds = sort.sort(d_keys.data(), d_buffer.data(), input.options.integer("--rounds"),
                                 input.seed, launch_round, launch_leaves);

    timer.begin(Phase::kCopyOut);
    course::cuda_check(
        cudaMemcpy(output.keys.data(), d_keys.data(), d_keys.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid((count - 1) / kTileKeys + 1, kThreads);
    timer.declare_work({.bytes = 2.0 * d_keys.bytes()});  // each key read and written once
    output.report = {{"rounds", rounds}, {"lists_left", sort.lists_left()}};
}

}  // namespace quicksort
