// SPDX-License-Identifier: MIT
// Quicksort, stage limit/06: parts of equal keys only for frequent keys.
// Idea: a splitter gets a part for the keys that equal it only if the sample shows it often. Such a
// splitter is written twice: between the twins fits nothing but keys that equal them. All other
// splitters cost one part instead of two, so a round splits a list into 256 parts instead of 128.
// Compared with limit/05_sub_buckets: choose_splitters_kernel, classify_tile,
// place_children_kernel; a leaf's threads read four keys at once.
// Limit now: memory and shared memory of two passes per round, each of which classifies every key.
// Not of the thesis.
#include <cuda_runtime.h>

#include "blocks/rounds/round_sort.cuh"
#include "limit/06_twin_splitters/twin_rounds.cuh"
#include "problem/quicksort.hpp"

using quicksort::Input, quicksort::Output, quicksort::PhaseTimer;

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    quicksort::sort_in_rounds(input, output, timer, quicksort::kTwinShape,
                              quicksort::launch_twin_round, quicksort::launch_twin_leaves);
}

int main(int argc, char** argv) {
    return quicksort::run_stage(argc, argv, STAGE_NAME, sort_keys, nullptr,
                                {quicksort::kRoundsOption}, quicksort::kBytesPerKey);
}
