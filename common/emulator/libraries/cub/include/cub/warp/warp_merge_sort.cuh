// SPDX-License-Identifier: MIT
// CUB's WarpMergeSort: a stable sort of the tile of each logical warp by any comparison.
#pragma once

#include <emulator/cub/merge_sorts.hpp>

namespace cub {

template <class Key, int kItems, int kLanes = 32, class Value = NullType, int kArch = 0>
class WarpMergeSort : public emulator::CubMergeSort<emulator::CubWarp<kLanes>, Key, kItems, Value> {
    static_assert((kLanes & (kLanes - 1)) == 0, "WarpMergeSort needs a power of two of lanes");

  public:
    using emulator::CubMergeSort<emulator::CubWarp<kLanes>, Key, kItems, Value>::CubMergeSort;
};

}  // namespace cub
