// SPDX-License-Identifier: MIT
// CUB's DeviceSegmentedRadixSort: stable sorts of arithmetic keys, each segment for itself.
#pragma once

#include <emulator/cub/device_sorts.hpp>

namespace cub {

struct DeviceSegmentedRadixSort {
#define EMULATOR_CUB_SEGMENTED(Prefix, Suffix, descending)                                         \
    template <class Key, class Value, class Count, class Begin, class End>                         \
    static cudaError_t Prefix##SortPairs##Suffix(                                                  \
        void* storage, std::size_t& bytes, const Key* keys_in, Key* keys_out,                      \
        const Value* values_in, Value* values_out, Count count, long long segments, Begin begin,   \
        End end, int begin_bit = 0, int end_bit = sizeof(Key) * 8, cudaStream_t stream = 0) {      \
        return emulator::sort_segments(                                                            \
            "cub::DeviceSegmentedRadixSort::" #Prefix "SortPairs" #Suffix, storage, bytes,         \
            keys_in, keys_out, values_in, values_out, count, segments, begin, end,                 \
            emulator::RadixLess<Key>{begin_bit, end_bit, descending}, stream);                     \
    }                                                                                              \
    template <class Key, class Value, class Count, class Begin, class End>                         \
    static cudaError_t Prefix##SortPairs##Suffix(                                                  \
        void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values,   \
        Count count, long long segments, Begin begin, End end, int begin_bit = 0,                  \
        int end_bit = sizeof(Key) * 8, cudaStream_t stream = 0) {                                  \
        return emulator::sort_segment_buffers(                                                     \
            "cub::DeviceSegmentedRadixSort::" #Prefix "SortPairs" #Suffix, storage, bytes, keys,   \
            values, count, segments, begin, end,                                                   \
            emulator::RadixLess<Key>{begin_bit, end_bit, descending}, stream);                     \
    }                                                                                              \
    template <class Key, class Count, class Begin, class End>                                      \
    static cudaError_t Prefix##SortKeys##Suffix(                                                   \
        void* storage, std::size_t& bytes, const Key* keys_in, Key* keys_out, Count count,         \
        long long segments, Begin begin, End end, int begin_bit = 0,                               \
        int end_bit = sizeof(Key) * 8, cudaStream_t stream = 0) {                                  \
        const NullType* no_values = nullptr;                                                       \
        return emulator::sort_segments(                                                            \
            "cub::DeviceSegmentedRadixSort::" #Prefix "SortKeys" #Suffix, storage, bytes, keys_in, \
            keys_out, no_values, static_cast<NullType*>(nullptr), count, segments, begin, end,     \
            emulator::RadixLess<Key>{begin_bit, end_bit, descending}, stream);                     \
    }                                                                                              \
    template <class Key, class Count, class Begin, class End>                                      \
    static cudaError_t Prefix##SortKeys##Suffix(                                                   \
        void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys, Count count,                   \
        long long segments, Begin begin, End end, int begin_bit = 0,                               \
        int end_bit = sizeof(Key) * 8, cudaStream_t stream = 0) {                                  \
        DoubleBuffer<NullType> no_values;                                                          \
        return emulator::sort_segment_buffers(                                                     \
            "cub::DeviceSegmentedRadixSort::" #Prefix "SortKeys" #Suffix, storage, bytes, keys,    \
            no_values, count, segments, begin, end,                                                \
            emulator::RadixLess<Key>{begin_bit, end_bit, descending}, stream);                     \
    }
    EMULATOR_CUB_SEGMENTED(, , false)
    EMULATOR_CUB_SEGMENTED(, Descending, true)
#undef EMULATOR_CUB_SEGMENTED
};

}  // namespace cub
