// SPDX-License-Identifier: MIT
// CUB's WarpReduce: the result is valid in the first lane of each (logical) warp.
#pragma once

#include <emulator/cub/operators.hpp>

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

  private:
    TempStorage& storage_;
    int lane_;
};

}  // namespace cub
