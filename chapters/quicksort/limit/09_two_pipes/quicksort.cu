// SPDX-License-Identifier: MIT
// Quicksort, stage limit/09: the exchange on two pipes.
// Idea: the leaves keep the pipe for integers and logic busy: both the comparison and the selection
// of an exchange between lanes go there. A multiplication by 1 that only some lanes execute
// selects, too, and goes to the pipe for multiplications, which is idle.
// The tree's first decision is the lowest bit of a node's number, so the path of a key through it
// is the address of its part's counter. A key and its place are then two registers, and a thread
// can have 24 keys instead of 16: tiles and runs are longer.
// Compared with limit/08_bulk_copies: TwoPipes, PathTree, and the partition of long tiles.
// Limit now: instructions, half of them those of the leaves.
// Not of the thesis.
#include <cuda_runtime.h>

#include "blocks/levels/level_memory.cuh"
#include "blocks/levels/level_sort.cuh"
#include "limit/09_two_pipes/long_tiles.cuh"
#include "limit/09_two_pipes/path_tree.cuh"
#include "limit/09_two_pipes/two_pipes.cuh"
#include "problem/quicksort.hpp"

using quicksort::Input, quicksort::Output, quicksort::PhaseTimer;

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    quicksort::with_tiles<quicksort::LongTiles>([&](int keys_per_thread, const auto& partition) {
        quicksort::sort_by_levels<quicksort::PathTree, quicksort::TwoPipes>(
            input, output, timer, keys_per_thread, partition);
    });
}

int main(int argc, char** argv) {
    return quicksort::run_stage(argc, argv, STAGE_NAME, sort_keys, nullptr,
                                quicksort::kLevelOptions, quicksort::kLevelBytesPerKey);
}
