// SPDX-License-Identifier: MIT
// What the cuts of all ranks' runs are searched with.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/mergesort.hpp"
#include "problem/rank_runs.hpp"

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

// After a round, the bounds are at most as far apart as 2 R + 3 samples were, with R runs.
inline int rounds_until_exact(std::int64_t apart, int runs) {
    int rounds = 0;
    for (; apart > 0; ++rounds) {
        apart = apart <= kSamples ? 0 : (2 * runs + 3) * ((apart - 1) / kSamples + 1);
    }
    return rounds;
}

// A cut of a run lies from low to high. Samples are evenly spaced keys between the two.
struct Bounds {
    std::int64_t low, high;

    __device__ int samples() const {
        return static_cast<int>(min(high - low, std::int64_t{kSamples}));
    }
    __device__ std::int64_t place(int i) const {
        return low + (2 * i + 1) * (high - low) / (2 * samples());
    }
};

// The bounds of all cuts in all runs, in host memory and, but for both ends, on the device.
struct Cuts {
    RunsOfRanks runs;
    int number;
    std::vector<Bounds> h_bounds;  // those of part p in run r at [p * runs.all() + r]
    course::DeviceBuffer<std::int64_t> targets;
    course::DeviceBuffer<Bounds> bounds, narrower;
    course::DeviceBuffer<Key> samples;

    // parts: of what a rank gets
    Cuts(const RunsOfRanks& all_runs, int parts)
        : runs(all_runs),
          number(runs.ranks > 1 ? runs.ranks * parts - 1 : 0),
          targets(number),
          bounds(std::int64_t{number} * runs.all()),
          narrower(bounds.count()),
          samples(bounds.count() * kSamples) {
        std::vector<std::int64_t> h_targets;
        for (int part = 0; part <= number + 1; ++part) {
            if (part > 0 && part <= number) {
                h_targets.push_back(begin_of_part(runs.keys, part, runs.ranks, parts));
            }
            for (int run = 0; run < runs.all(); ++run) {
                const std::int64_t length = runs.length(run);
                h_bounds.push_back({part > number ? length : 0, part > 0 ? length : 0});
            }
        }
        course::cuda_check(
            cudaMemcpy(targets.data(), h_targets.data(), targets.bytes(), cudaMemcpyHostToDevice));
        course::cuda_check(cudaMemcpy(bounds.data(), &h_bounds[runs.all()], bounds.bytes(),
                                      cudaMemcpyHostToDevice));
        course::cuda_check(
            cudaMemset(samples.data(), 0, samples.bytes()));  // those that are missing travel
    }

    std::int64_t at(int part, int run) const { return h_bounds[part * runs.all() + run].low; }
};

}  // namespace mergesort
