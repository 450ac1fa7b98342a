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

#include "common/cuda/cuda_check.hpp"
#include "device/equal_parts.cuh"
#include "device/multiway.cuh"
#include "device/network_leaves.cuh"
#include "device/round_sort.cuh"
#include "device/rounds.cuh"
#include "device/splitters/spaced_splitters.cuh"
#include "problem/quicksort.hpp"

using course::cuda_check, quicksort::Round;
using quicksort::Count, quicksort::Pass, quicksort::Tile, quicksort::kLeafKeys;
using quicksort::Input, quicksort::Key, quicksort::Leaf, quicksort::Output, quicksort::PhaseTimer;
using quicksort::kBuckets, quicksort::kKeysPerThread, quicksort::kLargestKey, quicksort::kThreads;
using quicksort::kSplitters;
using quicksort::kTileKeys, quicksort::sum_before;

constexpr int kTreeLevels = 7;
static_assert(1 << kTreeLevels == kSplitters);

// Node i of the tree has the children 2 i and 2 i + 1; the root is node 1. Returns the node of the
// splitter with this index.
__device__ int node_of(int index) {
    const int below = __ffs(index + 1) - 1;  // levels below the node
    return (1 << (kTreeLevels - 1 - below)) + ((index + 1) >> (below + 1));
}

// Reads the keys of the block's tile, thread by thread, and counts them in each bucket. The bucket
// of a key is twice the number of splitters that are less; one more if the next splitter equals it.
// A key's rank is the number of keys that the block counted in its bucket before.
__device__ void classify_tile(const Pass& pass, const Tile& tile, Key (&keys)[kKeysPerThread],
                              int (&buckets)[kKeysPerThread], unsigned (&ranks)[kKeysPerThread],
                              unsigned* s_counts) {
    __shared__ Key s_splitters[kSplitters], s_tree[kSplitters];
    const int thread = threadIdx.x;
    if (thread < kSplitters) {
        const Key splitter = pass.splitters[tile.slot * kSplitters + thread];
        s_splitters[thread] = splitter;
        if (thread < kSplitters - 1) s_tree[node_of(thread)] = splitter;
    }
    if (thread < kBuckets) s_counts[thread] = 0;
#pragma unroll
    for (int j = 0; j < kKeysPerThread; ++j) {
        const int i = j * kThreads + thread;
        keys[j] = i < tile.count ? pass.from[tile.begin + i] : kLargestKey;
        buckets[j] = 1;  // the root
    }
    __syncthreads();
#pragma unroll
    for (int level = 0; level < kTreeLevels; ++level) {
#pragma unroll
        for (int j = 0; j < kKeysPerThread; ++j) {
            buckets[j] = 2 * buckets[j] + (s_tree[buckets[j]] < keys[j]);
        }
    }
#pragma unroll
    for (int j = 0; j < kKeysPerThread; ++j) {
        const int less = buckets[j] - kSplitters;
        buckets[j] = 2 * less + (keys[j] == s_splitters[less]);
        if (j * kThreads + thread < tile.count) ranks[j] = atomicAdd(&s_counts[buckets[j]], 1u);
    }
    __syncthreads();
}

__global__ void __launch_bounds__(kThreads, 2) count_buckets_kernel(Pass pass) {
    __shared__ unsigned s_counts[kBuckets];
    const Tile tile = tile_of_block(pass.lists, pass.list_of_tile, kTileKeys);
    Key keys[kKeysPerThread];
    int buckets[kKeysPerThread];
    unsigned ranks[kKeysPerThread];
    classify_tile(pass, tile, keys, buckets, ranks, s_counts);
    const int bucket = threadIdx.x;
    if (bucket < kBuckets && s_counts[bucket] > 0) {
        atomicAdd(&pass.counts[tile.slot * kBuckets + bucket], Count{s_counts[bucket]});
    }
}

// Each block reserves room in every part for its tile's keys.
__global__ void __launch_bounds__(kThreads, 2) move_keys_kernel(Pass pass) {
    __shared__ Key s_keys[kTileKeys];  // in the order of their buckets
    __shared__ unsigned char s_buckets[kTileKeys];  // of these keys
    __shared__ unsigned s_counts[kBuckets], s_runs[kBuckets], s_sums[kThreads / 32];
    __shared__ std::int64_t s_shifts[kBuckets];  // from a key's place in s_keys to that in `to`
    const Tile tile = tile_of_block(pass.lists, pass.list_of_tile, kTileKeys);
    Key keys[kKeysPerThread];
    int buckets[kKeysPerThread];
    unsigned ranks[kKeysPerThread];
    classify_tile(pass, tile, keys, buckets, ranks, s_counts);
    const int thread = threadIdx.x;
    const unsigned count = thread < kBuckets ? s_counts[thread] : 0;
    const unsigned run = sum_before(count, s_sums);
    if (count > 0) {
        const Count place = atomicAdd(&pass.counts[tile.slot * kBuckets + thread], Count{count});
        s_runs[thread] = run;
        s_shifts[thread] = static_cast<std::int64_t>(place) - run;
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < kKeysPerThread; ++j) {
        if (j * kThreads + thread < tile.count) {
            const unsigned place = s_runs[buckets[j]] + ranks[j];
            s_keys[place] = keys[j];
            s_buckets[place] = static_cast<unsigned char>(buckets[j]);
        }
    }
    __syncthreads();
    Key* to = pass.to + pass.lists[tile.slot].begin;
    for (int i = thread; i < tile.count; i += kThreads) to[s_shifts[s_buckets[i]] + i] = s_keys[i];
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const auto launch_round = [](const Round& round) {
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
    quicksort::sort_in_rounds(input, output, timer, {kBuckets, kSplitters, kLeafKeys}, launch_round,
                              launch_leaves);
}

int main(int argc, char** argv) {
    return quicksort::run_stage(argc, argv, STAGE_NAME, sort_keys, nullptr,
                                {quicksort::kRoundsOption}, quicksort::kBytesPerKey);
}
