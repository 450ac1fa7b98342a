// SPDX-License-Identifier: MIT
// Loads and stores of tiles: item i of a thread lies at place(i) of the tile.
#pragma once

#include <emulator/cub/parts.hpp>

namespace emulator {

template <class Iterator, class T, int kItems, class Place>
void load_tile(Iterator source, T (&items)[kItems], Place place) {
    for (int i = 0; i < kItems; ++i) items[i] = source[place(i)];
}
template <class Iterator, class T, int kItems, class Place>
void load_tile(Iterator source, T (&items)[kItems], int valid, Place place) {
    for (int i = 0; i < kItems; ++i) {
        if (place(i) < valid) items[i] = source[place(i)];
    }
}
template <class Iterator, class T, int kItems, class Place>
void store_tile(Iterator target, const T (&items)[kItems], Place place) {
    for (int i = 0; i < kItems; ++i) target[place(i)] = items[i];
}
template <class Iterator, class T, int kItems, class Place>
void store_tile(Iterator target, const T (&items)[kItems], int valid, Place place) {
    for (int i = 0; i < kItems; ++i) {
        if (place(i) < valid) target[place(i)] = items[i];
    }
}

template <int kItems>
auto blocked_place(int thread) {
    return [thread](int i) { return thread * kItems + i; };
}
template <int kThreads>
auto striped_place(int thread) {
    return [thread](int i) { return i * kThreads + thread; };
}
template <int kItems>
auto warp_striped_place(int thread) {
    return [thread](int i) { return thread / 32 * 32 * kItems + i * 32 + thread % 32; };
}

// How a tile lies in memory. All but `striped` give each thread neighbouring items in the end;
// `exchanged` reads memory in stripes and lets shared memory bring the items to their threads.
enum class TileOrder { blocked, striped, exchanged };

template <class Group, class T, int kItems, TileOrder kOrder>
class TileLoad {
    using At = Arrangement<Group, kItems>;

  public:
    using Storage = CubStorage<T, kOrder == TileOrder::exchanged ? Group::kCount * kItems : 1>;

    template <class Iterator>
    static void load(Storage& storage, Iterator source, T (&items)[kItems]) {
        if constexpr (kOrder == TileOrder::blocked) {
            load_tile(source, items, At::blocked);
        } else {
            load_tile(source, items, At::striped);
            bring(storage, items);
        }
    }
    template <class Iterator>
    static void load(Storage& storage, Iterator source, T (&items)[kItems], int valid) {
        if constexpr (kOrder == TileOrder::blocked) {
            load_tile(source, items, valid, At::blocked);
        } else if constexpr (kOrder == TileOrder::striped) {
            load_tile(source, items, valid, At::striped);
        } else {
            // Items outside of the tile keep their values.
            for (int i = 0; i < kItems; ++i) {
                const int place = At::striped(i);
                if (place < valid) storage[place] = source[place];
            }
            Group::synchronize();
            load_tile(storage.begin(), items, valid, At::blocked);
        }
    }
    template <class Iterator, class Default>
    static void load(Storage& storage, Iterator source, T (&items)[kItems], int valid,
                     Default otherwise) {
        for (T& item : items) item = otherwise;
        load(storage, source, items, valid);
    }

  private:
    static void bring(Storage& storage, T (&items)[kItems]) {
        if constexpr (kOrder == TileOrder::exchanged) {
            exchange_items<Group>(storage, items, items, At::striped, At::blocked);
        }
    }
};

template <class Group, class T, int kItems, TileOrder kOrder>
class TileStore {
    using At = Arrangement<Group, kItems>;

  public:
    using Storage = CubStorage<T, kOrder == TileOrder::exchanged ? Group::kCount * kItems : 1>;

    template <class Iterator>
    static void store(Storage& storage, Iterator target, const T (&items)[kItems]) {
        store(storage, target, items, Group::kCount * kItems);
    }
    template <class Iterator>
    static void store(Storage& storage, Iterator target, const T (&items)[kItems], int valid) {
        if constexpr (kOrder == TileOrder::blocked) {
            store_tile(target, items, valid, At::blocked);
        } else if constexpr (kOrder == TileOrder::striped) {
            store_tile(target, items, valid, At::striped);
        } else {
            T striped[kItems];
            exchange_items<Group>(storage, items, striped, At::blocked, At::striped);
            store_tile(target, striped, valid, At::striped);
        }
    }
};

}  // namespace emulator
