// SPDX-License-Identifier: MIT
// The cuts at both ends of a tile, searched by all threads of the block that merges the tile.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/multiway_cuts/multiway_cuts.cuh"
#include "problem/mergesort.hpp"

namespace mergesort {

// One side of a tile: what the half of a block that searches its cut shares.
template <int kWays, int kThreads>
struct SideCuts {
    std::int64_t places[kWays];  // of the brackets, in the list
    int firsts[kWays + 1];  // of the runs' samples
    int first_open, first_after;  // samples in the order of the merge: before, open, after the cut
    int shift;  // each 2^shift-th key is a sample
    int before[kWays], until[kWays];  // samples of a run before first_open, before first_after
    int cuts[kWays];  // the result
    Key samples[kThreads / 2];
};

// All threads call. The first half of the block searches side 0, the other half side 1. Thread j of
// a half, j < kWays, gives run j, from[begin, begin + length); and all give the rank of their side.
// s[side].cuts[j] becomes the number of keys of run j among the first `rank` ones of the merge.
// wanted: the same for all; if it is false, they only meet at a barrier.
//
// In each round, each 2^shift-th key of the brackets is a sample, and each thread has one. It finds
// the number of samples before its own. At least 2^shift times as many keys come before it, and at
// most kWays (2^shift - 1) more. So all but kWays samples lie on one side of the cut for certain,
// whatever the keys are, and a round leaves at most 2^shift * 2 kWays keys open. Shift 0 leaves
// none.
template <int kWays, int kThreads>
__device__ __forceinline__ void cut_sides(const Key* __restrict__ from, std::int64_t begin,
                                          int length, int rank,
                                          SideCuts<kWays, kThreads> (&s_sides)[2],
                                          bool wanted = true) {
    constexpr int kSide = kThreads / 2;
    static_assert(kSide >= 4 * kWays);  // else a round might leave as many keys open
    const int thread = threadIdx.x % kSide;
    SideCuts<kWays, kThreads>& s = s_sides[threadIdx.x / kSide];
    const bool is_lane = thread < kWays;  // of a run: its bracket is from low to high
    int low = 0, high = length;
    while (true) {
        int open = 0;
        if (is_lane) {
            const Lanes<kWays> lanes;
            const int left = rank - lanes.sum(low), right = lanes.sum(high) - rank;
            const int least = max(low, high - right);
            high = min(high, low + left);
            low = least;
            open = lanes.sum(high - low);
            const int shift = open > kSide ? 32 - __clz((open - 1) / kSide) : 0;
            const int samples = (high - low) >> shift, first = lanes.sum_before(samples);
            const int still_left = rank - lanes.sum(low), size = 1 << shift;
            const int known = still_left - kWays * (size - 1);
            s.places[thread] = begin + low;
            s.firsts[thread + 1] = first + samples;
            s.cuts[thread] = low;
            // If all samples come before the cut, no thread has the sample first_open.
            s.before[thread] = samples, s.until[thread] = samples;
            if (thread == 0) {
                s.firsts[0] = 0;
                s.shift = shift;
                s.first_open = known > 0 ? ((known - 1) >> shift) + 1 : 0;
                s.first_after = still_left >> shift;
            }
        }
        if (!__syncthreads_or(open > 0 && wanted)) return;
        int firsts[kWays + 1], run = 0, most = 1;
#pragma unroll
        for (int j = 0; j <= kWays; ++j) {
            firsts[j] = s.firsts[j];
            if (j > 0 && thread >= firsts[j]) run = j;
            if (j > 0) most = max(most, firsts[j] - firsts[j - 1]);
        }
        const bool has_sample = run < kWays;
        const int shift = s.shift;
        Key own = {};
        if (has_sample) {
            const std::int64_t place = thread - s.firsts[run] + 1;
            own = from[s.places[run] + (place << shift) - 1];
            s.samples[thread] = own;
        }
        __syncthreads();
        int before[kWays] = {}, all = 0;
        for (int step = 1 << (31 - __clz(most)); has_sample && step > 0; step /= 2) {
#pragma unroll
            for (int j = 0; j < kWays; ++j) {
                const int next = firsts[j] + before[j] + step;
                if (next > firsts[j + 1]) continue;
                const Key its = s.samples[next - 1];
                if (j < run ? !(own < its) : its < own) before[j] += step;
            }
        }
#pragma unroll
        for (int j = 0; j < kWays; ++j) {
            if (j == run) before[j] = thread - firsts[j];
            all += before[j];
        }
        const bool is_open = has_sample && all == s.first_open;
        const bool is_after = has_sample && all == s.first_after;
#pragma unroll
        for (int j = 0; j < kWays; ++j) {
            if (is_open) s.before[j] = before[j];
            if (is_after) s.until[j] = before[j];
        }
        __syncthreads();
        if (is_lane) {
            high = min(high, low + ((s.until[thread] + 1) << shift) - 1);
            low += s.before[thread] << shift;
        }
    }
}

}  // namespace mergesort
