// SPDX-License-Identifier: MIT
// A search tree whose 2^kLevels - 1 splitters lie in shared memory. It says in which word of a
// table the numbers of a part are: its cell.
#pragma once

#include <cuda_runtime.h>

#include "problem/quicksort.hpp"

namespace quicksort {

// The word that many bytes behind the first.
template <typename Word>
__device__ __forceinline__ Word& word_at(Word* s_table, unsigned bytes) {
    return *reinterpret_cast<Word*>(reinterpret_cast<char*>(s_table) + bytes);
}

// The key of a cell, or at a place: `bytes` are four times its number, however long a key is.
inline constexpr unsigned kKeyWords = sizeof(Key) / 4;
__device__ __forceinline__ Key& key_at(Key* s_keys, unsigned bytes) {
    return word_at(s_keys, bytes * kKeyWords);
}

// Counts four keys in their cells. To four times the cell, their places add four times the rank, in
// the upper half.
__device__ __forceinline__ void count_four(unsigned* s_counts, unsigned* places) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        places[k] += atomicAdd(&word_at(s_counts, places[k]), 4u) * 65536;
    }
}

// Key k of four is number i + k kDistance of a tile. Those from `count` on go to 32 cells of their
// own, behind `cells`: this takes no branch, so atomic additions overlap, and no two lanes of a
// warp meet in a bank.
inline constexpr int kCellsLeftOut = 32;
template <int kDistance>
__device__ __forceinline__ void leave_out(int i, int count, int cells, unsigned* places) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        places[k] = i + k * kDistance < count ? places[k] : 4 * (cells + threadIdx.x % 32);
    }
}

// How a tree counts four keys of each thread.
struct CountsFour {
    static __device__ __forceinline__ void count(unsigned* s_counts, unsigned* places) {
        count_four(s_counts, places);
    }
};

// The tree of stage limit/02: node i has the children 2 i and 2 i + 1.
struct NodeTree : CountsFour {
    // The cell of a part, or the part of a cell.
    template <int kLevels>
    static __device__ __forceinline__ unsigned cell_of(unsigned part) {
        return part;
    }

    // The splitter at a node; from 1 on, as the nodes.
    template <int kLevels>
    static __device__ __forceinline__ unsigned splitter_at(unsigned node) {
        const int level = 31 - __clz(static_cast<int>(node));
        return (2 * (node - (1u << level)) + 1) << (kLevels - 1 - level);
    }

    // Takes keys down the tree: places[k] becomes four times the cell of their part.
    template <int kLevels, int kCount>
    static __device__ __forceinline__ void descend(Key* s_tree, const Key* keys, unsigned* places) {
        constexpr unsigned kBytes = sizeof(Key);
#pragma unroll
        for (int k = 0; k < kCount; ++k) places[k] = kBytes;  // the root
#pragma unroll
        for (int level = 0; level < kLevels; ++level) {
#pragma unroll
            for (int k = 0; k < kCount; ++k) {
                const bool right = word_at(s_tree, places[k]) < keys[k];
                places[k] *= 2;
                if (right) places[k] += kBytes;
            }
        }
#pragma unroll
        for (int k = 0; k < kCount; ++k) places[k] = (places[k] - (kBytes << kLevels)) / kKeyWords;
    }
};

}  // namespace quicksort
