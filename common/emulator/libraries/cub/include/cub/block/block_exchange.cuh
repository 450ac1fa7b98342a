// SPDX-License-Identifier: MIT
// CUB's BlockExchange: a tile of items changes its arrangement among the threads of a block.
#pragma once

#include <emulator/cub/parts.hpp>

namespace cub {

template <class T, int kX, int kItems, bool kTimeSlicing = false, int kY = 1, int kZ = 1,
          int kArch = 0>
class BlockExchange {
    static constexpr int kTile = kX * kY * kZ * kItems;
    using Group = emulator::CubBlock<kX * kY * kZ>;
    using At = emulator::Arrangement<Group, kItems>;

  public:
    using TempStorage = emulator::CubStorage<T, kTile>;
    BlockExchange() : BlockExchange(emulator::private_cub_storage<TempStorage>()) {}
    explicit BlockExchange(TempStorage& storage) : storage_(storage) {}

    template <class Output>
    void StripedToBlocked(const T (&input)[kItems], Output (&output)[kItems]) {
        exchange(input, output, At::striped, At::blocked);
    }
    template <class Output>
    void BlockedToStriped(const T (&input)[kItems], Output (&output)[kItems]) {
        exchange(input, output, At::blocked, At::striped);
    }
    template <class Output>
    void WarpStripedToBlocked(const T (&input)[kItems], Output (&output)[kItems]) {
        exchange(input, output, At::warp_striped, At::blocked);
    }
    template <class Output>
    void BlockedToWarpStriped(const T (&input)[kItems], Output (&output)[kItems]) {
        exchange(input, output, At::blocked, At::warp_striped);
    }
    template <class Output, class Rank>
    void ScatterToBlocked(const T (&input)[kItems], Output (&output)[kItems],
                          const Rank (&ranks)[kItems]) {
        exchange(input, output, to_ranks(ranks), At::blocked);
    }
    template <class Output, class Rank>
    void ScatterToStriped(const T (&input)[kItems], Output (&output)[kItems],
                          const Rank (&ranks)[kItems]) {
        exchange(input, output, to_ranks(ranks), At::striped);
    }
    // Items of a negative rank go nowhere.
    template <class Output, class Rank>
    void ScatterToStripedGuarded(const T (&input)[kItems], Output (&output)[kItems],
                                 const Rank (&ranks)[kItems]) {
        scatter_some(input, output, to_ranks(ranks));
    }
    // Only items whose flag is set go to their rank.
    template <class Output, class Rank, class Flag>
    void ScatterToStripedFlagged(const T (&input)[kItems], Output (&output)[kItems],
                                 const Rank (&ranks)[kItems], const Flag (&flags)[kItems]) {
        scatter_some(input, output,
                     [&](int i) { return flags[i] ? static_cast<int>(ranks[i]) : -1; });
    }

    void StripedToBlocked(T (&items)[kItems]) { StripedToBlocked(items, items); }
    void BlockedToStriped(T (&items)[kItems]) { BlockedToStriped(items, items); }
    void WarpStripedToBlocked(T (&items)[kItems]) { WarpStripedToBlocked(items, items); }
    void BlockedToWarpStriped(T (&items)[kItems]) { BlockedToWarpStriped(items, items); }
    template <class Rank>
    void ScatterToBlocked(T (&items)[kItems], const Rank (&ranks)[kItems]) {
        ScatterToBlocked(items, items, ranks);
    }
    template <class Rank>
    void ScatterToStriped(T (&items)[kItems], const Rank (&ranks)[kItems]) {
        ScatterToStriped(items, items, ranks);
    }
    template <class Rank>
    void ScatterToStripedGuarded(T (&items)[kItems], const Rank (&ranks)[kItems]) {
        ScatterToStripedGuarded(items, items, ranks);
    }
    template <class Rank, class Flag>
    void ScatterToStripedFlagged(T (&items)[kItems], const Rank (&ranks)[kItems],
                                 const Flag (&flags)[kItems]) {
        ScatterToStripedFlagged(items, items, ranks, flags);
    }

  private:
    template <class Rank>
    static auto to_ranks(const Rank (&ranks)[kItems]) {
        return [&ranks](int i) { return static_cast<int>(ranks[i]); };
    }
    template <class Output, class Place, class From>
    void exchange(const T (&input)[kItems], Output (&output)[kItems], Place place, From from) {
        emulator::exchange_items<Group>(storage_, input, output, place, from);
    }
    // A place to which no item went keeps what it had: it is not read.
    template <class Output, class Place>
    void scatter_some(const T (&input)[kItems], Output (&output)[kItems], Place place) {
        // Whether a place is filled is not known to the thread that would read it, so all places
        // are filled first.
        for (int i = 0; i < kItems; ++i) storage_[At::striped(i)] = input[i];
        Group::synchronize();
        emulator::exchange_items<Group>(storage_, input, output, place, At::striped);
    }

    TempStorage& storage_;
};

}  // namespace cub
