// SPDX-License-Identifier: MIT
// The parts of stage limit/06: a splitter that is there twice has a part for the keys that equal
// it.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/multiway.cuh"
#include "device/rounds.cuh"
#include "device/staged_runs.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

// Splitter b of a list is the upper end of bucket b. The last one is padding: the largest key.
struct TwinPass : Pass {
    const bool* twins;  // for each list: whether it has any
};

// A key's bucket is the number of splitters that are less; a key that equals the first of two twins
// belongs to the next bucket.
__device__ inline void classify_tile(const TwinPass& pass, const Tile& tile,
                                     Key (&keys)[kKeysPerThread], int (&buckets)[kKeysPerThread],
                                     unsigned (&ranks)[kKeysPerThread], unsigned* s_counts) {
    const bool twins = pass.twins[tile.slot];
    rank_tile<8>(pass.from, tile, pass.splitters, keys, buckets, ranks, s_counts, kBuckets,
                 [twins](Key key, int less, const Key* s_splitters) {
                     return less + (twins && less < kBuckets - 1 && key == s_splitters[less]);
                 });
}

static __global__ void place_children_kernel(TwinPass pass, NextRound next) {
    const std::int64_t slot = blockIdx.x;
    const Key* splitters = pass.splitters + slot * kBuckets;
    const int bucket = threadIdx.x;
    const bool constant = bucket > 0 && splitters[bucket - 1] == splitters[bucket];
    place_child(pass.lists[slot], pass.counts + slot * kBuckets, constant, splitters[bucket], next);
}

}  // namespace quicksort
