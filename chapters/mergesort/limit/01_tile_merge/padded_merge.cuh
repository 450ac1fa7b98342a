// SPDX-License-Identifier: MIT
// A tile in shared memory with empty words between the keys, the search for a thread's part of a
// merge, and the merge of 16 keys per thread.
#pragma once

#include <cuda_runtime.h>

#include "problem/mergesort.hpp"

namespace mergesort {

inline constexpr int kKeysPerThread = 16;

// In shared memory one word in 17 stays empty, so the first keys of 32 threads lie in 32 banks.
__host__ __device__ constexpr unsigned padded(unsigned place) {
    return place + place / kKeysPerThread;
}

// A tile of so many keys in shared memory, and the place after it: a merge reads one key too many,
// and never uses it.
__host__ __device__ constexpr unsigned shared_keys(int tile_keys) {
    return padded(static_cast<unsigned>(tile_keys)) + 1;
}

struct PaddedKeys {
    Key* s_keys;
    __device__ Key& operator[](int place) const {
        return s_keys[padded(static_cast<unsigned>(place))];
    }
};

// How many of the first `diagonal` keys of a merge come from its left run, keys[begin, middle). The
// right run is keys[middle, end). Of equal keys those of the left run come first.
template <typename Keys, typename Place>
__device__ __forceinline__ Place merge_path(Keys keys, Place begin, Place middle, Place end,
                                            Place diagonal) {
    Place low = max(diagonal - (end - middle), Place{0});
    Place high = min(diagonal, middle - begin);
    while (low < high) {
        const Place i = low + ((high - low) >> 1);
        if (keys[middle + diagonal - 1 - i] < keys[begin + i]) {
            high = i;
        } else {
            low = i + 1;
        }
    }
    return low;
}

// Merges until `merged` is full. Each step loads one key: the one that follows the key it took. So
// the place after the last key is read, too.
__device__ __forceinline__ void merge_keys(PaddedKeys keys, int left, int left_end, int right,
                                           int right_end, Key (&merged)[kKeysPerThread]) {
    Key left_key = keys[left], right_key = keys[right];
#pragma unroll
    for (int k = 0; k < kKeysPerThread; ++k) {
        const bool takes_right = right < right_end && (left >= left_end || right_key < left_key);
        merged[k] = takes_right ? right_key : left_key;
        const Key next = keys[takes_right ? ++right : ++left];
        if (takes_right) {
            right_key = next;
        } else {
            left_key = next;
        }
    }
}

}  // namespace mergesort
