// SPDX-License-Identifier: MIT
// What CUB's sorts for a whole device have in common: stable sorts of keys, with values or without,
// from one array to another, in place, or between the two arrays of a double buffer.
#pragma once

#include <emulator/cub/device_work.hpp>
#include <emulator/cub/double_buffer.hpp>
#include <emulator/cub/radix_keys.hpp>
#include <numeric>

namespace emulator {

// The order in which the items [first, last) come.
template <class Keys, class Less>
std::vector<std::size_t> sorted_order(Keys keys, std::size_t first, std::size_t last, Less& less) {
    std::vector<std::size_t> order(last - first);
    std::iota(order.begin(), order.end(), first);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return less(keys[a], keys[b]); });
    return order;
}

// `to` may be `from`.
template <class From, class To>
void copy_in_order(From from, To to, const std::vector<std::size_t>& order, std::size_t first) {
    Items<ItemOf<From>> items;
    items.reserve(order.size());
    for (const std::size_t i : order) items.push_back(from[i]);
    for (std::size_t i = 0; i < items.size(); ++i) to[first + i] = items[i];
}

template <class KeysIn, class KeysOut, class ValuesIn, class ValuesOut, class Count, class Less>
cudaError_t sort_pairs(const char* name, void* storage, std::size_t& bytes, KeysIn keys_in,
                       KeysOut keys_out, ValuesIn values_in, ValuesOut values_out, Count count,
                       Less less, cudaStream_t stream) {
    const auto n = static_cast<std::size_t>(count);
    return DeviceCall(name, storage, bytes, stream)
        .reads(keys_in, n)
        .reads(values_in, n)
        .writes(keys_out, n)
        .writes(values_out, n)
        .run(n * (sizeof(ItemOf<KeysIn>) + sizeof(ItemOf<ValuesIn>)), [=]() mutable {
            const auto order = sorted_order(keys_in, 0, n, less);
            copy_in_order(keys_in, keys_out, order, 0);
            copy_in_order(values_in, values_out, order, 0);
        });
}

template <class KeysIn, class KeysOut, class Count, class Less>
cudaError_t sort_keys(const char* name, void* storage, std::size_t& bytes, KeysIn keys_in,
                      KeysOut keys_out, Count count, Less less, cudaStream_t stream) {
    const auto n = static_cast<std::size_t>(count);
    return DeviceCall(name, storage, bytes, stream)
        .reads(keys_in, n)
        .writes(keys_out, n)
        .run(n * sizeof(ItemOf<KeysIn>), [=]() mutable {
            auto keys = copy_of(keys_in, n);
            std::stable_sort(keys.begin(), keys.end(), less);
            std::copy(keys.begin(), keys.end(), keys_out);
        });
}

// The result is in the other array of each buffer, as after an odd number of CUB's passes.
template <class Key, class Value, class Count, class Less>
cudaError_t sort_buffers(const char* name, void* storage, std::size_t& bytes,
                         cub::DoubleBuffer<Key>& keys, cub::DoubleBuffer<Value>& values,
                         Count count, Less less, cudaStream_t stream) {
    const cudaError_t error = sort_pairs(name, storage, bytes, keys.Current(), keys.Alternate(),
                                         values.Current(), values.Alternate(), count, less, stream);
    if (storage != nullptr && error == cudaSuccess) {
        keys.selector ^= 1;
        values.selector ^= 1;
    }
    return error;
}

template <class Key, class Count, class Less>
cudaError_t sort_key_buffers(const char* name, void* storage, std::size_t& bytes,
                             cub::DoubleBuffer<Key>& keys, Count count, Less less,
                             cudaStream_t stream) {
    const cudaError_t error =
        sort_keys(name, storage, bytes, keys.Current(), keys.Alternate(), count, less, stream);
    if (storage != nullptr && error == cudaSuccess) keys.selector ^= 1;
    return error;
}

// ---- Segments, each sorted for itself; items outside of all segments are not written

template <class Key, class Value, class Count, class Begin, class End, class Less>
cudaError_t sort_segments(const char* name, void* storage, std::size_t& bytes, const Key* keys_in,
                          Key* keys_out, const Value* values_in, Value* values_out, Count count,
                          long long segments, Begin begin, End end, Less less,
                          cudaStream_t stream) {
    constexpr bool kHasValues = !std::is_same_v<Value, cub::NullType>;
    const auto n = static_cast<std::size_t>(count);
    const auto segment_count = static_cast<std::size_t>(segments);
    return DeviceCall(name, storage, bytes, stream)
        .reads(keys_in, n)
        .reads(values_in, kHasValues ? n : 0)
        .reads(begin, segment_count)
        .reads(end, segment_count)
        .writes(keys_out, n)
        .writes(values_out, kHasValues ? n : 0)
        .run(n * (sizeof(Key) + (kHasValues ? sizeof(Value) : 0)), [=]() mutable {
            for (std::size_t i = 0; i < segment_count; ++i) {
                const auto first = static_cast<std::size_t>(begin[i]);
                const auto last = static_cast<std::size_t>(end[i]);
                if (first >= last) continue;
                const auto order = sorted_order(keys_in, first, last, less);
                copy_in_order(keys_in, keys_out, order, first);
                if constexpr (kHasValues) copy_in_order(values_in, values_out, order, first);
            }
        });
}

template <class Key, class Value, class Count, class Begin, class End, class Less>
cudaError_t sort_segment_buffers(const char* name, void* storage, std::size_t& bytes,
                                 cub::DoubleBuffer<Key>& keys, cub::DoubleBuffer<Value>& values,
                                 Count count, long long segments, Begin begin, End end, Less less,
                                 cudaStream_t stream) {
    const cudaError_t error =
        sort_segments(name, storage, bytes, static_cast<const Key*>(keys.Current()),
                      keys.Alternate(), static_cast<const Value*>(values.Current()),
                      values.Alternate(), count, segments, begin, end, less, stream);
    if (storage != nullptr && error == cudaSuccess) {
        keys.selector ^= 1;
        values.selector ^= 1;
    }
    return error;
}

}  // namespace emulator
