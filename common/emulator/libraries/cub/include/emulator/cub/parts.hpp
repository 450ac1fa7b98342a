// SPDX-License-Identifier: MIT
// What CUB's primitives are made of here: storage in shared memory, and who takes part.
#pragma once

#include <cuda_runtime.h>

#include <emulator/cub/operators.hpp>
#include <utility>

namespace emulator {

// Elements without construction: temporary storage may be a union, and __shared__.
template <class T, int kCount>
struct CubStorage {
    T* begin() { return reinterpret_cast<T*>(bytes); }
    T& operator[](int i) { return begin()[i]; }
    alignas(T) char bytes[sizeof(T) * kCount];
};

// The storage that a primitive takes when its constructor gets none. Each type of primitive has
// one, as in CUB.
template <class Storage>
Storage& private_cub_storage() {
    __shared__ Storage storage;
    return storage;
}

// All threads of a block.
template <int kThreads>
struct CubBlock {
    static constexpr int kCount = kThreads;
    static int rank() { return cub_thread(); }
    static void synchronize() { __syncthreads(); }
};

// The lanes of a warp, or of a part of a warp with a power of two of lanes.
template <int kLanes>
struct CubWarp {
    static_assert(kLanes >= 1 && kLanes <= 32, "a logical warp has 1 to 32 lanes");
    static constexpr int kCount = kLanes;
    static constexpr bool kIsPart = (kLanes & (kLanes - 1)) == 0;
    static int lane() { return cub_thread() % 32; }
    static int rank() { return kIsPart ? lane() % kLanes : lane(); }
    static int first() { return kIsPart ? lane() / kLanes * kLanes : 0; }
    static unsigned int mask() { return (kLanes == 32 ? ~0u : (1u << kLanes % 32) - 1) << first(); }
    static void synchronize() { __syncwarp(mask()); }
};

template <int kItems, class T, class Other>
void copy_items(const T (&from)[kItems], Other (&to)[kItems]) {
    for (int i = 0; i < kItems; ++i) to[i] = from[i];
}

// Writes item i of each thread to place(i), and after a barrier reads item i from from(i).
template <class Group, int kItems, class Storage, class T, class Other, class Place, class From>
void exchange_items(Storage& storage, const T (&input)[kItems], Other (&output)[kItems],
                    Place place, From from) {
    for (int i = 0; i < kItems; ++i) {
        const int to = place(i);
        if (to >= 0) storage[to] = input[i];
    }
    Group::synchronize();
    for (int i = 0; i < kItems; ++i) output[i] = storage[from(i)];
}

// Where item i of this thread lies in each arrangement of a tile.
template <class Group, int kItems>
struct Arrangement {
    static int blocked(int i) { return Group::rank() * kItems + i; }
    static int striped(int i) { return i * Group::kCount + Group::rank(); }
    // Each warp has its own stripes; the last warp may have fewer threads.
    static int warp_striped(int i) {
        const int first = Group::rank() / 32 * 32;
        const int lanes = Group::kCount - first < 32 ? Group::kCount - first : 32;
        return first * kItems + i * lanes + Group::rank() % 32;
    }
};

}  // namespace emulator
