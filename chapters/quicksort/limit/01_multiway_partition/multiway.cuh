// SPDX-License-Identifier: MIT
// The shape of a round of stage limit/01, and of those that build on it.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <limits>

#include "blocks/rounds/rounds.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

inline constexpr int kThreads = 512;
inline constexpr int kKeysPerThread = 64 / sizeof(Key);  // 16, or 8 pairs
inline constexpr int kTileKeys = kThreads * kKeysPerThread;
inline constexpr int kLeafKeys = kTileKeys;  // at most
inline constexpr int kSplitters = 128;  // the last one of each list is padding
inline constexpr int kBuckets = 2 * kSplitters;  // open parts, and parts of equal keys
inline constexpr Key kLargestKey = std::numeric_limits<Key>::max();
inline constexpr Key kLeastKey = std::numeric_limits<Key>::min();

// The two passes of a round. counts: one per list and bucket; see place_child().
struct Pass {
    const Key* from;
    Key* to;
    const List* lists;
    const unsigned* list_of_tile;
    const Key* splitters;
    Count* counts;
};

}  // namespace quicksort
