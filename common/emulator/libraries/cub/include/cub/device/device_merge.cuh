// SPDX-License-Identifier: MIT
// CUB's DeviceMerge: two sorted lists become one; of equal keys, those of the first list come
// first.
#pragma once

#include <emulator/cub/device_work.hpp>

namespace cub {

struct DeviceMerge {
    template <class KeysA, class KeysB, class KeysOut, class CountA, class CountB,
              class Less = emulator::CubLess>
    static cudaError_t MergeKeys(void* storage, std::size_t& bytes, KeysA keys_a, CountA count_a,
                                 KeysB keys_b, CountB count_b, KeysOut keys_out, Less less = {},
                                 cudaStream_t stream = 0) {
        const auto a = static_cast<std::size_t>(count_a);
        const auto b = static_cast<std::size_t>(count_b);
        return emulator::DeviceCall("cub::DeviceMerge::MergeKeys", storage, bytes, stream)
            .reads(keys_a, a)
            .reads(keys_b, b)
            .writes(keys_out, a + b)
            .run((a + b) / 64, [=]() mutable {
                merge(keys_a, a, keys_b, b, less,
                      [&](std::size_t to, auto, std::size_t, auto key) { keys_out[to] = key; });
            });
    }
    template <class KeysA, class ValuesA, class KeysB, class ValuesB, class KeysOut,
              class ValuesOut, class CountA, class CountB, class Less = emulator::CubLess>
    static cudaError_t MergePairs(void* storage, std::size_t& bytes, KeysA keys_a, ValuesA values_a,
                                  CountA count_a, KeysB keys_b, ValuesB values_b, CountB count_b,
                                  KeysOut keys_out, ValuesOut values_out, Less less = {},
                                  cudaStream_t stream = 0) {
        const auto a = static_cast<std::size_t>(count_a);
        const auto b = static_cast<std::size_t>(count_b);
        return emulator::DeviceCall("cub::DeviceMerge::MergePairs", storage, bytes, stream)
            .reads(keys_a, a)
            .reads(keys_b, b)
            .reads(values_a, a)
            .reads(values_b, b)
            .writes(keys_out, a + b)
            .writes(values_out, a + b)
            .run((a + b) / 64, [=]() mutable {
                merge(keys_a, a, keys_b, b, less,
                      [&](std::size_t to, bool is_of_b, std::size_t from, auto key) {
                          keys_out[to] = key;
                          if (is_of_b) {
                              values_out[to] = values_b[from];
                          } else {
                              values_out[to] = values_a[from];
                          }
                      });
            });
    }

  private:
    template <class KeysA, class KeysB, class Less, class Put>
    static void merge(KeysA keys_a, std::size_t count_a, KeysB keys_b, std::size_t count_b,
                      Less& less, Put put) {
        std::size_t a = 0;
        std::size_t b = 0;
        while (a + b < count_a + count_b) {
            const std::size_t to = a + b;
            const bool is_of_b = a == count_a || (b < count_b && less(keys_b[b], keys_a[a]));
            if (is_of_b) {
                put(to, true, b, keys_b[b]);
                ++b;
            } else {
                put(to, false, a, keys_a[a]);
                ++a;
            }
        }
    }
};

}  // namespace cub
