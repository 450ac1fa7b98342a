// SPDX-License-Identifier: MIT
// CUB's BlockDiscontinuity: flags the items that differ from their neighbour.
#pragma once

#include <emulator/cub/parts.hpp>
#include <type_traits>

namespace cub {

template <class T, int kX, int kY = 1, int kZ = 1, int kArch = 0>
class BlockDiscontinuity {
    using Group = emulator::CubBlock<kX * kY * kZ>;

  public:
    struct TempStorage {
        emulator::CubStorage<T, Group::kCount> first;
        emulator::CubStorage<T, Group::kCount> last;
    };
    BlockDiscontinuity() : BlockDiscontinuity(emulator::private_cub_storage<TempStorage>()) {}
    explicit BlockDiscontinuity(TempStorage& storage) : storage_(storage) {}

    // The first item of the tile is always flagged, unless the item before the tile is given.
    template <int kItems, class Flag, class Operator>
    void FlagHeads(Flag (&heads)[kItems], const T (&input)[kItems], Operator flag) {
        share(input);
        flag_heads(heads, input, flag, nullptr);
    }
    template <int kItems, class Flag, class Operator>
    void FlagHeads(Flag (&heads)[kItems], const T (&input)[kItems], Operator flag, T before_tile) {
        share(input);
        flag_heads(heads, input, flag, &before_tile);
    }
    // The last item of the tile is always flagged, unless the item after the tile is given.
    template <int kItems, class Flag, class Operator>
    void FlagTails(Flag (&tails)[kItems], const T (&input)[kItems], Operator flag) {
        share(input);
        flag_tails(tails, input, flag, nullptr);
    }
    template <int kItems, class Flag, class Operator>
    void FlagTails(Flag (&tails)[kItems], const T (&input)[kItems], Operator flag, T after_tile) {
        share(input);
        flag_tails(tails, input, flag, &after_tile);
    }
    template <int kItems, class Flag, class Operator>
    void FlagHeadsAndTails(Flag (&heads)[kItems], Flag (&tails)[kItems], const T (&input)[kItems],
                           Operator flag) {
        share(input);
        flag_heads(heads, input, flag, nullptr);
        flag_tails(tails, input, flag, nullptr);
    }
    template <int kItems, class Flag, class Operator>
    void FlagHeadsAndTails(Flag (&heads)[kItems], Flag (&tails)[kItems], T after_tile,
                           const T (&input)[kItems], Operator flag) {
        share(input);
        flag_heads(heads, input, flag, nullptr);
        flag_tails(tails, input, flag, &after_tile);
    }
    template <int kItems, class Flag, class Operator>
    void FlagHeadsAndTails(Flag (&heads)[kItems], T before_tile, Flag (&tails)[kItems],
                           const T (&input)[kItems], Operator flag) {
        share(input);
        flag_heads(heads, input, flag, &before_tile);
        flag_tails(tails, input, flag, nullptr);
    }
    template <int kItems, class Flag, class Operator>
    void FlagHeadsAndTails(Flag (&heads)[kItems], T before_tile, Flag (&tails)[kItems],
                           T after_tile, const T (&input)[kItems], Operator flag) {
        share(input);
        flag_heads(heads, input, flag, &before_tile);
        flag_tails(tails, input, flag, &after_tile);
    }

  private:
    // An operator may take the index of the right item in the tile, too.
    template <class Operator>
    static bool apply(Operator& flag, const T& left, const T& right, int index) {
        if constexpr (std::is_invocable_v<Operator&, const T&, const T&, int>) {
            return flag(left, right, index);
        } else {
            return flag(left, right);
        }
    }
    template <int kItems>
    void share(const T (&input)[kItems]) {
        storage_.first[Group::rank()] = input[0];
        storage_.last[Group::rank()] = input[kItems - 1];
        Group::synchronize();
    }
    template <int kItems, class Flag, class Operator>
    void flag_heads(Flag (&heads)[kItems], const T (&input)[kItems], Operator& flag,
                    const T* before_tile) {
        const int rank = Group::rank();
        if (rank > 0) {
            heads[0] = apply(flag, storage_.last[rank - 1], input[0], rank * kItems);
        } else {
            heads[0] = before_tile == nullptr ? true : apply(flag, *before_tile, input[0], 0);
        }
        for (int i = 1; i < kItems; ++i) {
            heads[i] = apply(flag, input[i - 1], input[i], rank * kItems + i);
        }
    }
    template <int kItems, class Flag, class Operator>
    void flag_tails(Flag (&tails)[kItems], const T (&input)[kItems], Operator& flag,
                    const T* after_tile) {
        const int rank = Group::rank();
        for (int i = 0; i < kItems - 1; ++i) {
            tails[i] = apply(flag, input[i], input[i + 1], rank * kItems + i + 1);
        }
        const T& last = input[kItems - 1];
        const int next = (rank + 1) * kItems;
        if (rank < Group::kCount - 1) {
            tails[kItems - 1] = apply(flag, last, storage_.first[rank + 1], next);
        } else {
            tails[kItems - 1] = after_tile == nullptr ? true : apply(flag, last, *after_tile, next);
        }
    }

    TempStorage& storage_;
};

}  // namespace cub
