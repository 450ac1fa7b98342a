// SPDX-License-Identifier: MIT
// What cuts of several sorted runs are searched with. For stage 21.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/ranks/slice.hpp"
#include "problem/mergesort.hpp"

namespace mergesort {

inline constexpr int kSamples = 512;  // of each run, at most

// How many of the sorted samples come before a key of another run.
__device__ __forceinline__ int samples_before(const Key* samples, int number, Key key,
                                              bool with_equal) {
    int low = 0;
    for (int high = number; low < high;) {
        const int middle = (low + high) / 2;
        const bool before = with_equal ? !(key < samples[middle]) : samples[middle] < key;
        if (before) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// After a round, the bounds are at most as far apart as 2 P + 3 samples were.
inline int rounds_until_exact(std::int64_t apart, int ranks) {
    int rounds = 0;
    for (; apart > 0; ++rounds) {
        apart = apart <= kSamples ? 0 : (2 * ranks + 3) * ((apart - 1) / kSamples + 1);
    }
    return rounds;
}

// The first key of a part, of those that `ranks` ranks with `parts` parts each share.
inline std::int64_t begin_of_part(std::int64_t count, int part, int ranks, int parts) {
    const course::Slice slice = course::slice_of(count, part / parts, ranks);
    return slice.begin + course::slice_of(slice.size(), part % parts, parts).begin;
}

}  // namespace mergesort
