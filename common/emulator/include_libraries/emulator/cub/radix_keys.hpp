// SPDX-License-Identifier: MIT
// Radix sorts order keys by the bits [begin_bit, end_bit) of their ordered form: an unsigned number
// for which a < b holds exactly if the key a comes first. Integers flip their sign bit. Negative
// floating-point numbers flip all bits; -0 and +0 are equal, as in CUB.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

namespace emulator {

template <class Key>
struct RadixKey {
    static_assert(std::is_arithmetic_v<Key> || std::is_enum_v<Key> || std::is_same_v<Key, __half> ||
                      std::is_same_v<Key, __nv_bfloat16>,
                  "the CPU engine's radix sorts take arithmetic keys; use DeviceMergeSort or "
                  "BlockMergeSort with a comparison for other types");
    using Bits = std::conditional_t<
        sizeof(Key) == 1, std::uint8_t,
        std::conditional_t<sizeof(Key) == 2, std::uint16_t,
                           std::conditional_t<sizeof(Key) == 4, std::uint32_t, std::uint64_t>>>;
    static constexpr int kBits = static_cast<int>(sizeof(Key) * 8);
    static constexpr bool kIsFloating = std::is_floating_point_v<Key> ||
                                        std::is_same_v<Key, __half> ||
                                        std::is_same_v<Key, __nv_bfloat16>;

    static Bits ordered(const Key& key) {
        constexpr Bits kSign = static_cast<Bits>(Bits{1} << (kBits - 1));
        Bits bits;
        __builtin_memcpy(&bits, static_cast<const void*>(&key), sizeof bits);
        if constexpr (kIsFloating) {
            if (bits == kSign) bits = 0;
            return static_cast<Bits>((bits & kSign) != 0 ? ~bits : bits | kSign);
        } else if constexpr (std::is_signed_v<Key>) {
            return static_cast<Bits>(bits ^ kSign);
        } else {
            return bits;
        }
    }
};

// Compares two keys by some of their bits.
template <class Key>
struct RadixLess {
    int begin_bit = 0;
    int end_bit = RadixKey<Key>::kBits;
    bool descending = false;

    std::uint64_t digits(const Key& key) const {
        const int count = end_bit - begin_bit;
        if (count <= 0) return 0;
        const std::uint64_t bits = std::uint64_t{RadixKey<Key>::ordered(key)} >> begin_bit;
        return count >= 64 ? bits : bits & ((std::uint64_t{1} << count) - 1);
    }
    bool operator()(const Key& a, const Key& b) const {
        return descending ? digits(b) < digits(a) : digits(a) < digits(b);
    }
};

}  // namespace emulator
