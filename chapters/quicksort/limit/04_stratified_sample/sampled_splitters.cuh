// SPDX-License-Identifier: MIT
// Splitters from a large sample of each list.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/rounds/rounds.cuh"
#include "limit/01_multiway_partition/multiway.cuh"
#include "limit/03_register_network/register_network.cuh"
#include "limit/04_stratified_sample/sample.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

// One block per list. splitters: kSplitters per list, in order, padded with the largest key.
static __global__ void __launch_bounds__(kThreads)
    choose_splitters_kernel(const Key* __restrict__ from, const List* __restrict__ lists,
                            Key* __restrict__ splitters, std::uint64_t seed) {
    __shared__ Key s_samples[kSamples + kThreads];
    const List list = lists[blockIdx.x];
    const int samples = sort_samples<kThreads, kKeysPerThread>(from, list, s_samples, seed);
    const int thread = threadIdx.x;
    if (thread < kSplitters) {
        const int parts =
            static_cast<int>(min((list.count - 1) / kKeysPerPart + 1, std::int64_t{kSplitters}));
        splitters[std::int64_t{blockIdx.x} * kSplitters + thread] =
            thread + 1 < parts ? s_samples[padded((thread + 1) * samples / parts)] : kLargestKey;
    }
}

}  // namespace quicksort
