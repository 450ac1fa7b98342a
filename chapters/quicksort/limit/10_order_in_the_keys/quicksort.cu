// SPDX-License-Identifier: MIT
// Quicksort, stage limit/10: order that is there already.
// Idea: while one block sorts the sample, all other multiprocessors were idle. Now they look at the
// keys: a sorted list is done, and a reversed one is only written backwards. In any other
// list the first keys tell, so the look costs nothing. Neighbours that go to the same part, as in
// stairs of equal keys, are counted at once by one thread of their warp, not one after the other.
// A list of one leaf needs one kernel.
// Compared with limit/09_two_pipes: sample_and_look_kernel, RunTree::count, sort_one_leaf_kernel.
// Limit now: instructions, half of them those of the leaves.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/levels/level_memory.cuh"
#include "blocks/levels/level_sort.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "limit/05_sub_buckets/sub_buckets.cuh"
#include "limit/09_two_pipes/two_pipes.cuh"
#include "limit/10_order_in_the_keys/key_order.cuh"
#include "limit/10_order_in_the_keys/ordered_tiles.cuh"
#include "limit/10_order_in_the_keys/run_tree.cuh"
#include "problem/quicksort.hpp"

using course::cuda_check, course::DeviceBuffer;
using quicksort::Input, quicksort::Key, quicksort::Output, quicksort::Phase, quicksort::PhaseTimer;

// Sorts a list that a block's registers hold.
void sort_one_leaf(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    timer.begin(Phase::kSetup);
    DeviceBuffer<Key> d_keys(count), d_sorted(count);

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_keys.data(), input.keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    quicksort::sort_one_leaf_kernel<<<1, quicksort::kLeafThreads, quicksort::kRoomBytes>>>(
        d_keys.data(), static_cast<int>(count), d_sorted.data());
    cuda_check(cudaGetLastError());

    timer.begin(Phase::kCopyOut);
    cuda_check(
        cudaMemcpy(output.keys.data(), d_sorted.data(), d_keys.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid(1, quicksort::kLeafThreads);
    timer.declare_work({.bytes = 2.0 * d_keys.bytes()});
    output.report = quicksort::level_report({}, 0, 0);
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const bool by_n = input.options.integer("--bits") == 0 && input.options.integer("--seeds") == 1;
    if (by_n && input.count() <= quicksort::kSplitLeafKeys) {
        return sort_one_leaf(input, output, timer);
    }
    timer.begin(Phase::kSetup);
    quicksort::FirstLook look;
    quicksort::with_tiles<quicksort::OrderedTiles>(
        [&](int keys_per_thread, const auto& partition) {
            quicksort::sort_by_levels<quicksort::RunTree, quicksort::TwoPipes>(
                input, output, timer, keys_per_thread, partition, look);
        },
        look);
}

int main(int argc, char** argv) {
    return quicksort::run_stage(argc, argv, STAGE_NAME, sort_keys, nullptr,
                                quicksort::kLevelOptions, quicksort::kLevelBytesPerKey);
}
