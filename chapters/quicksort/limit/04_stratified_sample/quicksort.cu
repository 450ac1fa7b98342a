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

#include "common/cuda/cuda_check.hpp"
#include "device/equal_parts.cuh"
#include "device/multiway.cuh"
#include "device/register_leaves.cuh"
#include "device/round_sort.cuh"
#include "device/rounds.cuh"
#include "device/sample.cuh"
#include "device/staged_runs.cuh"
#include "problem/quicksort.hpp"

using course::cuda_check, quicksort::Round;
using quicksort::Input, quicksort::Key, quicksort::Leaf, quicksort::Output, quicksort::PhaseTimer;
using quicksort::kBuckets, quicksort::kKeysPerThread, quicksort::kLargestKey, quicksort::kThreads;
using quicksort::kSplitters;
using quicksort::List, quicksort::kLeafKeys, quicksort::padded, quicksort::sort_block;

constexpr int kSamples = kThreads * kKeysPerThread;
constexpr int kKeysPerPart = 4096;  // on average; a part half as long again is still a leaf

// Mixes the bits of `z`: splitmix64's last step (Steele, Lea and Flood 2014).
__device__ std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

// The length of each of `samples` equal ranges of `count` places, in 2^-20 of a place.
__device__ std::uint64_t sample_range(int samples, std::int64_t count) {
    return (static_cast<std::uint64_t>(count) << 20) / samples;
}

// The place of sample i: at random within the i-th range. No division: 64 bits take 100
// instructions.
__device__ std::int64_t sample_place(int i, std::uint64_t range, std::uint64_t seed) {
    const std::uint64_t begin = i * range >> 20, end = (i + 1) * range >> 20;
    const std::uint64_t hash = mix(seed ^ (std::uint64_t{blockIdx.x} << 20 | i));
    return static_cast<std::int64_t>(begin + __umul64hi(hash, end - begin));
}

// Sorts the sample of a list: sample i is at s_samples[padded(i)]. Returns how many there are: no
// more than every fourth key, so that a key which is sampled often is frequent.
__device__ int sort_samples(const Key* from, const List& list, Key* s_samples, std::uint64_t seed) {
    const int thread = threadIdx.x;
    const int samples =
        static_cast<int>(min(max(list.count / 4, std::int64_t{1}), std::int64_t{kSamples}));
    const std::uint64_t range = sample_range(samples, list.count);
    int used = 32;
    while (used * kKeysPerThread < samples) used *= 2;
    Key keys[kKeysPerThread];
#pragma unroll
    for (int j = 0; j < kKeysPerThread; ++j) {
        const int i = j * used + thread;
        keys[j] = thread < used && i < samples ? from[list.begin + sample_place(i, range, seed)]
                                               : kLargestKey;
    }
    sort_block<kThreads>(keys, s_samples, used);
#pragma unroll
    for (int j = 0; j < kKeysPerThread; ++j) {
        s_samples[padded(thread * kKeysPerThread + j)] = keys[j];
    }
    __syncthreads();
    return samples;
}

// One block per list. splitters: kSplitters per list, in order, padded with the largest key.
__global__ void __launch_bounds__(kThreads)
    choose_splitters_kernel(const Key* __restrict__ from, const List* __restrict__ lists,
                            Key* __restrict__ splitters, std::uint64_t seed) {
    __shared__ Key s_samples[kSamples + kThreads];
    const List list = lists[blockIdx.x];
    const int samples = sort_samples(from, list, s_samples, seed);
    const int thread = threadIdx.x;
    if (thread < kSplitters) {
        const int parts =
            static_cast<int>(min((list.count - 1) / kKeysPerPart + 1, std::int64_t{kSplitters}));
        splitters[std::int64_t{blockIdx.x} * kSplitters + thread] =
            thread + 1 < parts ? s_samples[padded((thread + 1) * samples / parts)] : kLargestKey;
    }
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const auto launch_round = [](const Round& round) {
        choose_splitters_kernel<<<round.sizes.lists, kThreads>>>(round.pass.from, round.pass.lists,
                                                                 round.splitters, round.seed);
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
    quicksort::sort_in_rounds(input, output, timer, {kBuckets, kSplitters, kLeafKeys}, launch_round,
                              launch_leaves);
}

int main(int argc, char** argv) {
    return quicksort::run_stage(argc, argv, STAGE_NAME, sort_keys, nullptr,
                                {quicksort::kRoundsOption}, quicksort::kBytesPerKey);
}
