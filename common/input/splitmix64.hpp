// SPDX-License-Identifier: MIT
// The generator splitmix64 (Steele, Lea and Flood 2014; Vigna's public-domain code).
#pragma once

#include <cstdint>

namespace course {

inline constexpr std::uint64_t kSplitmix64Step = 0x9e3779b97f4a7c15;

// Mixes the bits of `z`; a bijection. Used alone, it gives random numbers by position.
constexpr std::uint64_t finish_splitmix64(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

constexpr std::uint64_t next_splitmix64(std::uint64_t& state) {
    state += kSplitmix64Step;
    return finish_splitmix64(state);
}

}  // namespace course
