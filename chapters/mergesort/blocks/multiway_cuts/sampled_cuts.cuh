// SPDX-License-Identifier: MIT
// Cuts of sorted runs that are searched for in samples first.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/multiway_cuts/multiway_cuts.cuh"
#include "problem/mergesort.hpp"
#include "problem/multiway.hpp"

namespace mergesort {

// Every kStep-th key of a run is a sample, the first one after kStep - 1 others. Here lie those of
// a run that begins at `begin`, a multiple of 32. kStep is 32 or more, so samples of different runs
// do not overlap.
__host__ __device__ __forceinline__ std::int64_t samples_at(std::int64_t begin) {
    return begin / 32;
}

// As cut_run(), for less than 2^31 keys. First it cuts the samples, at kWays samples less than the
// rank has room for. Let r samples come before that cut: with the keys before each, they are kStep
// r keys. Each run has at most kStep - 1 others that come before the last of the r. All together
// are fewer than the rank, so these kStep r keys come before the boundary for certain.
template <int kWays, int kStep>
__device__ int cut_sampled_run(const Lanes<kWays>& lanes, const Key* keys, const Key* samples,
                               int length, int rank) {
    int low = 0;
    if (const int sampled_rank = rank / kStep - kWays; sampled_rank > 0) {
        low = kStep * cut_bracket(lanes, samples, 0, length / kStep, sampled_rank);
    }
    const int left = rank - lanes.sum(low);
    return cut_bracket(lanes, keys, low, min(length, low + left), rank);
}

// kWays threads call. samples: of the runs in `from`; or nullptr, if there are none yet and the
// runs are short.
template <int kWays, int kStep>
__device__ __forceinline__ int find_sampled_cut(const Key* __restrict__ from,
                                                const Key* __restrict__ samples, const Pass& pass,
                                                std::int64_t tile) {
    const Lanes<kWays> lanes;
    const std::int64_t begin = (tile / pass.tiles_per_group * kWays + lanes.lane) * pass.run;
    const int length = static_cast<int>(min(max(pass.count - begin, std::int64_t{0}), pass.run));
    const int rank = static_cast<int>(tile % pass.tiles_per_group * pass.capacity);
    if (rank == 0) return 0;
    if (samples == nullptr) return cut_bracket(lanes, from + begin, 0, length, rank);
    return cut_sampled_run<kWays, kStep>(lanes, from + begin, samples + samples_at(begin), length,
                                         rank);
}

// As find_cuts_kernel(), for the tiles [first_tile, end_tile); boundaries[0] is of the first one.
template <int kWays, int kStep>
__global__ void find_sampled_cuts_kernel(const Key* __restrict__ from,
                                         const Key* __restrict__ samples, Pass pass,
                                         std::int64_t first_tile, std::int64_t end_tile,
                                         std::int64_t* __restrict__ boundaries) {
    const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const std::int64_t tile = first_tile + thread / kWays;
    if (tile >= end_tile) return;
    boundaries[thread] = find_sampled_cut<kWays, kStep>(from, samples, pass, tile);
}

}  // namespace mergesort
