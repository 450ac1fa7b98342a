// SPDX-License-Identifier: MIT
// CUB's BlockAdjacentDifference: each item and its neighbour make the output.
#pragma once

#include <emulator/cub/parts.hpp>

namespace cub {

template <class T, int kX, int kY = 1, int kZ = 1, int kArch = 0>
class BlockAdjacentDifference {
    using Group = emulator::CubBlock<kX * kY * kZ>;

  public:
    using TempStorage = emulator::CubStorage<T, Group::kCount>;
    BlockAdjacentDifference()
        : BlockAdjacentDifference(emulator::private_cub_storage<TempStorage>()) {}
    explicit BlockAdjacentDifference(TempStorage& storage) : storage_(storage) {}

    // The first item of the tile has no left neighbour: it is the output itself, or meets the item
    // before the tile.
    template <int kItems, class Output, class Difference>
    void SubtractLeft(const T (&input)[kItems], Output (&output)[kItems], Difference difference) {
        left(input, output, difference, kItems * Group::kCount, nullptr);
    }
    template <int kItems, class Output, class Difference>
    void SubtractLeft(const T (&input)[kItems], Output (&output)[kItems], Difference difference,
                      T before_tile) {
        left(input, output, difference, kItems * Group::kCount, &before_tile);
    }
    // Items at `valid` and beyond are copied.
    template <int kItems, class Output, class Difference>
    void SubtractLeftPartialTile(const T (&input)[kItems], Output (&output)[kItems],
                                 Difference difference, int valid) {
        left(input, output, difference, valid, nullptr);
    }
    template <int kItems, class Output, class Difference>
    void SubtractLeftPartialTile(const T (&input)[kItems], Output (&output)[kItems],
                                 Difference difference, int valid, T before_tile) {
        left(input, output, difference, valid, &before_tile);
    }
    template <int kItems, class Output, class Difference>
    void SubtractRight(const T (&input)[kItems], Output (&output)[kItems], Difference difference) {
        right(input, output, difference, kItems * Group::kCount, nullptr);
    }
    template <int kItems, class Output, class Difference>
    void SubtractRight(const T (&input)[kItems], Output (&output)[kItems], Difference difference,
                       T after_tile) {
        right(input, output, difference, kItems * Group::kCount, &after_tile);
    }
    template <int kItems, class Output, class Difference>
    void SubtractRightPartialTile(const T (&input)[kItems], Output (&output)[kItems],
                                  Difference difference, int valid) {
        right(input, output, difference, valid, nullptr);
    }

  private:
    void share(const T& item) {
        storage_[Group::rank()] = item;
        Group::synchronize();
    }

    template <int kItems, class Output, class Difference>
    void left(const T (&input)[kItems], Output (&output)[kItems], Difference difference, int valid,
              const T* before_tile) {
        const int first = Group::rank() * kItems;
        share(input[kItems - 1]);
        for (int i = kItems - 1; i >= 0; --i) {
            if (first + i >= valid || (first + i == 0 && before_tile == nullptr)) {
                output[i] = input[i];
            } else {
                const T& neighbour = i > 0            ? input[i - 1]
                                     : first + i == 0 ? *before_tile
                                                      : storage_[Group::rank() - 1];
                output[i] = difference(input[i], neighbour);
            }
        }
    }
    template <int kItems, class Output, class Difference>
    void right(const T (&input)[kItems], Output (&output)[kItems], Difference difference, int valid,
               const T* after_tile) {
        const int first = Group::rank() * kItems;
        const int last = kItems * Group::kCount - 1;
        share(input[0]);
        for (int i = 0; i < kItems; ++i) {
            const bool has_neighbour =
                first + i == last ? after_tile != nullptr : first + i + 1 < valid;
            if (!has_neighbour) {
                output[i] = input[i];
            } else {
                const T& neighbour = i + 1 < kItems      ? input[i + 1]
                                     : first + i == last ? *after_tile
                                                         : storage_[Group::rank() + 1];
                output[i] = difference(input[i], neighbour);
            }
        }
    }

    TempStorage& storage_;
};

}  // namespace cub
