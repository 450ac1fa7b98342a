// SPDX-License-Identifier: MIT
// Quicksort, stage limit/06: parts of equal keys only for frequent keys.
// Idea: a splitter gets a part for the keys that equal it only if the sample shows it often. Such a
// splitter is written twice: between the twins fits nothing but keys that equal them. All other
// splitters cost one part instead of two, so a round splits a list into 256 parts instead of 128.
// Compared with limit/05_sub_buckets: choose_splitters_kernel, classify_tile,
// place_children_kernel.
// Limit now: memory and shared memory of two passes per round, each of which classifies every key.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "device/multiway.cuh"
#include "device/round_sort.cuh"
#include "device/rounds.cuh"
#include "device/sample.cuh"
#include "device/staged_runs.cuh"
#include "device/sub_bucket_leaves.cuh"
#include "device/twin_parts.cuh"
#include "problem/quicksort.hpp"

using course::cuda_check, quicksort::Round;
using quicksort::Input, quicksort::Key, quicksort::Leaf, quicksort::Output, quicksort::PhaseTimer;
using quicksort::kBuckets, quicksort::kKeysPerThread, quicksort::kLargestKey, quicksort::kThreads;
using quicksort::kLeafThreads, quicksort::kRoomBytes, quicksort::kSamples;
using quicksort::kSplitLeafKeys, quicksort::padded, quicksort::sort_samples, quicksort::sum_before;
using quicksort::List, quicksort::TwinPass, quicksort::is_frequent, quicksort::kKeysPerPart;

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

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const auto launch_round = [](const Round& round) {
        const TwinPass pass = {round.pass, round.twins};
        choose_splitters_kernel<<<round.sizes.lists, kThreads>>>(
            pass.from, pass.lists, round.splitters, round.twins, round.seed);
        cuda_check(cudaGetLastError());
        quicksort::count_buckets_kernel<<<round.sizes.tiles, kThreads>>>(pass);
        cuda_check(cudaGetLastError());
        quicksort::place_children_kernel<<<round.sizes.lists, kBuckets>>>(pass, round.next);
        cuda_check(cudaGetLastError());
        quicksort::move_keys_kernel<<<round.sizes.tiles, kThreads>>>(pass);
        cuda_check(cudaGetLastError());
    };
    const auto launch_leaves = [](const Key* from, Key* keys, const Leaf* leaves, unsigned count) {
        quicksort::sort_leaves_kernel<<<count, kLeafThreads, kRoomBytes>>>(from, keys, leaves);
        cuda_check(cudaGetLastError());
    };
    quicksort::sort_in_rounds(input, output, timer, {kBuckets, kBuckets, kSplitLeafKeys},
                              launch_round, launch_leaves);
}

int main(int argc, char** argv) {
    return quicksort::run_stage(argc, argv, STAGE_NAME, sort_keys, nullptr,
                                {quicksort::kRoundsOption}, quicksort::kBytesPerKey);
}
