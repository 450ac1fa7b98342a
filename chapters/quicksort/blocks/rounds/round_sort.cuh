// SPDX-License-Identifier: MIT
// The host's part of a sort in rounds: memory, copies, the loop, and the report. A stage says what
// a round launches.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "blocks/networks/bitonic_sort.cuh"
#include "blocks/rounds/rounds.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/input/splitmix64.hpp"
#include "limit/01_multiway_partition/multiway.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

// A list whose splitters split off next to nothing is not partitioned more often than that. (Tests
// lower the number.)
inline const Option kRoundsOption = {
    "--rounds", "partitions of a list, until the network of stage 04 sorts the rest", 8, 0, 1000};

// Device memory: two buffers of keys, and up to 9 KB for each list longer than a leaf.
inline constexpr double kBytesPerKey = 9.6;

// The device memory of rounds on `count` keys, besides the two buffers of keys. The lists of a
// round share no key and are longer than a leaf, which bounds their number.
class RoundMemory {
  public:
    // first_lists: of the first round.
    RoundMemory(std::int64_t count, int buckets, int tile, int leaf, std::int64_t first_lists)
        : tile_(tile),
          leaf_(leaf),
          most_lists_(std::max(count / (leaf + 1) + 1, first_lists)),
          lists_(2 * most_lists_),
          list_of_tile_(2 * (count / tile + most_lists_)),
          counts_(buckets * most_lists_),
          leaves_(buckets * most_lists_ + count / kConstantLeaf),
          sizes_(1) {}

    // Round r reads the lists and tiles that round r - 1 wrote.
    List* lists(int round) { return lists_.data() + round % 2 * most_lists_; }
    unsigned* list_of_tile(int round) {
        return list_of_tile_.data() + round % 2 * (list_of_tile_.count() / 2);
    }
    Count* counts() { return counts_.data(); }  // [list][bucket]
    Leaf* leaves() { return leaves_.data(); }
    std::int64_t most_lists() const { return most_lists_; }
    NextRound next(int round) {
        return {lists(round + 1), list_of_tile(round + 1), leaves(), sizes_.data(), tile_, leaf_};
    }

    // The lists of the first round; their first tiles are not known yet.
    RoundSizes begin(const std::vector<List>& first) {
        unsigned tiles = 0;
        std::vector<List> own;
        std::vector<unsigned> of_others;  // the lists of the tiles behind the first list
        for (const List& list : first) {
            own.push_back({list.begin, list.count, tiles});
            const auto its = static_cast<unsigned>((list.count - 1) / tile_ + 1);
            const auto slot = static_cast<unsigned>(own.size() - 1);
            if (slot > 0) of_others.insert(of_others.end(), its, slot);
            tiles += its;
        }
        const std::size_t of_first = tiles - of_others.size();
        course::cuda_check(
            cudaMemcpy(lists(0), own.data(), own.size() * sizeof(List), cudaMemcpyHostToDevice));
        course::cuda_check(cudaMemset(list_of_tile(0), 0, of_first * sizeof(unsigned)));
        course::cuda_check(cudaMemcpy(list_of_tile(0) + of_first, of_others.data(),
                                      of_others.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
        return {static_cast<unsigned>(own.size()), tiles, 0};
    }

    // Clears the counts of a round that reads `lists` lists.
    void clear(unsigned lists) {
        const std::int64_t buckets = counts_.count() / most_lists_;
        course::cuda_check(cudaMemsetAsync(counts(), 0, lists * buckets * sizeof(Count)));
        course::cuda_check(cudaMemsetAsync(sizes_.data(), 0, sizeof(RoundSizes)));
    }

    // Sorts the lists that the last round left, by the network of stage 04: O(n log^2 n) whatever
    // the keys are. They are in `from`, and belong in `keys`.
    void sort_lists_left(int round, unsigned count, Key* from, Key* keys) {
        std::vector<List> left(count);
        course::cuda_check(
            cudaMemcpy(left.data(), lists(round), count * sizeof(List), cudaMemcpyDeviceToHost));
        for (const List& list : left) {
            course::cuda_check(launch_step_sort(from + list.begin, list.count, nullptr));
            if (from == keys) continue;
            course::cuda_check(cudaMemcpyAsync(keys + list.begin, from + list.begin,
                                               list.count * sizeof(Key), cudaMemcpyDeviceToDevice));
        }
    }

    // Waits until the round's kernels have written them.
    RoundSizes next_sizes() const {
        RoundSizes sizes;
        course::cuda_check(cudaMemcpy(&sizes, sizes_.data(), sizeof sizes, cudaMemcpyDeviceToHost));
        return sizes;
    }

  private:
    int tile_, leaf_;
    std::int64_t most_lists_;
    course::DeviceBuffer<List> lists_;
    course::DeviceBuffer<unsigned> list_of_tile_;
    course::DeviceBuffer<Count> counts_;
    course::DeviceBuffer<Leaf> leaves_;
    course::DeviceBuffer<RoundSizes> sizes_;
};

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
    // Of one list, or of several with so many keys in all.
    RoundSort(std::int64_t count, RoundShape shape, std::int64_t lists = 1)
        : memory_(count, shape.buckets, kTileKeys, shape.leaf_keys, lists),
          splitters_(shape.splitters * memory_.most_lists()),
          twins_(memory_.most_lists()) {}

    // Sorts the lists in `keys`, which end where they were, in at most `most` rounds; `buffer` has
    // as many keys. launch_round(round) splits the lists of a round; launch_leaves(from, keys,
    // leaves, count) sorts its leaves. Returns the number of rounds.
    template <typename LaunchRound, typename LaunchLeaves>
    int sort(const std::vector<List>& lists, Key* keys, Key* buffer, std::int64_t most,
             std::uint64_t seed, LaunchRound launch_round, LaunchLeaves launch_leaves) {
        Key *from = keys, *to = buffer;
        RoundSizes sizes = memory_.begin(lists);
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
    const int rounds =
        sort.sort({{0, count, 0}}, d_keys.data(), d_buffer.data(),
                  input.options.integer("--rounds"), input.seed, launch_round, launch_leaves);

    timer.begin(Phase::kCopyOut);
    course::cuda_check(
        cudaMemcpy(output.keys.data(), d_keys.data(), d_keys.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid((count - 1) / kTileKeys + 1, kThreads);
    timer.declare_work({.bytes = 2.0 * d_keys.bytes()});  // each key read and written once
    output.report = {{"rounds", rounds}, {"lists_left", sort.lists_left()}};
}

}  // namespace quicksort
