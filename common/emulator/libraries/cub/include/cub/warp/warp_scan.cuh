// SPDX-License-Identifier: MIT
// CUB's WarpScan: prefix sums over the lanes of a logical warp.
#pragma once

#include <emulator/cub/parts.hpp>

namespace cub {

template <class T, int kLanes = 32, int kArch = 0>
class WarpScan {
    using Group = emulator::CubWarp<kLanes>;

  public:
    using TempStorage = emulator::CubStorage<T, kLanes>;
    explicit WarpScan(TempStorage& storage) : storage_(storage) {}

    void InclusiveSum(T input, T& output) { InclusiveScan(input, output, cub::Sum()); }
    void InclusiveSum(T input, T& output, T& aggregate) {
        InclusiveScan(input, output, cub::Sum(), aggregate);
    }
    void ExclusiveSum(T input, T& output) { ExclusiveScan(input, output, T{}, cub::Sum()); }
    void ExclusiveSum(T input, T& output, T& aggregate) {
        ExclusiveScan(input, output, T{}, cub::Sum(), aggregate);
    }

    template <class Operator>
    void InclusiveScan(T input, T& output, Operator scan) {
        output = scan_lanes(input, scan);
    }
    template <class Operator>
    void InclusiveScan(T input, T& output, Operator scan, T& aggregate) {
        output = scan_lanes(input, scan);
        aggregate = storage_[kLanes - 1];
    }
    template <class Operator>
    void InclusiveScan(T input, T& output, T initial, Operator scan) {
        output = scan(initial, scan_lanes(input, scan));
    }
    // The aggregate leaves the initial value out, as CUB's does.
    template <class Operator>
    void InclusiveScan(T input, T& output, T initial, Operator scan, T& aggregate) {
        output = scan(initial, scan_lanes(input, scan));
        aggregate = storage_[kLanes - 1];
    }
    // Without an initial value the first lane's output is undefined.
    template <class Operator>
    void ExclusiveScan(T input, T& output, Operator scan) {
        scan_lanes(input, scan);
        if (Group::rank() > 0) output = storage_[Group::rank() - 1];
    }
    template <class Operator>
    void ExclusiveScan(T input, T& output, Operator scan, T& aggregate) {
        ExclusiveScan(input, output, scan);
        aggregate = storage_[kLanes - 1];
    }
    template <class Operator>
    void ExclusiveScan(T input, T& output, T initial, Operator scan) {
        scan_lanes(input, scan);
        output = Group::rank() == 0 ? initial : scan(initial, storage_[Group::rank() - 1]);
    }
    template <class Operator>
    void ExclusiveScan(T input, T& output, T initial, Operator scan, T& aggregate) {
        ExclusiveScan(input, output, initial, scan);
        aggregate = storage_[kLanes - 1];
    }
    template <class Operator>
    void Scan(T input, T& inclusive, T& exclusive, Operator scan) {
        inclusive = scan_lanes(input, scan);
        if (Group::rank() > 0) exclusive = storage_[Group::rank() - 1];
    }
    template <class Operator>
    void Scan(T input, T& inclusive, T& exclusive, T initial, Operator scan) {
        inclusive = scan(initial, scan_lanes(input, scan));
        exclusive = Group::rank() == 0 ? initial : scan(initial, storage_[Group::rank() - 1]);
    }

    T Broadcast(T input, unsigned int lane) {
        storage_[Group::rank()] = input;
        Group::synchronize();
        return storage_[static_cast<int>(lane)];
    }

  private:
    // The inclusive scan, which is in the storage, too.
    template <class Operator>
    T scan_lanes(T input, Operator scan) {
        const int rank = Group::rank();
        storage_[rank] = input;
        Group::synchronize();
        for (int distance = 1; distance < kLanes; distance *= 2) {
            const bool takes = rank >= distance;
            const T other = takes ? storage_[rank - distance] : input;
            Group::synchronize();
            if (takes) {
                input = scan(other, input);
                storage_[rank] = input;
            }
            Group::synchronize();
        }
        return input;
    }

    TempStorage& storage_;
};

}  // namespace cub
