// SPDX-License-Identifier: MIT
// A stable merge sort by the threads of a block or warp: each thread sorts its own items, then in
// each round two neighbouring runs are merged, each thread making the items of its own place
// (merge path: Green, McColl and Bader 2012), as CUB's BlockMergeSort does.
#pragma once

#include <emulator/cub/parts.hpp>

namespace emulator {

template <class T>
struct NoCubValues {
    static constexpr bool kAreThere = true;
};
template <>
struct NoCubValues<cub::NullType> {
    static constexpr bool kAreThere = false;
};
template <class T>
constexpr bool cub_has_values = NoCubValues<T>::kAreThere;

template <class Key, class Value, int kItems, class Less>
void sort_own_items(Key (&keys)[kItems], Value (&values)[kItems], Less less) {
    for (int i = 1; i < kItems; ++i) {
        for (int j = i; j > 0 && less(keys[j], keys[j - 1]); --j) {
            const Key key = keys[j];
            keys[j] = keys[j - 1];
            keys[j - 1] = key;
            if constexpr (cub_has_values<Value>) {
                const Value value = values[j];
                values[j] = values[j - 1];
                values[j - 1] = value;
            }
        }
    }
}

// How many of the first `diagonal` merged elements come from the run that begins at `a`.
template <class Storage, class Less>
int find_merge_split(Storage& keys, int a, int a_count, int b, int b_count, int diagonal,
                     Less less) {
    int low = diagonal > b_count ? diagonal - b_count : 0;
    int high = diagonal < a_count ? diagonal : a_count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (less(keys[b + diagonal - 1 - middle], keys[a + middle])) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

template <class Group, class Storage, class Key, class Value, int kItems, class Less>
void merge_sort_items(Storage& storage, Key (&keys)[kItems], Value (&values)[kItems], Less less) {
    const int rank = Group::rank();
    sort_own_items(keys, values, less);
    for (int width = 1; width < Group::kCount; width *= 2) {
        Group::synchronize();
        for (int i = 0; i < kItems; ++i) storage.keys[rank * kItems + i] = keys[i];
        Group::synchronize();
        const int first = rank / (2 * width) * 2 * width;
        const auto thread_or_end = [](int thread) {
            return (thread < Group::kCount ? thread : Group::kCount) * kItems;
        };
        const int a_end = thread_or_end(first + width);
        const int b_end = thread_or_end(first + 2 * width);
        const int diagonal = (rank - first) * kItems;
        const int split = find_merge_split(storage.keys, first * kItems, a_end - first * kItems,
                                           a_end, b_end - a_end, diagonal, less);
        int a = first * kItems + split;
        int b = a_end + diagonal - split;
        int from[kItems];
        for (int i = 0; i < kItems; ++i) {
            const bool takes_b =
                a == a_end || (b < b_end && less(storage.keys[b], storage.keys[a]));
            from[i] = takes_b ? b++ : a++;
            keys[i] = storage.keys[from[i]];
        }
        if constexpr (cub_has_values<Value>) {
            Group::synchronize();
            for (int i = 0; i < kItems; ++i) storage.values[rank * kItems + i] = values[i];
            Group::synchronize();
            for (int i = 0; i < kItems; ++i) values[i] = storage.values[from[i]];
        }
    }
}

// Keys and values take turns in the same memory.
template <class Key, class Value, int kCount>
struct MergeSortStorage {
    union {
        CubStorage<Key, kCount> keys;
        CubStorage<Value, kCount> values;
    };
};

}  // namespace emulator
