// SPDX-License-Identifier: MIT
// CUB's wrappers of shuffles, and of what a thread asks about itself.
#pragma once

#include <emulator/cub/operators.hpp>

namespace emulator {

// A value of any size travels as 4-byte words.
template <class T, class Shuffle>
T shuffle_words(T value, Shuffle shuffle) {
    unsigned int words[(sizeof(T) + 3) / 4] = {};
    __builtin_memcpy(words, static_cast<const void*>(&value), sizeof(T));
    for (unsigned int& word : words) word = shuffle(word);
    __builtin_memcpy(static_cast<void*>(&value), words, sizeof(T));
    return value;
}

}  // namespace emulator

namespace cub {

// Lanes of logical warps of `kLanes`. A lane without a source keeps its own value.
template <int kLanes, class T>
T ShuffleUp(T input, int distance, int first_lane, unsigned int mask) {
    const int lane = emulator::cub_thread() % 32 % kLanes;
    const T other = emulator::shuffle_words(
        input, [=](unsigned int word) { return __shfl_up_sync(mask, word, distance, kLanes); });
    return lane - distance < first_lane ? input : other;
}
template <int kLanes, class T>
T ShuffleDown(T input, int distance, int last_lane, unsigned int mask) {
    const int lane = emulator::cub_thread() % 32 % kLanes;
    const T other = emulator::shuffle_words(
        input, [=](unsigned int word) { return __shfl_down_sync(mask, word, distance, kLanes); });
    return lane + distance > last_lane ? input : other;
}
template <int kLanes, class T>
T ShuffleIndex(T input, int source, unsigned int mask) {
    return emulator::shuffle_words(
        input, [=](unsigned int word) { return __shfl_sync(mask, word, source, kLanes); });
}

inline int RowMajorTid(int block_dim_x, int block_dim_y, int) {
    return static_cast<int>((threadIdx.z * static_cast<unsigned int>(block_dim_y) + threadIdx.y) *
                                static_cast<unsigned int>(block_dim_x) +
                            threadIdx.x);
}
inline unsigned int LaneId() { return static_cast<unsigned int>(emulator::cub_thread()) % 32; }
inline unsigned int WarpId() { return static_cast<unsigned int>(emulator::cub_thread()) / 32; }
template <int kLanes>
unsigned int WarpMask(unsigned int warp) {
    return kLanes == 32 ? ~0u : ((1u << kLanes % 32) - 1) << warp * kLanes % 32;
}

}  // namespace cub
