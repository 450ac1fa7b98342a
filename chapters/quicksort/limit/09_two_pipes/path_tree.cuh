// SPDX-License-Identifier: MIT
// A search tree whose addresses are the paths to its nodes.
#pragma once

#include <cuda_runtime.h>

#include "blocks/networks/wide_access.cuh"
#include "limit/05_sub_buckets/search_tree.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

// The path to a node is its address: level l begins at word 2^l, and the first decision is the
// lowest bit of a place within it. s_tree begins at 16 bytes. Its functions are NodeTree's.
struct PathTree : CountsFour {
    template <int kLevels>
    static __device__ __forceinline__ unsigned cell_of(unsigned part) {
        return __brev(part) >> (32 - kLevels);
    }

    template <int kLevels>
    static __device__ __forceinline__ unsigned splitter_at(unsigned node) {
        const int level = 31 - __clz(static_cast<int>(node));
        const unsigned reversed = level > 0 ? __brev(node - (1u << level)) >> (32 - level) : 0;
        return (2 * reversed + 1) << (kLevels - 1 - level);
    }

    template <int kLevels, int kCount>
    static __device__ __forceinline__ void descend(Key* s_tree, const Key* keys, unsigned* places) {
        constexpr unsigned kBytes = sizeof(Key);
        Key top[4], third[4];  // levels 0 and 1, from top[1] on, and level 2
        load_four(s_tree, top);
        load_four(s_tree + 4, third);
#pragma unroll
        for (int k = 0; k < kCount; ++k) {
            const bool right = keys[k] > top[1];
            const bool right_again = keys[k] > (right ? top[3] : top[2]);
            const Key left = right ? third[1] : third[0], other = right ? third[3] : third[2];
            places[k] = right ? kBytes : 0;
            if (right_again) places[k] += 2 * kBytes;
            if (keys[k] > (right_again ? other : left)) places[k] += 4 * kBytes;
        }
#pragma unroll
        for (int level = 3; level < kLevels; ++level) {
#pragma unroll
            for (int k = 0; k < kCount; ++k) {
                const Key node = word_at(s_tree, places[k] + (kBytes << level));
                if (keys[k] > node) places[k] += kBytes << level;
            }
        }
#pragma unroll
        for (int k = 0; k < kCount; ++k) places[k] /= kKeyWords;
    }
};

}  // namespace quicksort
