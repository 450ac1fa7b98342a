// SPDX-License-Identifier: MIT
// The rounds of stage limit/06, whose launches other stages need too.
#pragma once

#include <cuda_runtime.h>

#include "blocks/rounds/round_sort.cuh"
#include "blocks/rounds/rounds.cuh"
#include "common/cuda/cuda_check.hpp"
#include "limit/01_multiway_partition/multiway.cuh"
#include "limit/02_staged_runs/staged_runs.cuh"
#include "limit/05_sub_buckets/sub_buckets.cuh"
#include "limit/06_twin_splitters/sub_bucket_leaves.cuh"
#include "limit/06_twin_splitters/twin_splitters.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

// The launches of a round.
inline void launch_twin_round(const Round& round) {
    const TwinPass pass = {round.pass, round.twins};
    choose_splitters_kernel<<<round.sizes.lists, kThreads>>>(pass.from, pass.lists, round.splitters,
                                                             round.twins, round.seed);
    course::cuda_check(cudaGetLastError());
    count_buckets_kernel<<<round.sizes.tiles, kThreads>>>(pass);
    course::cuda_check(cudaGetLastError());
    place_children_kernel<<<round.sizes.lists, kBuckets>>>(pass, round.next);
    course::cuda_check(cudaGetLastError());
    move_keys_kernel<<<round.sizes.tiles, kThreads>>>(pass);
    course::cuda_check(cudaGetLastError());
}

inline void launch_twin_leaves(const Key* from, Key* to, const Leaf* leaves, unsigned count) {
    sort_leaves_kernel<<<count, kLeafThreads, kRoomBytes>>>(from, to, leaves);
    course::cuda_check(cudaGetLastError());
}

inline constexpr RoundShape kTwinShape = {kBuckets, kBuckets, kSplitLeafKeys};

}  // namespace quicksort
