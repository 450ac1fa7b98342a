// SPDX-License-Identifier: MIT
// Radix sorts order keys by the bits [begin_bit, end_bit) of their ordered form: an unsigned number
// for which a < b holds exactly if the key a comes first. Integers flip their sign bit. Negative
// floating-point numbers flip all bits; -0 and +0 are equal, as in CUB.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace emulator {

template <class Key>
struct RadixKey {
    static_assert(
        std::is_arithmetic_v<Key> || std::is_enum_v<Key> || std::is_same_v<Key, __half> ||
            std::is_same_v<Key, __nv_bfloat16>,
        "a radix sort takes arithmetic keys; give it a decomposer for other types, or use "
        "DeviceMergeSort or BlockMergeSort with a comparison");
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

// The bits [begin, end) of a key, end excluded, of at most 64.
template <class Key>
std::uint64_t radix_digits(const Key& key, int begin, int end) {
    const int count = end - begin;
    if (count <= 0) return 0;
    const std::uint64_t bits = std::uint64_t{RadixKey<Key>::ordered(key)} >> begin;
    return count >= 64 ? bits : bits & ((std::uint64_t{1} << count) - 1);
}

// Compares two keys by some of their bits.
template <class Key>
struct RadixLess {
    int begin_bit = 0;
    int end_bit = RadixKey<Key>::kBits;
    bool descending = false;

    bool operator()(const Key& a, const Key& b) const {
        const std::uint64_t first = radix_digits(a, begin_bit, end_bit);
        const std::uint64_t second = radix_digits(b, begin_bit, end_bit);
        return descending ? second < first : first < second;
    }
};

// A decomposer gives a tuple of references to the arithmetic parts of a key. Their bits together
// are those of the key; the first part has the highest ones.
template <class Decomposer, class Key>
concept RadixDecomposer =
    std::is_invocable_v<const Decomposer&, Key&> && !std::is_convertible_v<Decomposer, int>;

template <class Key, class Decomposer>
class DecomposedLess {
    using Parts = std::remove_cvref_t<std::invoke_result_t<const Decomposer&, Key&>>;
    static constexpr std::size_t kParts = std::tuple_size_v<Parts>;
    static_assert(kParts > 0, "the decomposer gives no part of the key");
    template <std::size_t kPart>
    using Part = std::remove_cvref_t<std::tuple_element_t<kPart, Parts>>;

    template <std::size_t... kEach>
    static constexpr int bits_of(std::index_sequence<kEach...>) {
        return (0 + ... + RadixKey<Part<kEach>>::kBits);
    }

  public:
    static constexpr int kBits = bits_of(std::make_index_sequence<kParts>());

    DecomposedLess(Decomposer decomposer, bool descending, int begin_bit = 0, int end_bit = kBits)
        : decomposer_(decomposer),
          begin_bit_(begin_bit),
          end_bit_(end_bit),
          descending_(descending) {}

    // The decomposer must not change a key, although it takes a reference that could.
    bool operator()(const Key& a, const Key& b) const {
        const Parts first = decomposer_(const_cast<Key&>(descending_ ? b : a));
        const Parts second = decomposer_(const_cast<Key&>(descending_ ? a : b));
        return less<0>(first, second, kBits);
    }

  private:
    // Compares the parts from kPart on; `above` bits belong to them.
    template <std::size_t kPart>
    bool less(const Parts& a, const Parts& b, int above) const {
        if constexpr (kPart == kParts) {
            return false;
        } else {
            constexpr int kPartBits = RadixKey<Part<kPart>>::kBits;
            const int first_bit = above - kPartBits;
            const int begin = begin_bit_ > first_bit ? begin_bit_ - first_bit : 0;
            const int end = end_bit_ < above ? end_bit_ - first_bit : kPartBits;
            const Part<kPart>& left = std::get<kPart>(a);
            const Part<kPart>& right = std::get<kPart>(b);
            const std::uint64_t x = radix_digits(left, begin, end);
            const std::uint64_t y = radix_digits(right, begin, end);
            return x != y ? x < y : less<kPart + 1>(a, b, first_bit);
        }
    }

    Decomposer decomposer_;
    int begin_bit_;
    int end_bit_;
    bool descending_;
};

}  // namespace emulator
