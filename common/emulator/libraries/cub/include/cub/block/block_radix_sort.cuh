// SPDX-License-Identifier: MIT
// CUB's BlockRadixSort: a stable sort of a tile of keys, with values or without. Here it merges
// (emulator/cub/merge_sort.hpp); the result is the same, the counters are not CUB's.
#pragma once

#include <emulator/cub/merge_sort.hpp>
#include <emulator/cub/radix_keys.hpp>

#include "block_scan.cuh"

namespace cub {

template <class Key, int kX, int kItems, class Value = NullType, int kRadixBits = 4,
          bool kMemoize = true, BlockScanAlgorithm kScan = BLOCK_SCAN_WARP_SCANS,
          cudaSharedMemConfig kConfiguration = cudaSharedMemBankSizeFourByte, int kY = 1,
          int kZ = 1, int kArch = 0>
class BlockRadixSort {
    using Group = emulator::CubBlock<kX * kY * kZ>;
    using At = emulator::Arrangement<Group, kItems>;
    template <class Decomposer>
    using Less = emulator::DecomposedLess<Key, Decomposer>;

  public:
    using TempStorage = emulator::MergeSortStorage<Key, Value, kX * kY * kZ * kItems>;
    BlockRadixSort() : BlockRadixSort(emulator::private_cub_storage<TempStorage>()) {}
    explicit BlockRadixSort(TempStorage& storage) : storage_(storage) {}

#define EMULATOR_CUB_SORTS(name, descending, striped)                                            \
    void name(Key(&keys)[kItems], int begin_bit = 0, int end_bit = sizeof(Key) * 8) {            \
        NullType values[kItems];                                                                 \
        sort<striped>(keys, values, by_bits(begin_bit, end_bit, descending));                    \
    }                                                                                            \
    template <class Items>                                                                       \
    void name(Key(&keys)[kItems], Items(&values)[kItems], int begin_bit = 0,                     \
              int end_bit = sizeof(Key) * 8) {                                                   \
        static_assert(std::is_same_v<Items, Value>, "the values have another type");             \
        sort<striped>(keys, values, by_bits(begin_bit, end_bit, descending));                    \
    }                                                                                            \
    template <emulator::RadixDecomposer<Key> Decomposer, class... Bits>                          \
    void name(Key(&keys)[kItems], Decomposer decomposer, Bits... bits) {                         \
        NullType values[kItems];                                                                 \
        sort<striped>(keys, values, Less<Decomposer>(decomposer, descending, bits...));          \
    }                                                                                            \
    template <emulator::RadixDecomposer<Key> Decomposer, class... Bits>                          \
    void name(Key(&keys)[kItems], Value(&values)[kItems], Decomposer decomposer, Bits... bits) { \
        sort<striped>(keys, values, Less<Decomposer>(decomposer, descending, bits...));          \
    }
    EMULATOR_CUB_SORTS(Sort, false, false)
    EMULATOR_CUB_SORTS(SortDescending, true, false)
    EMULATOR_CUB_SORTS(SortBlockedToStriped, false, true)
    EMULATOR_CUB_SORTS(SortDescendingBlockedToStriped, true, true)
#undef EMULATOR_CUB_SORTS

  private:
    static auto by_bits(int begin_bit, int end_bit, bool descending) {
        return emulator::RadixLess<Key>{begin_bit, end_bit, descending};
    }

    template <bool kStriped, class Items, class Compare>
    void sort(Key (&keys)[kItems], Items (&values)[kItems], Compare less) {
        emulator::merge_sort_items<Group>(storage_, keys, values, less);
        if constexpr (kStriped) {
            Group::synchronize();
            emulator::exchange_items<Group>(storage_.keys, keys, keys, At::blocked, At::striped);
            if constexpr (emulator::cub_has_values<Items>) {
                Group::synchronize();
                emulator::exchange_items<Group>(storage_.values, values, values, At::blocked,
                                                At::striped);
            }
        }
    }

    TempStorage& storage_;
};

}  // namespace cub
