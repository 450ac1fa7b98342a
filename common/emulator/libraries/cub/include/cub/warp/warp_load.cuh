// SPDX-License-Identifier: MIT
// CUB's WarpLoad: each logical warp loads a tile of its own.
#pragma once

#include <emulator/cub/tiles.hpp>

namespace cub {

enum WarpLoadAlgorithm {
    WARP_LOAD_DIRECT,
    WARP_LOAD_STRIPED,
    WARP_LOAD_VECTORIZE,
    WARP_LOAD_TRANSPOSE
};

template <class T, int kItems, WarpLoadAlgorithm kAlgorithm = WARP_LOAD_DIRECT, int kLanes = 32,
          int kArch = 0>
class WarpLoad {
    using Tile =
        emulator::TileLoad<emulator::CubWarp<kLanes>, T, kItems,
                           kAlgorithm == WARP_LOAD_STRIPED     ? emulator::TileOrder::striped
                           : kAlgorithm == WARP_LOAD_TRANSPOSE ? emulator::TileOrder::exchanged
                                                               : emulator::TileOrder::blocked>;

  public:
    using TempStorage = typename Tile::Storage;
    WarpLoad() : WarpLoad(emulator::private_cub_storage<TempStorage>()) {}
    explicit WarpLoad(TempStorage& storage) : storage_(storage) {}

    template <class Iterator>
    void Load(Iterator source, T (&items)[kItems]) {
        Tile::load(storage_, source, items);
    }
    // Items at `valid` and beyond keep their values.
    template <class Iterator>
    void Load(Iterator source, T (&items)[kItems], int valid) {
        Tile::load(storage_, source, items, valid);
    }
    template <class Iterator, class Default>
    void Load(Iterator source, T (&items)[kItems], int valid, Default otherwise) {
        Tile::load(storage_, source, items, valid, otherwise);
    }

  private:
    TempStorage& storage_;
};

}  // namespace cub
