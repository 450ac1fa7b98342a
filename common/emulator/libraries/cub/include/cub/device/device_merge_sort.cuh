// SPDX-License-Identifier: MIT
// CUB's DeviceMergeSort: stable sorts by any comparison.
#pragma once

#include <emulator/cub/device_sorts.hpp>

namespace cub {

struct DeviceMergeSort {
#define EMULATOR_CUB_MERGE(Prefix)                                                                 \
    template <class Keys, class Values, class Count, class Less>                                   \
    static cudaError_t Prefix##SortPairs(void* storage, std::size_t& bytes, Keys keys,             \
                                         Values values, Count count, Less less,                    \
                                         cudaStream_t stream = 0) {                                \
        return emulator::sort_pairs("cub::DeviceMergeSort::" #Prefix "SortPairs", storage, bytes,  \
                                    keys, keys, values, values, count, less, stream);              \
    }                                                                                              \
    template <class Keys, class Count, class Less>                                                 \
    static cudaError_t Prefix##SortKeys(void* storage, std::size_t& bytes, Keys keys, Count count, \
                                        Less less, cudaStream_t stream = 0) {                      \
        return emulator::sort_keys("cub::DeviceMergeSort::" #Prefix "SortKeys", storage, bytes,    \
                                   keys, keys, count, less, stream);                               \
    }                                                                                              \
    template <class KeysIn, class KeysOut, class Count, class Less>                                \
    static cudaError_t Prefix##SortKeysCopy(void* storage, std::size_t& bytes, KeysIn keys_in,     \
                                            KeysOut keys_out, Count count, Less less,              \
                                            cudaStream_t stream = 0) {                             \
        return emulator::sort_keys("cub::DeviceMergeSort::" #Prefix "SortKeysCopy", storage,       \
                                   bytes, keys_in, keys_out, count, less, stream);                 \
    }
    EMULATOR_CUB_MERGE()
    EMULATOR_CUB_MERGE(Stable)
#undef EMULATOR_CUB_MERGE

    template <class KeysIn, class ValuesIn, class KeysOut, class ValuesOut, class Count, class Less>
    static cudaError_t SortPairsCopy(void* storage, std::size_t& bytes, KeysIn keys_in,
                                     ValuesIn values_in, KeysOut keys_out, ValuesOut values_out,
                                     Count count, Less less, cudaStream_t stream = 0) {
        return emulator::sort_pairs("cub::DeviceMergeSort::SortPairsCopy", storage, bytes, keys_in,
                                    keys_out, values_in, values_out, count, less, stream);
    }
};

}  // namespace cub
