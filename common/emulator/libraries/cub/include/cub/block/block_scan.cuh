// SPDX-License-Identifier: MIT
// CUB's BlockScan: prefix sums over the threads of a block, one or several items for each thread.
#pragma once

#include <emulator/cub/parts.hpp>

namespace cub {

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

template <class T, int kX, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int kY = 1, int kZ = 1,
          int kArch = 0>
class BlockScan {
    static constexpr int kThreads = kX * kY * kZ;

  public:
    struct TempStorage {
        T values[kThreads];
    };
    BlockScan() : BlockScan(emulator::private_cub_storage<TempStorage>()) {}
    explicit BlockScan(TempStorage& storage) : storage_(storage), thread_(emulator::cub_thread()) {}

    void InclusiveSum(T input, T& output) { InclusiveScan(input, output, cub::Sum()); }
    void InclusiveSum(T input, T& output, T& aggregate) {
        InclusiveScan(input, output, cub::Sum(), aggregate);
    }
    void ExclusiveSum(T input, T& output) { ExclusiveScan(input, output, T{}, cub::Sum()); }
    void ExclusiveSum(T input, T& output, T& aggregate) {
        ExclusiveScan(input, output, T{}, cub::Sum(), aggregate);
    }
    template <int kItems>
    void InclusiveSum(T (&inputs)[kItems], T (&outputs)[kItems]) {
        InclusiveScan(inputs, outputs, cub::Sum());
    }
    template <int kItems>
    void ExclusiveSum(T (&inputs)[kItems], T (&outputs)[kItems]) {
        T aggregate;
        ExclusiveSum(inputs, outputs, aggregate);
    }
    template <int kItems>
    void ExclusiveSum(T (&inputs)[kItems], T (&outputs)[kItems], T& aggregate) {
        ExclusiveScan(inputs, outputs, T{}, cub::Sum(), aggregate);
    }

    template <class Operator>
    void InclusiveScan(T input, T& output, Operator scan) {
        output = scan_threads(input, scan);
        __syncthreads();
    }
    template <class Operator>
    void InclusiveScan(T input, T& output, Operator scan, T& aggregate) {
        output = scan_threads(input, scan);
        aggregate = storage_.values[kThreads - 1];
        __syncthreads();
    }
    template <class Operator>
    void ExclusiveScan(T input, T& output, T initial, Operator scan) {
        T aggregate;
        ExclusiveScan(input, output, initial, scan, aggregate);
    }
    // The aggregate leaves the initial value out, as CUB's does.
    template <class Operator>
    void ExclusiveScan(T input, T& output, T initial, Operator scan, T& aggregate) {
        scan_threads(input, scan);
        output = thread_ == 0 ? initial : scan(initial, storage_.values[thread_ - 1]);
        aggregate = storage_.values[kThreads - 1];
        __syncthreads();
    }
    template <int kItems, class Operator>
    void InclusiveScan(T (&inputs)[kItems], T (&outputs)[kItems], Operator scan) {
        T total = inputs[0];
        for (int i = 1; i < kItems; ++i) total = scan(total, inputs[i]);
        scan_threads(total, scan);
        T before = thread_ == 0 ? inputs[0] : storage_.values[thread_ - 1];
        __syncthreads();
        outputs[0] = thread_ == 0 ? before : scan(before, inputs[0]);
        for (int i = 1; i < kItems; ++i) outputs[i] = scan(outputs[i - 1], inputs[i]);
    }
    template <int kItems, class Operator>
    void ExclusiveScan(T (&inputs)[kItems], T (&outputs)[kItems], T initial, Operator scan,
                       T& aggregate) {
        T total = inputs[0];
        for (int i = 1; i < kItems; ++i) total = scan(total, inputs[i]);
        T before;
        ExclusiveScan(total, before, initial, scan, aggregate);
        for (int i = 0; i < kItems; ++i) {
            const T input = inputs[i];  // the outputs may be the inputs
            outputs[i] = before;
            before = scan(before, input);
        }
    }

    template <int kItems>
    void InclusiveSum(T (&inputs)[kItems], T (&outputs)[kItems], T& aggregate) {
        InclusiveScan(inputs, outputs, cub::Sum(), aggregate);
    }
    template <int kItems, class Operator>
    void InclusiveScan(T (&inputs)[kItems], T (&outputs)[kItems], Operator scan, T& aggregate) {
        scan_items(inputs, outputs, scan, nullptr, aggregate);
    }
    template <int kItems, class Operator>
    void InclusiveScan(T (&inputs)[kItems], T (&outputs)[kItems], T initial, Operator scan) {
        T aggregate;
        InclusiveScan(inputs, outputs, initial, scan, aggregate);
    }
    template <int kItems, class Operator>
    void InclusiveScan(T (&inputs)[kItems], T (&outputs)[kItems], T initial, Operator scan,
                       T& aggregate) {
        scan_items(inputs, outputs, scan, &initial, aggregate);
    }
    template <int kItems, class Operator>
    void ExclusiveScan(T (&inputs)[kItems], T (&outputs)[kItems], T initial, Operator scan) {
        T aggregate;
        ExclusiveScan(inputs, outputs, initial, scan, aggregate);
    }
    // Without an initial value the first output is undefined.
    template <class Operator>
    void ExclusiveScan(T input, T& output, Operator scan) {
        scan_threads(input, scan);
        if (thread_ > 0) output = storage_.values[thread_ - 1];
        __syncthreads();
    }
    template <class Operator>
    void ExclusiveScan(T input, T& output, Operator scan, T& aggregate) {
        scan_threads(input, scan);
        if (thread_ > 0) output = storage_.values[thread_ - 1];
        aggregate = storage_.values[kThreads - 1];
        __syncthreads();
    }

    // The first warp calls `prefix` with the block's aggregate. What the first lane gets comes
    // before all items, as an initial value.
    template <class Prefix>
    void InclusiveSum(T input, T& output, Prefix& prefix) {
        InclusiveScan(input, output, cub::Sum(), prefix);
    }
    template <class Prefix>
    void ExclusiveSum(T input, T& output, Prefix& prefix) {
        ExclusiveScan(input, output, cub::Sum(), prefix);
    }
    template <int kItems, class Prefix>
    void InclusiveSum(T (&inputs)[kItems], T (&outputs)[kItems], Prefix& prefix) {
        InclusiveScan(inputs, outputs, cub::Sum(), prefix);
    }
    template <int kItems, class Prefix>
    void ExclusiveSum(T (&inputs)[kItems], T (&outputs)[kItems], Prefix& prefix) {
        ExclusiveScan(inputs, outputs, cub::Sum(), prefix);
    }
    template <class Operator, class Prefix>
    void InclusiveScan(T input, T& output, Operator scan, Prefix& prefix) {
        const T inclusive = scan_threads(input, scan);
        output = scan(ask(prefix), inclusive);
    }
    template <class Operator, class Prefix>
    void ExclusiveScan(T input, T& output, Operator scan, Prefix& prefix) {
        scan_threads(input, scan);
        const T before = thread_ == 0 ? input : storage_.values[thread_ - 1];
        const T initial = ask(prefix);
        output = thread_ == 0 ? initial : scan(initial, before);
    }
    template <int kItems, class Operator, class Prefix>
    void InclusiveScan(T (&inputs)[kItems], T (&outputs)[kItems], Operator scan, Prefix& prefix) {
        T before;
        ExclusiveScan(reduce_items(inputs, scan), before, scan, prefix);
        for (int i = 0; i < kItems; ++i) outputs[i] = before = scan(before, inputs[i]);
    }
    template <int kItems, class Operator, class Prefix>
    void ExclusiveScan(T (&inputs)[kItems], T (&outputs)[kItems], Operator scan, Prefix& prefix) {
        T before;
        ExclusiveScan(reduce_items(inputs, scan), before, scan, prefix);
        for (int i = 0; i < kItems; ++i) {
            const T input = inputs[i];  // the outputs may be the inputs
            outputs[i] = before;
            before = scan(before, input);
        }
    }

  private:
    template <int kItems, class Operator>
    static T reduce_items(const T (&inputs)[kItems], Operator& scan) {
        T total = inputs[0];
        for (int i = 1; i < kItems; ++i) total = scan(total, inputs[i]);
        return total;
    }
    // Inclusive, with an initial value or without.
    template <int kItems, class Operator>
    void scan_items(T (&inputs)[kItems], T (&outputs)[kItems], Operator scan, const T* initial,
                    T& aggregate) {
        scan_threads(reduce_items(inputs, scan), scan);
        const T before = thread_ == 0 ? inputs[0] : storage_.values[thread_ - 1];
        aggregate = storage_.values[kThreads - 1];
        __syncthreads();
        T sum = thread_ == 0 ? inputs[0] : scan(before, inputs[0]);
        if (initial != nullptr) sum = scan(*initial, sum);
        outputs[0] = sum;
        for (int i = 1; i < kItems; ++i) outputs[i] = sum = scan(sum, inputs[i]);
    }
    // The result of `prefix` for all threads.
    template <class Prefix>
    T ask(Prefix& prefix) {
        __syncthreads();
        if (thread_ < 32) {
            const T initial = prefix(storage_.values[kThreads - 1]);
            // All lanes of the first warp have read the aggregate.
            __syncwarp(kThreads < 32 ? (1u << kThreads % 32) - 1 : ~0u);
            if (thread_ == 0) storage_.values[0] = initial;
        }
        __syncthreads();
        const T initial = storage_.values[0];
        __syncthreads();
        return initial;
    }

    // The inclusive scan, which is in the storage, too.
    template <class Operator>
    T scan_threads(T input, Operator scan) {
        storage_.values[thread_] = input;
        __syncthreads();
        for (int distance = 1; distance < kThreads; distance *= 2) {
            const bool takes = thread_ >= distance;
            const T other = takes ? storage_.values[thread_ - distance] : input;
            __syncthreads();
            if (takes) {
                input = scan(other, input);
                storage_.values[thread_] = input;
            }
            __syncthreads();
        }
        return input;
    }

    TempStorage& storage_;
    int thread_;
};

}  // namespace cub
