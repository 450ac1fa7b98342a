// SPDX-License-Identifier: MIT
// Quicksort, stage 20: a leaf is a sample sort of its own.
// Idea: a block splits its leaf into 32 sub-buckets in shared memory, and each warp sorts some of
// them in registers. No warp waits for another one while it sorts. A network's steps grow with the
// square of the logarithm: 128 keys need 28 of them, 8192 keys 91. So fewer shuffles are left.
// Compared with 19_stratified_sample: sort_leaves_kernel.
// Limit now: the counting pass, and a third round where parts of equal keys are empty.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>
#include <utility>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/input/splitmix64.hpp"
#include "device/bitonic.cuh"
#include "device/equal_parts.cuh"
#include "device/multiway.cuh"
#include "device/rounds.cuh"
#include "device/sampled_splitters.cuh"
#include "device/staged_runs.cuh"
#include "device/warp_sort.cuh"
#include "problem/quicksort.hpp"

using course::cuda_check, course::DeviceBuffer;
using quicksort::Input, quicksort::Key, quicksort::Leaf, quicksort::NextRound, quicksort::Output;
using quicksort::kBuckets, quicksort::kKeysPerThread, quicksort::kLargestKey, quicksort::kThreads;
using quicksort::kTileKeys, quicksort::Pass, quicksort::Phase, quicksort::PhaseTimer;
using quicksort::RoundMemory, quicksort::RoundSizes, quicksort::sort_by_block, quicksort::sort_warp;
using quicksort::sum_of_lanes_before;

constexpr int kLeafThreads = 384;
constexpr int kSplitLeafKeys = kLeafThreads * kKeysPerThread;
constexpr int kSubLevels = 5, kSubBuckets = 1 << kSubLevels;  // one for each lane of a warp
constexpr int kRoomBytes = (kSplitLeafKeys + kSubBuckets) * static_cast<int>(sizeof(Key));
constexpr int kLongestSubBucket = 32 * 16;  // what a warp can sort in registers

// A warp sorts up to 32 kKeys keys of shared memory. Their room has an even size.
template <int kKeys>
__device__ __forceinline__ void sort_sub_bucket(Key* s_keys, int count, Key* sorted) {
    const int lane = threadIdx.x % 32;
    Key keys[kKeys];
#pragma unroll
    for (int j = 0; j < kKeys; ++j) {
        const int i = j * 32 + lane;
        keys[j] = i < count ? s_keys[i] : kLargestKey;
    }
    sort_warp(keys);
    __syncwarp();  // all lanes have read s_keys
#pragma unroll
    for (int j = 0; j < kKeys; j += 2) {
        const int i = lane * kKeys + j;
        if (i < count) *reinterpret_cast<int2*>(s_keys + i) = make_int2(keys[j], keys[j + 1]);
    }
    __syncwarp();  // the keys are in order
    for (int i = lane; i < count; i += 32) sorted[i] = s_keys[i];
}

// Splits the leaf: s_keys gets its sub-buckets. Returns how many keys are in that of the thread's
// lane; its room begins at s_keys + room, and `place` keys are in the sub-buckets before.
__device__ int split_leaf(const Key* from, int count, Key* s_keys, int& room, int& place) {
    __shared__ __align__(8) Key s_samples[kLeafThreads];
    __shared__ Key s_tree[kSubBuckets];
    __shared__ int s_counts[kSubBuckets];
    const int thread = threadIdx.x, lane = thread % 32;
    Key keys[kKeysPerThread];
    int places[kKeysPerThread];
#pragma unroll
    for (int j = 0; j < kKeysPerThread; ++j) {
        const int i = j * kLeafThreads + thread;
        keys[j] = i < count ? from[i] : kLargestKey;
    }
    const int samples = min(count, kLeafThreads);
    if (thread < samples) s_samples[thread] = from[thread * count / samples];
    if (thread < kSubBuckets) s_counts[thread] = 0;
    __syncthreads();
    if (thread < 32) {
        sort_sub_bucket<kLeafThreads / 32>(s_samples, samples, s_samples);
        __syncwarp();  // the samples are in order
        // Node 2^l + j of the tree is splitter (2 j + 1) 2^(4 - l), counted from 1; node 0 is none.
        const int level = 31 - __clz(max(lane, 1)), j = lane - (1 << level);
        const int rank = (2 * j + 1) << (kSubLevels - 1 - level);
        if (lane > 0) s_tree[lane] = s_samples[rank * samples / kSubBuckets];
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < kKeysPerThread; ++j) {
        if (j * kLeafThreads + thread - lane >= count) break;  // for the whole warp
        int node = 1;
#pragma unroll
        for (int level = 0; level < kSubLevels; ++level) node = 2 * node + (s_tree[node] < keys[j]);
        node -= kSubBuckets;
        const bool valid = j * kLeafThreads + thread < count;
        places[j] = valid ? atomicAdd(&s_counts[node], 1) * kSubBuckets + node : -1;
    }
    __syncthreads();
    const int own = s_counts[lane];  // each warp adds up the counts for itself
    room = sum_of_lanes_before((own + 1) / 2 * 2);
    place = sum_of_lanes_before(own);
#pragma unroll
    for (int j = 0; j < kKeysPerThread; ++j) {
        if (j * kLeafThreads + thread - lane >= count) break;
        const int begin = __shfl_sync(0xffffffff, room, places[j] % kSubBuckets);
        if (places[j] >= 0) s_keys[begin + places[j] / kSubBuckets] = keys[j];
    }
    __syncthreads();
    return own;
}

__device__ void sort_leaf(const Key* from, int count, Key* s_keys, Key* sorted) {
    int room, place;
    const int own = split_leaf(from, count, s_keys, room, place);
#pragma unroll 1
    for (int b = threadIdx.x / 32; b < kSubBuckets; b += kLeafThreads / 32) {
        const int count = __shfl_sync(0xffffffff, own, b);
        Key* s_bucket = s_keys + __shfl_sync(0xffffffff, room, b);
        Key* to = sorted + __shfl_sync(0xffffffff, place, b);
        if (count <= 32 * 4) {
            sort_sub_bucket<4>(s_bucket, count, to);
        } else if (count <= 32 * 6) {
            sort_sub_bucket<6>(s_bucket, count, to);
        } else if (count <= 32 * 8) {
            sort_sub_bucket<8>(s_bucket, count, to);
        } else if (count <= 32 * 12) {
            sort_sub_bucket<12>(s_bucket, count, to);
        } else if (count <= kLongestSubBucket) {
            sort_sub_bucket<16>(s_bucket, count, to);
        }
    }
    for (int b = 0; b < kSubBuckets; ++b) {
        const int count = __shfl_sync(0xffffffff, own, b);
        if (count <= kLongestSubBucket) continue;  // what is left is sorted by all warps together
        Key* s_bucket = s_keys + __shfl_sync(0xffffffff, room, b);
        Key* to = sorted + __shfl_sync(0xffffffff, place, b);
        sort_by_block(s_bucket, count);
        for (int i = threadIdx.x; i < count; i += kLeafThreads) to[i] = s_bucket[i];
    }
}

__global__ void __launch_bounds__(kLeafThreads, 3)
    sort_leaves_kernel(const Key* from, Key* sorted, const Leaf* leaves) {
    extern __shared__ __align__(16) Key s_keys[];
    const Leaf leaf = leaves[blockIdx.x];
    if (leaf.constant) return fill_leaf(leaf, sorted);
    sort_leaf(from + leaf.begin, leaf.count, s_keys, sorted + leaf.begin);
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    timer.begin(Phase::kSetup);
    DeviceBuffer<Key> d_keys(count), d_buffer(count);
    RoundMemory memory(count, kBuckets, kTileKeys, kSplitLeafKeys);
    DeviceBuffer<Key> d_splitters(quicksort::kSplitters * memory.most_lists());

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_keys.data(), input.keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    Key *from = d_keys.data(), *to = d_buffer.data(), *splitters = d_splitters.data();
    RoundSizes sizes = memory.begin(count);
    int round = 0;
    for (; sizes.lists > 0 && round < input.options.integer("--rounds"); ++round) {
        const NextRound next = memory.next(round);
        const Pass pass = {
            from, to, memory.lists(round), memory.list_of_tile(round), splitters, memory.counts()};
        memory.clear(sizes.lists);
        quicksort::choose_splitters_kernel<<<sizes.lists, kThreads>>>(
            from, pass.lists, splitters, input.seed + round * course::kSplitmix64Step);
        cuda_check(cudaGetLastError());
        quicksort::count_buckets_kernel<<<sizes.tiles, kThreads>>>(pass);
        cuda_check(cudaGetLastError());
        quicksort::place_children_kernel<<<sizes.lists, kBuckets>>>(pass, next);
        cuda_check(cudaGetLastError());
        quicksort::move_keys_kernel<<<sizes.tiles, kThreads>>>(pass);
        cuda_check(cudaGetLastError());
        sizes = memory.next_sizes();
        if (sizes.leaves > 0) {
            sort_leaves_kernel<<<sizes.leaves, kLeafThreads, kRoomBytes>>>(to, d_keys.data(),
                                                                           next.leaves);
            cuda_check(cudaGetLastError());
        }
        std::swap(from, to);
    }
    memory.sort_lists_left(round, sizes.lists, from, d_keys.data());

    timer.begin(Phase::kCopyOut);
    cuda_check(
        cudaMemcpy(output.keys.data(), d_keys.data(), d_keys.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid((count - 1) / kTileKeys + 1, kThreads);
    timer.declare_work({.bytes = 2.0 * d_keys.bytes()});  // each key read and written once
    output.report = {{"rounds", round}, {"lists_left", sizes.lists}};
}

int main(int argc, char** argv) {
    return quicksort::run_stage(argc, argv, STAGE_NAME, sort_keys, nullptr,
                                {quicksort::kRoundsOption}, quicksort::kBytesPerKey);
}
