// SPDX-License-Identifier: MIT
// CUB's WarpReduce: the result is valid in the first lane of each (logical) warp.
#pragma once

#include <emulator/cub/parts.hpp>

namespace cub {

template <class T, int kThreads = 32, int kArch = 0>
class WarpReduce {
  public:
    struct TempStorage {
        T values[kThreads];
    };
    explicit WarpReduce(TempStorage& storage)
        : storage_(storage), lane_(emulator::cub_thread() % kThreads) {}

    T Sum(T input) { return Reduce(input, cub::Sum()); }
    T Sum(T input, int valid) { return Reduce(input, cub::Sum(), valid); }
    template <class Operator>
    T Reduce(T input, Operator reduce) {
        return Reduce(input, reduce, kThreads);
    }
    // The first `valid` lanes take part. Neighbours are joined first, as CUB's shuffles do.
    template <class Operator>
    T Reduce(T input, Operator reduce, int valid) {
        const unsigned int mask = (kThreads == 32 ? ~0u : (1u << kThreads % 32) - 1)
                                  << (emulator::cub_thread() % 32 / kThreads * kThreads);
        storage_.values[lane_] = input;
        __syncwarp(mask);
        for (int distance = 1; distance < kThreads; distance *= 2) {
            const bool takes = lane_ + distance < valid;
            const T other = takes ? storage_.values[lane_ + distance] : input;
            __syncwarp(mask);
            if (takes) {
                input = reduce(input, other);
                storage_.values[lane_] = input;
            }
            __syncwarp(mask);
        }
        return input;
    }

    template <int kItems, class Operator>
    T Reduce(const T (&inputs)[kItems], Operator reduce) {
        T partial = inputs[0];
        for (int i = 1; i < kItems; ++i) partial = reduce(partial, inputs[i]);
        return Reduce(partial, reduce);
    }
    template <int kItems>
    T Sum(const T (&inputs)[kItems]) {
        return Reduce(inputs, cub::Sum());
    }
    T Max(T input) { return Reduce(input, cub::Max()); }
    T Min(T input) { return Reduce(input, cub::Min()); }

    // Segments begin at the lanes whose flag is set, or end there. The first lane of each segment
    // gets its result.
    template <class Flag>
    T HeadSegmentedSum(T input, Flag head) {
        return HeadSegmentedReduce(input, head, cub::Sum());
    }
    template <class Flag>
    T TailSegmentedSum(T input, Flag tail) {
        return TailSegmentedReduce(input, tail, cub::Sum());
    }
    template <class Flag, class Operator>
    T HeadSegmentedReduce(T input, Flag head, Operator reduce) {
        return Reduce(input, reduce, end_of_segment(flags_of(head) >> 1));
    }
    template <class Flag, class Operator>
    T TailSegmentedReduce(T input, Flag tail, Operator reduce) {
        return Reduce(input, reduce, end_of_segment(flags_of(tail)));
    }

  private:
    using Group = emulator::CubWarp<kThreads>;

    template <class Flag>
    static unsigned int flags_of(Flag flag) {
        return __ballot_sync(Group::mask(), flag ? 1 : 0) >> Group::first();
    }
    // `ends`: the bits of the last lanes of segments.
    int end_of_segment(unsigned int ends) const {
        ends >>= lane_;
        return ends == 0 ? kThreads : lane_ + __ffs(static_cast<int>(ends));
    }

    TempStorage& storage_;
    int lane_;
};

}  // namespace cub
