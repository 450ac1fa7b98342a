// SPDX-License-Identifier: MIT
// Quicksort, stage limit/02: tiles in the order of their buckets.
// Idea: the splitters lie in shared memory in the order of a tree's levels, so the nodes that a
// warp reads in one step are neighbours, and a thread takes 16 keys down the tree at once. Before a
// block stores its tile, it puts the keys in the order of their buckets, in shared memory. The keys
// of a bucket are then a run, and neighbouring threads store a run to neighbouring places. A key's
// place in its run is what the atomic addition returns that counts it.
// Compared with limit/01_multiway_partition: node_of; classify_tile keeps ranks; move_keys_kernel
// stages the tile.
// Limit now: the leaves' barriers.
// Not of the thesis. Sanders and Winkel 2004, "Super Scalar Sample Sort".
#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/rounds/round_sort.cuh"
#include "blocks/rounds/rounds.cuh"
#include "common/cuda/cuda_check.hpp"
#include "limit/01_multiway_partition/equal_parts.cuh"
#include "limit/01_multiway_partition/multiway.cuh"
#include "limit/01_multiway_partition/network_leaves.cuh"
#include "limit/01_multiway_partition/spaced_splitters.cuh"
#include "limit/02_staged_runs/staged_runs.cuh"
#include "problem/quicksort.hpp"

using course::cuda_check, quicksort::Key, quicksort::Leaf;
using quicksort::kBuckets, quicksort::kSplitters, quicksort::kThreads;

void sort_keys(const quicksort::Input& input, quicksort::Output& output,
               quicksort::PhaseTimer& timer) {
    const auto launch_round = [](const quicksort::Round& round) {
        quicksort::choose_splitters_kernel<<<round.sizes.lists, kSplitters>>>(
            round.pass.from, round.pass.lists, round.splitters);
        cuda_check(cudaGetLastError());
        quicksort::count_buckets_kernel<<<round.sizes.tiles, kThreads>>>(round.pass);
        cuda_check(cudaGetLastError());
        quicksort::place_children_kernel<<<round.sizes.lists, kBuckets>>>(round.pass, round.next);
        cuda_check(cudaGetLastError());
        quicksort::move_keys_kernel<<<round.sizes.tiles, kThreads>>>(round.pass);
        cuda_check(cudaGetLastError());
    };
    const auto launch_leaves = [](const Key* from, Key* keys, const Leaf* leaves, unsigned count) {
        quicksort::sort_leaves_kernel<<<count, kThreads>>>(from, keys, leaves);
        cuda_check(cudaGetLastError());
    };
    quicksort::sort_in_rounds(input, output, timer, {kBuckets, kSplitters, quicksort::kLeafKeys},
                              launch_round, launch_leaves);
}

int main(int argc, char** argv) {
    return quicksort::run_stage(argc, argv, STAGE_NAME, sort_keys, nullptr,
                                {quicksort::kRoundsOption}, quicksort::kBytesPerKey);
}
