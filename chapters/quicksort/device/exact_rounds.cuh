// SPDX-License-Identifier: MIT
// The whole sort of stage limit/06, for the stages that fall back to it: it counts before it moves,
// so it needs no room besides a second buffer.
#pragma once

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

namespace quicksort {

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

// Sorts the keys, which end where they were. Returns the number of rounds.
inline int sort_exactly(Key* keys, Key* buffer, std::int64_t count, std::int64_t rounds,
                        std::uint64_t seed) {
    const auto launch_round = [](const Round& round) {
        const TwinPass pass = {round.pass, round.twins};
        choose_splitters_kernel<<<round.sizes.lists, kThreads>>>(
            pass.from, pass.lists, round.splitters, round.twins, round.seed);
        course::cuda_check(cudaGetLastError());
        count_buckets_kernel<<<round.sizes.tiles, kThreads>>>(pass);
        course::cuda_check(cudaGetLastError());
        place_children_kernel<<<round.sizes.lists, kBuckets>>>(pass, round.next);
        course::cuda_check(cudaGetLastError());
        move_keys_kernel<<<round.sizes.tiles, kThreads>>>(pass);
        course::cuda_check(cudaGetLastError());
    };
    const auto launch_leaves = [](const Key* from, Key* to, const Leaf* leaves,
                                  unsigned leaf_count) {
        sort_leaves_kernel<<<leaf_count, kLeafThreads, kRoomBytes>>>(from, to, leaves);
        course::cuda_check(cudaGetLastError());
    };
    RoundSort sort(count, {kBuckets, kBuckets, kSplitLeafKeys});
    return sort.sort(keys, buffer, rounds, seed, launch_round, launch_leaves);
}

}  // namespace quicksort
