// SPDX-License-Identifier: MIT
// CUB's DeviceRadixSort: stable sorts of arithmetic keys.
#pragma once

#include <emulator/cub/device_sorts.hpp>

namespace cub {

struct DeviceRadixSort {
#define EMULATOR_CUB_RADIX(Suffix, descending)                                                     \
    template <class Key, class Value, class Count>                                                 \
    static cudaError_t SortPairs##Suffix(void* storage, std::size_t& bytes, const Key* keys_in,    \
                                         Key* keys_out, const Value* values_in, Value* values_out, \
                                         Count count, int begin_bit = 0,                           \
                                         int end_bit = sizeof(Key) * 8, cudaStream_t stream = 0) { \
        return emulator::sort_pairs("cub::DeviceRadixSort::SortPairs" #Suffix, storage, bytes,     \
                                    keys_in, keys_out, values_in, values_out, count,               \
                                    emulator::RadixLess<Key>{begin_bit, end_bit, descending},      \
                                    stream);                                                       \
    }                                                                                              \
    template <class Key, class Value, class Count>                                                 \
    static cudaError_t SortPairs##Suffix(                                                          \
        void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values,   \
        Count count, int begin_bit = 0, int end_bit = sizeof(Key) * 8, cudaStream_t stream = 0) {  \
        return emulator::sort_buffers(                                                             \
            "cub::DeviceRadixSort::SortPairs" #Suffix, storage, bytes, keys, values, count,        \
            emulator::RadixLess<Key>{begin_bit, end_bit, descending}, stream);                     \
    }                                                                                              \
    template <class Key, class Count>                                                              \
    static cudaError_t SortKeys##Suffix(void* storage, std::size_t& bytes, const Key* keys_in,     \
                                        Key* keys_out, Count count, int begin_bit = 0,             \
                                        int end_bit = sizeof(Key) * 8, cudaStream_t stream = 0) {  \
        return emulator::sort_keys(                                                                \
            "cub::DeviceRadixSort::SortKeys" #Suffix, storage, bytes, keys_in, keys_out, count,    \
            emulator::RadixLess<Key>{begin_bit, end_bit, descending}, stream);                     \
    }                                                                                              \
    template <class Key, class Count>                                                              \
    static cudaError_t SortKeys##Suffix(void* storage, std::size_t& bytes,                         \
                                        DoubleBuffer<Key>& keys, Count count, int begin_bit = 0,   \
                                        int end_bit = sizeof(Key) * 8, cudaStream_t stream = 0) {  \
        return emulator::sort_key_buffers(                                                         \
            "cub::DeviceRadixSort::SortKeys" #Suffix, storage, bytes, keys, count,                 \
            emulator::RadixLess<Key>{begin_bit, end_bit, descending}, stream);                     \
    }
    EMULATOR_CUB_RADIX(, false)
    EMULATOR_CUB_RADIX(Descending, true)
#undef EMULATOR_CUB_RADIX
};

}  // namespace cub
