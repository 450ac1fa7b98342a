// SPDX-License-Identifier: MIT
// CUB's BlockReduce: the result is valid in thread 0. As CUB's default algorithm, warps reduce
// their values and thread 0 joins the warps' results in turn; the other algorithms do the same
// here.
#pragma once

#include <emulator/cub/parts.hpp>

namespace cub {

enum BlockReduceAlgorithm {
    BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
    BLOCK_REDUCE_RAKING,
    BLOCK_REDUCE_WARP_REDUCTIONS
};

template <class T, int kX, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int kY = 1,
          int kZ = 1, int kArch = 0>
class BlockReduce {
    static constexpr int kThreads = kX * kY * kZ;

  public:
    struct TempStorage {
        T values[kThreads];
    };
    explicit BlockReduce(TempStorage& storage)
        : storage_(storage), thread_(emulator::cub_thread()) {}

    BlockReduce() : BlockReduce(emulator::private_cub_storage<TempStorage>()) {}

    T Sum(T input) { return Reduce(input, cub::Sum()); }
    T Sum(T input, int valid) { return Reduce(input, cub::Sum(), valid); }
    template <int kItems>
    T Sum(T (&inputs)[kItems]) {
        return Reduce(inputs, cub::Sum());
    }
    template <int kItems, class Operator>
    T Reduce(T (&inputs)[kItems], Operator reduce) {
        T partial = inputs[0];
        for (int i = 1; i < kItems; ++i) partial = reduce(partial, inputs[i]);
        return Reduce(partial, reduce);
    }
    template <class Operator>
    T Reduce(T input, Operator reduce) {
        return Reduce(input, reduce, kThreads);
    }
    // The first `valid` threads take part.
    template <class Operator>
    T Reduce(T input, Operator reduce, int valid) {
        constexpr int kWarp = 32;
        storage_.values[thread_] = input;
        __syncthreads();
        for (int distance = 1; distance < kWarp; distance *= 2) {
            const bool takes = thread_ % kWarp + distance < kWarp && thread_ + distance < valid;
            const T other = takes ? storage_.values[thread_ + distance] : input;
            __syncthreads();
            if (takes) {
                input = reduce(input, other);
                storage_.values[thread_] = input;
            }
            __syncthreads();
        }
        if (thread_ == 0) {
            for (int first = kWarp; first < valid; first += kWarp) {
                input = reduce(input, storage_.values[first]);
            }
        }
        return input;
    }

  private:
    TempStorage& storage_;
    int thread_;
};

}  // namespace cub
