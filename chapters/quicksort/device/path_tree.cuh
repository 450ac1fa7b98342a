// SPDX-License-Identifier: MIT
// The search tree of stage 24, for the stages that build on it.
// Unchanged from stage 24_path_as_address.
#pragma once

#include <cuda_runtime.h>

#include "problem/quicksort.hpp"

namespace quicksort {

// The word that many bytes behind the first.
template <typename Word>
__device__ __forceinline__ Word& word_at(Word* s_table, unsigned bytes) {
    return *reinterpret_cast<Word*>(reinterpret_cast<char*>(s_table) + bytes);
}

// Thread t of the first 2^kBits writes node t.
template <int kBits>
__device__ __forceinline__ void write_tree(Key* s_tree, const Key* splitters) {
    const unsigned node = max(threadIdx.x, 1u);  // node 0 is never read
    const int level = 31 - __clz(node);
    const unsigned reversed = level > 0 ? __brev(node - (1u << level)) >> (32 - level) : 0;
    s_tree[threadIdx.x] = splitters[((2 * reversed + 1) << (kBits - 1 - level)) - 1];
}

// Takes keys down the tree: places[k] becomes four times the reversed number of their part.
template <int kBits, int kCount>
__device__ __forceinline__ void descend(Key* s_tree, const Key* keys, unsigned* places) {
    const int4 top = reinterpret_cast<const int4*>(s_tree)[0];  // levels 0 and 1, from .y on
    const int4 third = reinterpret_cast<const int4*>(s_tree)[1];  // level 2
#pragma unroll
    for (int k = 0; k < kCount; ++k) {
        const bool right = keys[k] > top.y;
        const bool right_again = keys[k] > (right ? top.w : top.z);
        const Key left = right ? third.y : third.x, other = right ? third.w : third.z;
        places[k] = right ? 4 : 0;
        if (right_again) places[k] += 8;
        if (keys[k] > (right_again ? other : left)) places[k] += 16;
    }
#pragma unroll
    for (int level = 3; level < kBits; ++level) {
        Key splitters[kCount];
#pragma unroll
        for (int k = 0; k < kCount; ++k) splitters[k] = word_at(s_tree, places[k] + (4 << level));
#pragma unroll
        for (int k = 0; k < kCount; ++k) {
            if (keys[k] > splitters[k]) places[k] += 4u << level;
        }
    }
}

template <int kBits>
__device__ __forceinline__ unsigned place_of(unsigned part) {  // in the tables, and back
    return __brev(part) >> (32 - kBits);
}

}  // namespace quicksort
