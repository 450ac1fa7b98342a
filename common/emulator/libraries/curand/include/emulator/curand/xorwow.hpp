// SPDX-License-Identifier: MIT
// cuRAND's XORWOW states.
//
// Source: G. Marsaglia, "Xorshift RNGs", J. Stat. Software 8(14), 2003, section 3. Seeding and
// jumps as documented and observed for cuRAND. The state has NVIDIA's size and members.
#pragma once

#include <cstdint>

#include "pseudo_state.hpp"

struct curandStateXORWOW {
    unsigned int d, v[5];
    int boxmuller_flag;
    int boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef curandStateXORWOW curandStateXORWOW_t;

namespace emulator {

// Advances the five words of a XORWOW state by n steps, or by n * 2^67 (xorwow_jumps.cpp).
void skip_xorwow(unsigned int (&words)[5], std::uint64_t n);
void skip_xorwow_sequences(unsigned int (&words)[5], std::uint64_t n);

constexpr unsigned int kXorwowWeylStep = 362437;

}  // namespace emulator

// Advances the state by n draws, or by n subsequences of 2^67 draws.
inline void skipahead(unsigned long long n, curandStateXORWOW* state) {
    emulator::skip_xorwow(state->v, n);
    state->d += emulator::kXorwowWeylStep * static_cast<unsigned int>(n);
}
inline void skipahead_sequence(unsigned long long n, curandStateXORWOW* state) {
    emulator::skip_xorwow_sequences(state->v, n);  // d would wrap a whole number of times
}
inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                        unsigned long long offset, curandStateXORWOW* state) {
    const unsigned int low = 1099087573u * (static_cast<unsigned int>(seed) ^ 0xaad26b49u);
    const unsigned int high = 2591861531u * (static_cast<unsigned int>(seed >> 32) ^ 0xf7dcefddu);
    state->d = 6615241u + high + low;
    state->v[0] = 123456789u + low;
    state->v[1] = 362436069u ^ low;
    state->v[2] = 521288629u + high;
    state->v[3] = 88675123u ^ high;
    state->v[4] = 5783321u + low;
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
    emulator::clear_box_muller(state);
}
inline unsigned int curand(curandStateXORWOW* state) {
    const unsigned int t = state->v[0] ^ state->v[0] >> 2;
    const unsigned int last = state->v[4];
    state->v[0] = state->v[1];
    state->v[1] = state->v[2];
    state->v[2] = state->v[3];
    state->v[3] = last;
    state->v[4] = last ^ last << 4 ^ t ^ t << 1;
    state->d += emulator::kXorwowWeylStep;
    return state->v[4] + state->d;
}
