// SPDX-License-Identifier: MIT
// CUB's digit extractors: some of the bits of a key in its ordered form (emulator/cub/
// radix_keys.hpp says what that is; an unsigned number is its own).
#pragma once

#include <emulator/cub/radix_keys.hpp>

namespace cub {

// The bits [bit_start, bit_start + num_bits), at most 31 of them.
template <class Key>
struct BFEDigitExtractor {
    using UnsignedBits = typename emulator::RadixKey<Key>::Bits;

    std::uint32_t bit_start;
    std::uint32_t num_bits;

    explicit BFEDigitExtractor(std::uint32_t first = 0, std::uint32_t count = 0)
        : bit_start(first), num_bits(count) {}

    std::uint32_t Digit(UnsignedBits key) const {
        if constexpr (emulator::RadixKey<Key>::kIsFloating) {
            // What -0 becomes in its ordered form: it belongs to +0.
            constexpr auto kPlusZero =
                static_cast<UnsignedBits>(UnsignedBits{1} << (emulator::RadixKey<Key>::kBits - 1));
            if (key == static_cast<UnsignedBits>(kPlusZero - 1)) key = kPlusZero;
        }
        return static_cast<std::uint32_t>(key >> bit_start) & ((1u << num_bits) - 1);
    }
};

// The same; CUB's two types differ in the instructions only.
template <class Key>
struct ShiftDigitExtractor : BFEDigitExtractor<Key> {
    using BFEDigitExtractor<Key>::BFEDigitExtractor;
};

}  // namespace cub
