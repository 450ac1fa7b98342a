// SPDX-License-Identifier: MIT
// What BlockMergeSort and WarpMergeSort have in common.
#pragma once

#include <emulator/cub/merge_sort.hpp>

namespace emulator {

template <class Group, class Key, int kItems, class Value>
class CubMergeSort {
  public:
    using TempStorage = MergeSortStorage<Key, Value, Group::kCount * kItems>;
    CubMergeSort() : CubMergeSort(private_cub_storage<TempStorage>()) {}
    explicit CubMergeSort(TempStorage& storage) : storage_(storage) {}

    template <class Less>
    void Sort(Key (&keys)[kItems], Less less) {
        cub::NullType values[kItems];
        merge_sort_items<Group>(storage_, keys, values, less);
    }
    // The first `valid` items of the tile are sorted. Keys beyond get the value `last`, which no
    // key is ordered after.
    template <class Less>
    void Sort(Key (&keys)[kItems], Less less, int valid, Key last) {
        cub::NullType values[kItems];
        Sort(keys, values, less, valid, last);
    }
    template <class Less>
    void Sort(Key (&keys)[kItems], Value (&values)[kItems], Less less) {
        merge_sort_items<Group>(storage_, keys, values, less);
    }
    template <class Items, class Less>
    void Sort(Key (&keys)[kItems], Items (&values)[kItems], Less less, int valid, Key last) {
        for (int i = 0; i < kItems; ++i) {
            if (Group::rank() * kItems + i >= valid) keys[i] = last;
        }
        merge_sort_items<Group>(storage_, keys, values, less);
    }

    template <class... Arguments>
    void StableSort(Key (&keys)[kItems], Arguments&&... arguments) {
        Sort(keys, static_cast<Arguments&&>(arguments)...);
    }

    unsigned int get_linear_tid() const { return static_cast<unsigned int>(Group::rank()); }

  private:
    TempStorage& storage_;
};

}  // namespace emulator
