// SPDX-License-Identifier: MIT
// CUB's WarpStore: each logical warp stores a tile of its own.
#pragma once

#include <emulator/cub/tiles.hpp>

namespace cub {

enum WarpStoreAlgorithm {
    WARP_STORE_DIRECT,
    WARP_STORE_STRIPED,
    WARP_STORE_VECTORIZE,
    WARP_STORE_TRANSPOSE
};

template <class T, int kItems, WarpStoreAlgorithm kAlgorithm = WARP_STORE_DIRECT, int kLanes = 32,
          int kArch = 0>
class WarpStore {
    using Tile =
        emulator::TileStore<emulator::CubWarp<kLanes>, T, kItems,
                            kAlgorithm == WARP_STORE_STRIPED     ? emulator::TileOrder::striped
                            : kAlgorithm == WARP_STORE_TRANSPOSE ? emulator::TileOrder::exchanged
                                                                 : emulator::TileOrder::blocked>;

  public:
    using TempStorage = typename Tile::Storage;
    WarpStore() : WarpStore(emulator::private_cub_storage<TempStorage>()) {}
    explicit WarpStore(TempStorage& storage) : storage_(storage) {}

    template <class Iterator>
    void Store(Iterator target, const T (&items)[kItems]) {
        Tile::store(storage_, target, items);
    }
    template <class Iterator>
    void Store(Iterator target, const T (&items)[kItems], int valid) {
        Tile::store(storage_, target, items, valid);
    }

  private:
    TempStorage& storage_;
};

}  // namespace cub
