// SPDX-License-Identifier: MIT
// Random numbers that are the same on every platform for the same seed. The distributions of
// <random> do not guarantee that.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace course {

// xoshiro256** 1.0 (Blackman and Vigna 2018, https://prng.di.unimi.it). As its authors advise,
// splitmix64 fills the state from the seed. The period is 2^256 - 1. Not for secrets.
class Random {
  public:
    explicit Random(std::uint64_t seed);

    // 64 random bits.
    std::uint64_t next() noexcept {
        const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
        const std::uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

    // In [0, 1): a multiple of 2^-53.
    double uniform() noexcept { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

    // In [a, b), up to rounding.
    double uniform(double a, double b) noexcept { return a + (b - a) * uniform(); }

    // Mean 0, variance 1, by Marsaglia's polar method. Its second number is kept for the next call.
    double normal() noexcept;

    // In [0, n), without bias (Lemire 2019). Errors: std::invalid_argument for n = 0.
    std::uint64_t below(std::uint64_t n);

  private:
    std::array<std::uint64_t, 4> state_{};
    double spare_normal_ = 0.0;
    bool has_spare_normal_ = false;
};

}  // namespace course
