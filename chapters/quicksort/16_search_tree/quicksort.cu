// SPDX-License-Identifier: MIT
// Quicksort, stage 16: the splitters as a search tree.
// Idea: the splitters lie in shared memory in the order of a tree's levels, so the nodes that a
// warp reads in one step are neighbours. Bisection reads words that are 64, 32, 16 … apart, and
// many of them lie in the same bank. A thread takes 16 keys down the tree at once: their loads do
// not wait for each other. Keys and buckets stay in registers.
// Compared with 15_multiway_partition: node_of, classify_tile.
// Limit now: the scattered stores of the second pass, and the leaves' barriers.
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
using quicksort::kTileKeys;

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
__device__ void classify_tile(const Pass& pass, const Tile& tile, Key (&keys)[kKeysPerThread],
                              int (&buckets)[kKeysPerThread], unsigned* s_counts) {
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
        if (j * kThreads + thread < tile.count) atomicAdd(&s_counts[buckets[j]], 1u);
    }
    __syncthreads();
}

__global__ void count_buckets_kernel(Pass pass) {
    __shared__ unsigned s_counts[kBuckets];
    const Tile tile = tile_of_block(pass.lists, pass.list_of_tile, kTileKeys);
    Key keys[kKeysPerThread];
    int buckets[kKeysPerThread];
    classify_tile(pass, tile, keys, buckets, s_counts);
    const int bucket = threadIdx.x;
    if (bucket < kBuckets && s_counts[bucket] > 0) {
        atomicAdd(&pass.counts[tile.slot * kBuckets + bucket], Count{s_counts[bucket]});
    }
}

// Each block reserves room in every part for its tile's keys.
__global__ void move_keys_kernel(Pass pass) {
    __shared__ unsigned s_counts[kBuckets];
    __shared__ Count s_begins[kBuckets];
    const Tile tile = tile_of_block(pass.lists, pass.list_of_tile, kTileKeys);
    Key keys[kKeysPerThread];
    int buckets[kKeysPerThread];
    classify_tile(pass, tile, keys, buckets, s_counts);
    const int bucket = threadIdx.x;
    if (bucket < kBuckets && s_counts[bucket] > 0) {
        s_begins[bucket] =
            atomicAdd(&pass.counts[tile.slot * kBuckets + bucket], Count{s_counts[bucket]});
        s_counts[bucket] = 0;
    }
    __syncthreads();
    Key* to = pass.to + pass.lists[tile.slot].begin;
#pragma unroll
    for (int j = 0; j < kKeysPerThread; ++j) {
        if (j * kThreads + static_cast<int>(threadIdx.x) < tile.count) {
            to[s_begins[buckets[j]] + atomicAdd(&s_counts[buckets[j]], 1u)] = keys[j];
        }
    }
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
