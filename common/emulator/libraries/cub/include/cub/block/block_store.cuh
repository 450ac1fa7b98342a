// SPDX-License-Identifier: MIT
// CUB's BlockStore, and the functions that store one thread's items of a tile.
#pragma once

#include <emulator/cub/tiles.hpp>

namespace cub {

enum BlockStoreAlgorithm {
    BLOCK_STORE_DIRECT,
    BLOCK_STORE_STRIPED,
    BLOCK_STORE_VECTORIZE,
    BLOCK_STORE_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

#define EMULATOR_CUB_STORE(name, parameters, place)                              \
    template <parameters class T, int kItems, class Iterator>                    \
    void name(int thread, Iterator target, const T(&items)[kItems]) {            \
        emulator::store_tile(target, items, place);                              \
    }                                                                            \
    template <parameters class T, int kItems, class Iterator>                    \
    void name(int thread, Iterator target, const T(&items)[kItems], int valid) { \
        emulator::store_tile(target, items, valid, place);                       \
    }
#define EMULATOR_CUB_THREADS int kThreads,
EMULATOR_CUB_STORE(StoreDirectBlocked, , emulator::blocked_place<kItems>(thread))
EMULATOR_CUB_STORE(StoreDirectBlockedVectorized, , emulator::blocked_place<kItems>(thread))
EMULATOR_CUB_STORE(StoreDirectStriped, EMULATOR_CUB_THREADS,
                   emulator::striped_place<kThreads>(thread))
EMULATOR_CUB_STORE(StoreDirectWarpStriped, , emulator::warp_striped_place<kItems>(thread))
#undef EMULATOR_CUB_THREADS
#undef EMULATOR_CUB_STORE

template <class T, int kX, int kItems, BlockStoreAlgorithm kAlgorithm = BLOCK_STORE_DIRECT,
          int kY = 1, int kZ = 1, int kArch = 0>
class BlockStore {
    using Tile =
        emulator::TileStore<emulator::CubBlock<kX * kY * kZ>, T, kItems,
                            kAlgorithm == BLOCK_STORE_DIRECT || kAlgorithm == BLOCK_STORE_VECTORIZE
                                ? emulator::TileOrder::blocked
                            : kAlgorithm == BLOCK_STORE_STRIPED ? emulator::TileOrder::striped
                                                                : emulator::TileOrder::exchanged>;

  public:
    using TempStorage = typename Tile::Storage;
    BlockStore() : BlockStore(emulator::private_cub_storage<TempStorage>()) {}
    explicit BlockStore(TempStorage& storage) : storage_(storage) {}

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
