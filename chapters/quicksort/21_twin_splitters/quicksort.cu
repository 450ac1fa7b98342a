// SPDX-License-Identifier: MIT
// Quicksort, stage 21: parts of equal keys only for frequent keys.
// Idea: a splitter gets a part for the keys that equal it only if the sample shows it often. Such a
// splitter is written twice: between the twins fits nothing but keys that equal them. All other
// splitters cost one part instead of two, so a round splits a list into 256 parts instead of 128.
// Compared with 20_sub_buckets: choose_splitters_kernel, classify_tile, place_children_kernel.
// Limit now: memory and shared memory of two passes per round, each of which classifies every key.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>
#include <utility>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/input/splitmix64.hpp"
#include "device/multiway.cuh"
#include "device/register_network.cuh"
#include "device/rounds.cuh"
#include "device/sample.cuh"
#include "device/split_leaves.cuh"
#include "device/staged_runs.cuh"
#include "device/sub_bucket_leaves.cuh"
#include "problem/quicksort.hpp"

using course::cuda_check, course::DeviceBuffer;
using quicksort::descend_tile, quicksort::node_of, quicksort::sort_samples;
using quicksort::Input, quicksort::Key, quicksort::List, quicksort::NextRound, quicksort::Output;
using quicksort::kBuckets, quicksort::kKeysPerThread, quicksort::kLargestKey, quicksort::kThreads;
using quicksort::kKeysPerPart, quicksort::kLeafThreads, quicksort::kRoomBytes, quicksort::kSamples;
using quicksort::kSplitLeafKeys, quicksort::kTileKeys, quicksort::padded, quicksort::Pass;
using quicksort::Phase, quicksort::PhaseTimer, quicksort::RoundMemory, quicksort::RoundSizes;
using quicksort::sum_before, quicksort::Tile;

// Splitter b of a list is the upper end of bucket b. The last one is padding: the largest key.
struct TwinPass : Pass {
    const bool* twins;  // for each list: whether it has any
};

// Whether the sample has the key at least `often` times.
__device__ bool is_frequent(Key key, const Key* s_samples, int samples, int often) {
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
__global__ void __launch_bounds__(kThreads)
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

// As in stage 17, for a tree of 8 levels. A key's bucket is the number of splitters that are less;
// a key that equals the first of two twins belongs to the next bucket.
__device__ void classify_tile(const TwinPass& pass, const Tile& tile, Key (&keys)[kKeysPerThread],
                              int (&buckets)[kKeysPerThread], unsigned (&ranks)[kKeysPerThread],
                              unsigned* s_counts) {
    constexpr int kTreeLevels = 8;
    __shared__ Key s_splitters[kBuckets], s_tree[kBuckets];
    const int thread = threadIdx.x;
    const bool twins = pass.twins[tile.slot];
    if (thread < kBuckets) {
        s_splitters[thread] = pass.splitters[tile.slot * kBuckets + thread];
        if (thread < kBuckets - 1) s_tree[node_of<kTreeLevels>(thread)] = s_splitters[thread];
        s_counts[thread] = 0;
    }
    descend_tile<kTreeLevels>(pass.from, tile, s_tree, keys, buckets);
#pragma unroll
    for (int j = 0; j < kKeysPerThread; ++j) {
        const int bucket = buckets[j];
        if (twins && bucket < kBuckets - 1 && keys[j] == s_splitters[bucket]) ++buckets[j];
        if (j * kThreads + thread < tile.count) ranks[j] = atomicAdd(&s_counts[buckets[j]], 1u);
    }
    __syncthreads();
}

__global__ void place_children_kernel(TwinPass pass, NextRound next) {
    const std::int64_t slot = blockIdx.x;
    const Key* splitters = pass.splitters + slot * kBuckets;
    const int bucket = threadIdx.x;
    const bool constant = bucket > 0 && splitters[bucket - 1] == splitters[bucket];
    place_child(pass.lists[slot], pass.counts + slot * kBuckets, constant, splitters[bucket], next);
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    timer.begin(Phase::kSetup);
    DeviceBuffer<Key> d_keys(count), d_buffer(count);
    RoundMemory memory(count, kBuckets, kTileKeys, kSplitLeafKeys);
    DeviceBuffer<Key> d_splitters(kBuckets * memory.most_lists());
    DeviceBuffer<bool> d_twins(memory.most_lists());

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_keys.data(), input.keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    Key *from = d_keys.data(), *to = d_buffer.data(), *splitters = d_splitters.data();
    RoundSizes sizes = memory.begin(count);
    int round = 0;
    for (; sizes.lists > 0 && round < input.options.integer("--rounds"); ++round) {
        const NextRound next = memory.next(round);
        const TwinPass pass = {
            {from, to, memory.lists(round), memory.list_of_tile(round), splitters, memory.counts()},
            d_twins.data()};
        memory.clear(sizes.lists);
        choose_splitters_kernel<<<sizes.lists, kThreads>>>(
            from, pass.lists, splitters, d_twins.data(),
            input.seed + round * course::kSplitmix64Step);
        cuda_check(cudaGetLastError());
        quicksort::count_buckets_kernel<<<sizes.tiles, kThreads>>>(pass);
        cuda_check(cudaGetLastError());
        place_children_kernel<<<sizes.lists, kBuckets>>>(pass, next);
        cuda_check(cudaGetLastError());
        quicksort::move_keys_kernel<<<sizes.tiles, kThreads>>>(pass);
        cuda_check(cudaGetLastError());
        sizes = memory.next_sizes();
        if (sizes.leaves > 0) {
            quicksort::sort_leaves_kernel<<<sizes.leaves, kLeafThreads, kRoomBytes>>>(
                to, d_keys.data(), next.leaves);
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
