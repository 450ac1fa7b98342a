// SPDX-License-Identifier: MIT
// CUB's WarpExchange: a tile of items changes its arrangement among the lanes of a logical warp.
#pragma once

#include <emulator/cub/parts.hpp>

namespace cub {

enum WarpExchangeAlgorithm { WARP_EXCHANGE_SMEM, WARP_EXCHANGE_SHUFFLE };

template <class T, int kItems, int kLanes = 32,
          WarpExchangeAlgorithm kAlgorithm = WARP_EXCHANGE_SMEM>
class WarpExchange {
    using Group = emulator::CubWarp<kLanes>;
    using At = emulator::Arrangement<Group, kItems>;

  public:
    using TempStorage = emulator::CubStorage<T, kLanes * kItems>;
    WarpExchange() : WarpExchange(emulator::private_cub_storage<TempStorage>()) {}
    explicit WarpExchange(TempStorage& storage) : storage_(storage) {}

    template <class Output>
    void BlockedToStriped(const T (&input)[kItems], Output (&output)[kItems]) {
        emulator::exchange_items<Group>(storage_, input, output, At::blocked, At::striped);
    }
    template <class Output>
    void StripedToBlocked(const T (&input)[kItems], Output (&output)[kItems]) {
        emulator::exchange_items<Group>(storage_, input, output, At::striped, At::blocked);
    }
    template <class Rank>
    void ScatterToStriped(T (&items)[kItems], const Rank (&ranks)[kItems]) {
        ScatterToStriped(items, items, ranks);
    }
    template <class Output, class Rank>
    void ScatterToStriped(const T (&input)[kItems], Output (&output)[kItems],
                          const Rank (&ranks)[kItems]) {
        emulator::exchange_items<Group>(
            storage_, input, output, [&](int i) { return static_cast<int>(ranks[i]); },
            At::striped);
    }

  private:
    TempStorage& storage_;
};

}  // namespace cub
