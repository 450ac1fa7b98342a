// SPDX-License-Identifier: MIT
// CUB's DeviceRadixSort: stable sorts of arithmetic keys, and of others with a decomposer.
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
#define EMULATOR_CUB_DECOMPOSED(Suffix, descending)                                                \
    template <class Key, class Value, class Count, emulator::RadixDecomposer<Key> Decomposer>      \
    static cudaError_t SortPairs##Suffix(void* storage, std::size_t& bytes, const Key* keys_in,    \
                                         Key* keys_out, const Value* values_in, Value* values_out, \
                                         Count count, Decomposer decomposer, int begin_bit,        \
                                         int end_bit, cudaStream_t stream = 0) {                   \
        return emulator::sort_pairs(                                                               \
            "cub::DeviceRadixSort::SortPairs" #Suffix, storage, bytes, keys_in, keys_out,          \
            values_in, values_out, count,                                                          \
            emulator::DecomposedLess<Key, Decomposer>(decomposer, descending, begin_bit, end_bit), \
            stream);                                                                               \
    }                                                                                              \
    template <class Key, class Value, class Count, emulator::RadixDecomposer<Key> Decomposer>      \
    static cudaError_t SortPairs##Suffix(void* storage, std::size_t& bytes, const Key* keys_in,    \
                                         Key* keys_out, const Value* values_in, Value* values_out, \
                                         Count count, Decomposer decomposer,                       \
                                         cudaStream_t stream = 0) {                                \
        return SortPairs##Suffix(storage, bytes, keys_in, keys_out, values_in, values_out, count,  \
                                 decomposer, 0, emulator::DecomposedLess<Key, Decomposer>::kBits,  \
                                 stream);                                                          \
    }                                                                                              \
    template <class Key, class Value, class Count, emulator::RadixDecomposer<Key> Decomposer>      \
    static cudaError_t SortPairs##Suffix(                                                          \
        void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values,   \
        Count count, Decomposer decomposer, int begin_bit, int end_bit, cudaStream_t stream = 0) { \
        return emulator::sort_buffers(                                                             \
            "cub::DeviceRadixSort::SortPairs" #Suffix, storage, bytes, keys, values, count,        \
            emulator::DecomposedLess<Key, Decomposer>(decomposer, descending, begin_bit, end_bit), \
            stream);                                                                               \
    }                                                                                              \
    template <class Key, class Value, class Count, emulator::RadixDecomposer<Key> Decomposer>      \
    static cudaError_t SortPairs##Suffix(                                                          \
        void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values,   \
        Count count, Decomposer decomposer, cudaStream_t stream = 0) {                             \
        return SortPairs##Suffix(storage, bytes, keys, values, count, decomposer, 0,               \
                                 emulator::DecomposedLess<Key, Decomposer>::kBits, stream);        \
    }                                                                                              \
    template <class Key, class Count, emulator::RadixDecomposer<Key> Decomposer>                   \
    static cudaError_t SortKeys##Suffix(void* storage, std::size_t& bytes, const Key* keys_in,     \
                                        Key* keys_out, Count count, Decomposer decomposer,         \
                                        int begin_bit, int end_bit, cudaStream_t stream = 0) {     \
        return emulator::sort_keys(                                                                \
            "cub::DeviceRadixSort::SortKeys" #Suffix, storage, bytes, keys_in, keys_out, count,    \
            emulator::DecomposedLess<Key, Decomposer>(decomposer, descending, begin_bit, end_bit), \
            stream);                                                                               \
    }                                                                                              \
    template <class Key, class Count, emulator::RadixDecomposer<Key> Decomposer>                   \
    static cudaError_t SortKeys##Suffix(void* storage, std::size_t& bytes, const Key* keys_in,     \
                                        Key* keys_out, Count count, Decomposer decomposer,         \
                                        cudaStream_t stream = 0) {                                 \
        return SortKeys##Suffix(storage, bytes, keys_in, keys_out, count, decomposer, 0,           \
                                emulator::DecomposedLess<Key, Decomposer>::kBits, stream);         \
    }                                                                                              \
    template <class Key, class Count, emulator::RadixDecomposer<Key> Decomposer>                   \
    static cudaError_t SortKeys##Suffix(                                                           \
        void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys, Count count,                   \
        Decomposer decomposer, int begin_bit, int end_bit, cudaStream_t stream = 0) {              \
        return emulator::sort_key_buffers(                                                         \
            "cub::DeviceRadixSort::SortKeys" #Suffix, storage, bytes, keys, count,                 \
            emulator::DecomposedLess<Key, Decomposer>(decomposer, descending, begin_bit, end_bit), \
            stream);                                                                               \
    }                                                                                              \
    template <class Key, class Count, emulator::RadixDecomposer<Key> Decomposer>                   \
    static cudaError_t SortKeys##Suffix(void* storage, std::size_t& bytes,                         \
                                        DoubleBuffer<Key>& keys, Count count,                      \
                                        Decomposer decomposer, cudaStream_t stream = 0) {          \
        return SortKeys##Suffix(storage, bytes, keys, count, decomposer, 0,                        \
                                emulator::DecomposedLess<Key, Decomposer>::kBits, stream);         \
    }
    EMULATOR_CUB_RADIX(, false)
    EMULATOR_CUB_RADIX(Descending, true)
    EMULATOR_CUB_DECOMPOSED(, false)
    EMULATOR_CUB_DECOMPOSED(Descending, true)
#undef EMULATOR_CUB_RADIX
#undef EMULATOR_CUB_DECOMPOSED
};

}  // namespace cub
