// SPDX-License-Identifier: MIT
// Quicksort, stage limit/01: a partition into many parts.
// Idea: up to 127 splitters instead of one pivot. A round moves each key once and splits each list
// into 128 open parts, between two splitters, and 127 parts of keys that equal a splitter: these
// are done. Two passes: the first counts, so the second knows the place of every part. All lists of
// a round share each launch.
// Compared with 12_big_lazy_streams: several rounds of five launches each, instead of launches for
// each list; leaves of 8192 keys.
// Limit now: the scattered stores of the second pass, and the leaves' barriers.
// Not of the thesis. Frazer and McKellar 1970, "Samplesort".
#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/rounds/round_sort.cuh"
#include "blocks/rounds/rounds.cuh"
#include "common/cuda/cuda_check.hpp"
#include "limit/01_multiway_partition/equal_parts.cuh"
#include "limit/01_multiway_partition/multiway.cuh"
#include "limit/01_multiway_partition/network_leaves.cuh"
#include "limit/01_multiway_partition/spaced_splitters.cuh"
#include "problem/quicksort.hpp"

using course::cuda_check;
using quicksort::Count, quicksort::Key, quicksort::Leaf, quicksort::Pass, quicksort::Tile;
using quicksort::kBuckets, quicksort::kSplitters, quicksort::kThreads, quicksort::kTileKeys;

// Twice the number of splitters that are less than the key; one more if the next splitter equals
// it. Bisection.
__device__ int bucket_of(Key key, const Key* s_splitters) {
    int less = 0;
    for (int step = kSplitters / 2; step > 0; step /= 2) {
        if (s_splitters[less + step - 1] < key) less += step;
    }
    return 2 * less + (key == s_splitters[less]);
}

// Counts the keys of the block's tile in each bucket.
__device__ void count_tile(const Pass& pass, const Tile& tile, Key* s_splitters,
                           unsigned* s_counts) {
    const int thread = threadIdx.x;
    if (thread < kSplitters) s_splitters[thread] = pass.splitters[tile.slot * kSplitters + thread];
    if (thread < kBuckets) s_counts[thread] = 0;
    __syncthreads();
    for (int i = thread; i < tile.count; i += kThreads) {
        atomicAdd(&s_counts[bucket_of(pass.from[tile.begin + i], s_splitters)], 1u);
    }
    __syncthreads();
}

__global__ void count_buckets_kernel(Pass pass) {
    __shared__ Key s_splitters[kSplitters];
    __shared__ unsigned s_counts[kBuckets];
    const Tile tile = tile_of_block(pass.lists, pass.list_of_tile, kTileKeys);
    count_tile(pass, tile, s_splitters, s_counts);
    const int bucket = threadIdx.x;
    if (bucket < kBuckets && s_counts[bucket] > 0) {
        atomicAdd(&pass.counts[tile.slot * kBuckets + bucket], Count{s_counts[bucket]});
    }
}

// Each block reserves room in every part for its tile's keys.
__global__ void move_keys_kernel(Pass pass) {
    __shared__ Key s_splitters[kSplitters];
    __shared__ unsigned s_counts[kBuckets];
    __shared__ Count s_begins[kBuckets];
    const Tile tile = tile_of_block(pass.lists, pass.list_of_tile, kTileKeys);
    count_tile(pass, tile, s_splitters, s_counts);
    const int bucket = threadIdx.x;
    if (bucket < kBuckets && s_counts[bucket] > 0) {
        s_begins[bucket] =
            atomicAdd(&pass.counts[tile.slot * kBuckets + bucket], Count{s_counts[bucket]});
        s_counts[bucket] = 0;
    }
    __syncthreads();
    Key* to = pass.to + pass.lists[tile.slot].begin;
    for (int i = threadIdx.x; i < tile.count; i += kThreads) {
        const Key key = pass.from[tile.begin + i];
        const int target = bucket_of(key, s_splitters);
        to[s_begins[target] + atomicAdd(&s_counts[target], 1u)] = key;
    }
}

void sort_keys(const quicksort::Input& input, quicksort::Output& output,
               quicksort::PhaseTimer& timer) {
    const auto launch_round = [](const quicksort::Round& round) {
        quicksort::choose_splitters_kernel<<<round.sizes.lists, kSplitters>>>(
            round.pass.from, round.pass.lists, round.splitters);
        cuda_check(cudaGetLastError());
        count_buckets_kernel<<<round.sizes.tiles, kThreads>>>(round.pass);
        cuda_check(cudaGetLastError());
        quicksort::place_children_kernel<<<round.sizes.lists, kBuckets>>>(round.pass, round.next);
        cuda_check(cudaGetLastError());
        move_keys_kernel<<<round.sizes.tiles, kThreads>>>(round.pass);
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
