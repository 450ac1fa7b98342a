// SPDX-License-Identifier: MIT
// Splitters of which a frequent one is there twice, so that the keys that equal it have a part of
// their own.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/rounds/rounds.cuh"
#include "limit/01_multiway_partition/multiway.cuh"
#include "limit/02_staged_runs/staged_runs.cuh"
#include "limit/03_register_network/register_network.cuh"
#include "limit/04_stratified_sample/sample.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

// Whether a sorted sample has the key at least `often` times.
__device__ inline bool is_frequent(Key key, const Key* s_samples, int samples, int often) {
    int first = 0;
    for (int end = samples; first < end;) {  // bisection
        const int middle = (first + end) / 2;
        if (s_samples[padded(middle)] < key) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first + often <= samples && s_samples[padded(first + often - 1)] == key;
}

// Writes kParts splitters of a sorted sample for up to `wanted` parts. It asks for fewer if twins
// take too many places: those of half as many parts always fit. Returns how many it asked for, and
// whether there are twins.
template <int kParts>
__device__ int choose_from_sample(const Key* s_samples, int samples, int wanted, Key* s_splitters,
                                  bool& twins) {
    __shared__ int s_sums[32];
    const int thread = threadIdx.x, rank = thread + 1;
    int parts = wanted;
    for (int attempt = 0;; ++attempt) {  // at most 5
        int copies = 0;
        Key key = 0;
        if (rank < parts) {
            key = s_samples[padded(rank * samples / parts)];
            const bool same = rank > 1 && s_samples[padded((rank - 1) * samples / parts)] == key;
            const int often = max(samples / (4 * parts), 2);
            copies = same ? 0 : 1 + is_frequent(key, s_samples, samples, often);
        }
        const int before = sum_before(copies, s_sums);
        const int frequent = __syncthreads_count(copies == 2);
        if (__syncthreads_count(copies > 0) + frequent >= kParts) {
            parts = wanted - (attempt + 1) * wanted / 8;
            continue;
        }
        if (thread < kParts) s_splitters[thread] = kLargestKey;
        __syncthreads();
        for (int i = 0; i < copies; ++i) s_splitters[before + i] = key;
        __syncthreads();
        twins = frequent > 0;
        return parts;
    }
}

// One block per list. splitters: kBuckets per list.
static __global__ void __launch_bounds__(kThreads)
    choose_splitters_kernel(const Key* __restrict__ from, const List* __restrict__ lists,
                            Key* __restrict__ splitters, bool* __restrict__ twins,
                            std::uint64_t seed) {
    __shared__ Key s_samples[kSamples + kThreads], s_splitters[kBuckets];
    const List list = lists[blockIdx.x];
    const int samples = sort_samples<kThreads, kKeysPerThread>(from, list, s_samples, seed);
    const auto wanted = min((list.count - 1) / kKeysPerPart + 1, std::int64_t{kBuckets});
    bool any = false;
    choose_from_sample<kBuckets>(s_samples, samples, static_cast<int>(wanted), s_splitters, any);
    const int thread = threadIdx.x;
    if (thread < kBuckets) {
        splitters[std::int64_t{blockIdx.x} * kBuckets + thread] = s_splitters[thread];
    }
    if (thread == 0) twins[blockIdx.x] = any;
}

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
