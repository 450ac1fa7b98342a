// SPDX-License-Identifier: MIT
// What the generators of named inputs are made of: integers, and at most the operations of doubles
// that are exact to the last bit, so that keys are the same on all machines.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "common/input/splitmix64.hpp"
#include "common/sorting/key.hpp"

namespace course::sorting {

// Random bits by position, not by a running state, so that each core can start anywhere.
class RandomAt {
  public:
    explicit RandomAt(std::uint64_t seed) : offset_(finish_splitmix64(seed + kSplitmix64Step)) {}
    std::uint64_t operator()(std::uint64_t i) const {
        return finish_splitmix64(offset_ + (i + 1) * kSplitmix64Step);
    }
    // A second number for the same place, a third, and so on.
    std::uint64_t operator()(std::uint64_t i, std::uint64_t draw) const {
        return finish_splitmix64((*this)(i) ^ (draw + 1) * 0xd1342543de82ef95);
    }

  private:
    std::uint64_t offset_;
};

// 0 is INT_MIN, 2^32 - 1 is INT_MAX.
inline Key to_key(std::uint64_t position) {
    return static_cast<Key>(static_cast<std::uint32_t>(position) ^ 0x80000000u);
}

// floor(a * b / c) for c > 0. A division of 128 bits takes several times as long; it is rarely
// needed.
inline std::uint64_t scale(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    std::uint64_t product = 0;
    if (!__builtin_mul_overflow(a, b, &product)) return product / c;
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(a) * b / c);
}

inline std::uint64_t upper_half(std::uint64_t bits) { return bits >> 32; }

// Key i of n evenly spaced ones, from INT_MIN to INT_MAX.
inline Key sorted_key(std::uint64_t i, std::uint64_t n) {
    return to_key(scale(i, 0xffffffff, std::max<std::uint64_t>(n - 1, 1)));
}

// A random permutation of [0, n): a Feistel network over the next even number of bits. It is
// applied again until the result is within [0, n), which keeps it a bijection (Black and Rogaway
// 2002).
class Permutation {
  public:
    Permutation(std::uint64_t n, const RandomAt& random)
        : n_(n), half_bits_(std::max<std::uint64_t>(1, (std::bit_width(n - 1) + 1) / 2)) {
        for (std::size_t round = 0; round < keys_.size(); ++round) keys_[round] = random(round);
    }
    std::uint64_t operator()(std::uint64_t i) const {
        do {
            i = once(i);
        } while (i >= n_);
        return i;
    }

  private:
    std::uint64_t once(std::uint64_t i) const {
        const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
        std::uint64_t left = i >> half_bits_, right = i & mask;
        for (const std::uint64_t key : keys_) {
            const std::uint64_t next = left ^ (finish_splitmix64(right ^ key) & mask);
            left = right;
            right = next;
        }
        return left << half_bits_ | right;
    }

    std::uint64_t n_;
    std::uint64_t half_bits_;
    std::array<std::uint64_t, 6> keys_{};
};

// Key i of n of a family (key_families.cpp); nullptr if none has that name.
using KeyOfFamily = Key (*)(std::uint64_t i, std::uint64_t n, const RandomAt& random);
KeyOfFamily family_of(std::string_view name);

inline constexpr std::uint64_t kShortestStep = 2, kLongestStep = 65536;

// "stairs-down-4096": every step of the stairs has 4096 equal keys.
struct Stairs {
    enum class Order { kUp, kDown, kShuffled };
    Order order;
    std::uint64_t step;
};
std::optional<Stairs> stairs_of(std::string_view name);

}  // namespace course::sorting
