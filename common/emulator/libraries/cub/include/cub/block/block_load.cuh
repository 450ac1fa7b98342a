// SPDX-License-Identifier: MIT
// CUB's BlockLoad, and the functions that load one thread's items of a tile.
#pragma once

#include <emulator/cub/tiles.hpp>

namespace cub {

enum BlockLoadAlgorithm {
    BLOCK_LOAD_DIRECT,
    BLOCK_LOAD_STRIPED,
    BLOCK_LOAD_VECTORIZE,
    BLOCK_LOAD_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};

#define EMULATOR_CUB_LOAD(name, parameters, place)                                        \
    template <parameters class T, int kItems, class Iterator>                             \
    void name(int thread, Iterator source, T(&items)[kItems]) {                           \
        emulator::load_tile(source, items, place);                                        \
    }                                                                                     \
    template <parameters class T, int kItems, class Iterator>                             \
    void name(int thread, Iterator source, T(&items)[kItems], int valid) {                \
        emulator::load_tile(source, items, valid, place);                                 \
    }                                                                                     \
    template <parameters class T, class Default, int kItems, class Iterator>              \
    void name(int thread, Iterator source, T(&items)[kItems], int valid, Default value) { \
        for (T & item : items) item = value;                                              \
        emulator::load_tile(source, items, valid, place);                                 \
    }
#define EMULATOR_CUB_THREADS int kThreads,
EMULATOR_CUB_LOAD(LoadDirectBlocked, , emulator::blocked_place<kItems>(thread))
EMULATOR_CUB_LOAD(LoadDirectBlockedVectorized, , emulator::blocked_place<kItems>(thread))
EMULATOR_CUB_LOAD(LoadDirectStriped, EMULATOR_CUB_THREADS,
                  emulator::striped_place<kThreads>(thread))
EMULATOR_CUB_LOAD(LoadDirectWarpStriped, , emulator::warp_striped_place<kItems>(thread))
#undef EMULATOR_CUB_THREADS
#undef EMULATOR_CUB_LOAD

template <class T, int kX, int kItems, BlockLoadAlgorithm kAlgorithm = BLOCK_LOAD_DIRECT,
          int kY = 1, int kZ = 1, int kArch = 0>
class BlockLoad {
    using Tile =
        emulator::TileLoad<emulator::CubBlock<kX * kY * kZ>, T, kItems,
                           kAlgorithm == BLOCK_LOAD_DIRECT || kAlgorithm == BLOCK_LOAD_VECTORIZE
                               ? emulator::TileOrder::blocked
                           : kAlgorithm == BLOCK_LOAD_STRIPED ? emulator::TileOrder::striped
                                                              : emulator::TileOrder::exchanged>;

  public:
    using TempStorage = typename Tile::Storage;
    BlockLoad() : BlockLoad(emulator::private_cub_storage<TempStorage>()) {}
    explicit BlockLoad(TempStorage& storage) : storage_(storage) {}

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
