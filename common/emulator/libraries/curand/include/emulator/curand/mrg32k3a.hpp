// SPDX-License-Identifier: MIT
// cuRAND's MRG32k3a states.
//
// Source: P. L'Ecuyer, "Good parameters and implementations for combined multiple recursive random
// number generators", Operations Research 47(1), 1999; the jumps: L'Ecuyer, Simard, Chen, Kelton,
// "An object-oriented random-number package with many long streams and substreams", 2002. The state
// has NVIDIA's size and members; the seeding is what cuRAND's results show.
#pragma once

#include <cstdint>

#include "pseudo_state.hpp"

struct curandStateMRG32k3a {
    unsigned int s1[3];
    unsigned int s2[3];
    int boxmuller_flag;
    int boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef curandStateMRG32k3a curandStateMRG32k3a_t;

namespace emulator {

constexpr std::uint64_t kMrgModulus1 = 4294967087u;
constexpr std::uint64_t kMrgModulus2 = 4294944443u;

// Advances the state by n * 2^log2_unit draws (mrg_jumps.cpp); log2_unit is one of the following.
void skip_mrg(curandStateMRG32k3a& state, std::uint64_t n, int log2_unit);
constexpr int kMrgDraw = 0;
constexpr int kMrgSubsequence = 76;
constexpr int kMrgSequence = 127;

// The next value, in 1 ... kMrgModulus1.
inline std::uint64_t draw_mrg(curandStateMRG32k3a* state) {
    const std::uint64_t first =
        (1403580u * std::uint64_t{state->s1[1]} + 810728u * (kMrgModulus1 - state->s1[0])) %
        kMrgModulus1;
    state->s1[0] = state->s1[1];
    state->s1[1] = state->s1[2];
    state->s1[2] = static_cast<unsigned int>(first);
    const std::uint64_t second =
        (527612u * std::uint64_t{state->s2[2]} + 1370589u * (kMrgModulus2 - state->s2[0])) %
        kMrgModulus2;
    state->s2[0] = state->s2[1];
    state->s2[1] = state->s2[2];
    state->s2[2] = static_cast<unsigned int>(second);
    return first <= second ? first + kMrgModulus1 - second : first - second;
}

inline double mrg_uniform(curandStateMRG32k3a* state) {
    return static_cast<double>(draw_mrg(state)) * 2.3283065498378288e-10;  // 1 / kMrgModulus1
}

}  // namespace emulator

// Advances the state by n draws, by n subsequences of 2^76 draws, or by n sequences of 2^127.
inline void skipahead(unsigned long long n, curandStateMRG32k3a* state) {
    emulator::skip_mrg(*state, n, emulator::kMrgDraw);
}
inline void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a* state) {
    emulator::skip_mrg(*state, n, emulator::kMrgSubsequence);
}
inline void skipahead_sequence(unsigned long long n, curandStateMRG32k3a* state) {
    emulator::skip_mrg(*state, n, emulator::kMrgSequence);
}
inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                        unsigned long long offset, curandStateMRG32k3a* state) {
    constexpr std::uint64_t kStart = 12345;
    const std::uint64_t low = seed == 0 ? 1 : static_cast<unsigned int>(seed) ^ 0x55555555u;
    const std::uint64_t high = seed == 0 ? 1 : static_cast<unsigned int>(seed >> 32) ^ 0xaaaaaaaau;
    for (int i = 0; i < 3; ++i) {
        const bool is_middle = i == 1;
        state->s1[i] =
            static_cast<unsigned int>((is_middle ? high : low) * kStart % emulator::kMrgModulus1);
        state->s2[i] =
            static_cast<unsigned int>((is_middle ? low : high) * kStart % emulator::kMrgModulus2);
    }
    skipahead_subsequence(subsequence, state);
    skipahead(offset, state);
    emulator::clear_box_muller(state);
}
inline unsigned int curand(curandStateMRG32k3a* state) {
    constexpr double kStretch = 1.000000048662;  // to the range of 32 bits
    return static_cast<unsigned int>(static_cast<double>(emulator::draw_mrg(state)) * kStretch);
}
