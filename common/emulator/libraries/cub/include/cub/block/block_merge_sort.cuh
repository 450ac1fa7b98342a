// SPDX-License-Identifier: MIT
// CUB's BlockMergeSort: a stable sort of a tile by any comparison.
#pragma once

#include <emulator/cub/merge_sorts.hpp>

namespace cub {

template <class Key, int kX, int kItems, class Value = NullType, int kY = 1, int kZ = 1>
class BlockMergeSort
    : public emulator::CubMergeSort<emulator::CubBlock<kX * kY * kZ>, Key, kItems, Value> {
    static_assert((kX * kY * kZ & (kX * kY * kZ - 1)) == 0,
                  "BlockMergeSort needs a power of two of threads");

  public:
    using emulator::CubMergeSort<emulator::CubBlock<kX * kY * kZ>, Key, kItems,
                                 Value>::CubMergeSort;
};

}  // namespace cub
