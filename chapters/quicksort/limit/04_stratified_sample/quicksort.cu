// SPDX-License-Identifier: MIT
// Quicksort, stage limit/04: splitters from a large sample.
// Idea: a block samples 8192 keys of a list, one at random from each of 8192 equal ranges of
// places, and sorts them by the network of the leaves. Splitters at even ranks of the sample split
// the list into even parts: each has 64 samples, not one. So a list gets only as many parts as it
// needs leaves, and no leaf is much longer than the others.
// Compared with limit/03_register_network: choose_splitters_kernel.
// Limit now: the leaves' shuffles, and a part of equal keys for every splitter.
// Not of the thesis. Leischner, Osipov and Sanders 2009, "GPU sample sort".
#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/rounds/round_sort.cuh"
#include "blocks/rounds/rounds.cuh"
#include "common/cuda/cuda_check.hpp"
#include "limit/01_multiway_partition/equal_parts.cuh"
#include "limit/01_multiway_partition/multiway.cuh"
#include "limit/02_staged_runs/staged_runs.cuh"
#include "limit/03_register_network/register_leaves.cuh"
#include "limit/04_stratified_sample/sampled_splitters.cuh"
#include "problem/quicksort.hpp"

using course::cuda_check, quicksort::Key, quicksort::Leaf;
using quicksort::kBuckets, quicksort::kSplitters, quicksort::kThreads;

void sort_keys(const quicksort::Input& input, quicksort::Output& output,
               quicksort::PhaseTimer& timer) {
    const auto launch_round = [](const quicksort::Round& round) {
        quicksort::choose_splitters_kernel<<<round.sizes.lists, kThreads>>>(
            round.pass.from, round.pass.lists, round.splitters, round.seed);
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
