// SPDX-License-Identifier: MIT
// Quicksort, stage limit/05: a leaf is a sample sort of its own.
// Idea: a block splits its leaf into 32 sub-buckets in shared memory, and each warp sorts some of
// them in registers. No warp waits for another one while it sorts. A network's steps grow with the
// square of the logarithm: 128 keys need 28 of them, 8192 keys 91. So fewer shuffles are left.
// Compared with limit/04_stratified_sample: sort_leaves_kernel.
// Limit now: the counting pass, and a third round where parts of equal keys are empty.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/rounds/round_sort.cuh"
#include "blocks/rounds/rounds.cuh"
#include "common/cuda/cuda_check.hpp"
#include "limit/01_multiway_partition/equal_parts.cuh"
#include "limit/01_multiway_partition/multiway.cuh"
#include "limit/02_staged_runs/staged_runs.cuh"
#include "limit/04_stratified_sample/sampled_splitters.cuh"
#include "limit/05_sub_buckets/search_tree.cuh"
#include "limit/05_sub_buckets/sub_buckets.cuh"
#include "problem/quicksort.hpp"

using course::cuda_check, quicksort::Key, quicksort::Leaf, quicksort::NodeTree;
using quicksort::kBuckets, quicksort::kKeysPerThread, quicksort::kLeafThreads, quicksort::kThreads;
using quicksort::kSubBuckets, quicksort::kSubLevels, quicksort::sum_of_lanes_before;

// Splits the leaf: s_keys gets its sub-buckets. Returns how many keys are in that of the thread's
// lane; its room begins at s_keys + room, and `place` keys are in the sub-buckets before.
__device__ __forceinline__ int split_leaf(const Key* from, int count, Key* s_keys, int& room,
                                          int& place) {
    __shared__ __align__(16) Key s_samples[kLeafThreads], s_tree[kSubBuckets];
    __shared__ unsigned s_counts[kSubBuckets + quicksort::kCellsLeftOut];
    const int thread = threadIdx.x, lane = thread % 32;
    Key keys[kKeysPerThread];
    unsigned places[kKeysPerThread];
#pragma unroll
    for (int j = 0; j < kKeysPerThread; ++j) {
        const int i = j * kLeafThreads + thread;
        keys[j] = i < count ? from[i] : quicksort::kLargestKey;
    }
    if (thread < kSubBuckets + quicksort::kCellsLeftOut) s_counts[thread] = 0;
    const int samples = quicksort::sample_leaf(from, count, s_samples);
    if (0 < thread && thread < kSubBuckets) {
        const int splitter = NodeTree::splitter_at<kSubLevels>(thread);
        s_tree[thread] = s_samples[splitter * samples / kSubBuckets];
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < kKeysPerThread; j += 4) {
        if (j * kLeafThreads + thread - lane >= count) break;  // for the whole warp
        NodeTree::descend<kSubLevels, 4>(s_tree, keys + j, places + j);
        quicksort::leave_out<kLeafThreads>(j * kLeafThreads + thread, count, kSubBuckets,
                                           places + j);
        quicksort::count_four(s_counts, places + j);
    }
    __syncthreads();
    const unsigned cell = NodeTree::cell_of<kSubLevels>(lane);
    const int own = s_counts[cell] / 4;  // each warp adds up the counts for itself
    room = sum_of_lanes_before((own + 3) / 4 * 4);
    place = sum_of_lanes_before(own);
    const int begin = 4 * __shfl_sync(0xffffffff, room, cell);  // of the lane's cell, in bytes
#pragma unroll
    for (int j = 0; j < kKeysPerThread; j += 4) {
        if (j * kLeafThreads + thread - lane >= count) break;
        unsigned bytes[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const unsigned of_key = places[j + k];
            bytes[k] = __shfl_sync(0xffffffff, begin, of_key / 4) + of_key / 65536;
        }
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            if ((j + k) * kLeafThreads + thread < count) {
                quicksort::word_at(s_keys, bytes[k]) = keys[j + k];
            }
        }
    }
    __syncthreads();
    return own;
}

__global__ void __launch_bounds__(kLeafThreads, 3)
    sort_leaves_kernel(const Key* from, Key* sorted, const Leaf* leaves) {
    extern __shared__ __align__(16) Key s_keys[];
    const Leaf leaf = leaves[blockIdx.x];
    if (leaf.constant) return fill_leaf(leaf, sorted);
    int room, place;
    const int own = split_leaf(from + leaf.begin, leaf.count, s_keys, room, place);
    quicksort::sort_sub_buckets(own, room, place, s_keys, sorted + leaf.begin);
}

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
        sort_leaves_kernel<<<count, kLeafThreads, quicksort::kRoomBytes>>>(from, keys, leaves);
        cuda_check(cudaGetLastError());
    };
    quicksort::sort_in_rounds(input, output, timer,
                              {kBuckets, quicksort::kSplitters, quicksort::kSplitLeafKeys},
                              launch_round, launch_leaves);
}

int main(int argc, char** argv) {
    return quicksort::run_stage(argc, argv, STAGE_NAME, sort_keys, nullptr,
                                {quicksort::kRoundsOption}, quicksort::kBytesPerKey);
}
