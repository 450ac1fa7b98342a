// SPDX-License-Identifier: MIT
// Quicksort, stage limit/03: leaves are sorted in registers.
// Idea: a thread keeps 16 keys in registers, and the network runs on them. Two keys of one thread
// are compared without any access, keys of two lanes by a shuffle. Only keys of different warps
// meet in shared memory, where no two threads of a warp access the same bank: a leaf of 8192 keys
// needs 21 barriers instead of 92. A short leaf uses fewer warps.
// Compared with limit/02_staged_runs: sort_leaves_kernel.
// Limit now: the shuffles, and leaves of very different lengths.
// Not of the thesis. Batcher 1968, "Sorting networks and their applications".
#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/rounds/round_sort.cuh"
#include "blocks/rounds/rounds.cuh"
#include "common/cuda/cuda_check.hpp"
#include "limit/01_multiway_partition/equal_parts.cuh"
#include "limit/01_multiway_partition/multiway.cuh"
#include "limit/01_multiway_partition/spaced_splitters.cuh"
#include "limit/02_staged_runs/staged_runs.cuh"
#include "limit/03_register_network/register_leaves.cuh"
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
