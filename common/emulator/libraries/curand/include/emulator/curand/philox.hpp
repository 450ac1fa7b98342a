// SPDX-License-Identifier: MIT
// cuRAND's Philox4x32-10 states.
//
// Source: J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3",
// SC'11. The state has NVIDIA's size and members.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "pseudo_state.hpp"

struct curandStatePhilox4_32_10 {
    uint4 ctr;
    uint4 output;
    uint2 key;
    unsigned int STATE;
    int boxmuller_flag;
    int boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

namespace emulator {

// Ten rounds of the Philox bijection on a 128-bit counter.
inline uint4 philox(uint4 counter, uint2 key) {
    constexpr std::uint64_t kMultiplierX = 0xD2511F53;
    constexpr std::uint64_t kMultiplierZ = 0xCD9E8D57;
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t product_x = kMultiplierX * counter.x;
        const std::uint64_t product_z = kMultiplierZ * counter.z;
        counter = make_uint4(static_cast<unsigned int>(product_z >> 32) ^ counter.y ^ key.x,
                             static_cast<unsigned int>(product_z),
                             static_cast<unsigned int>(product_x >> 32) ^ counter.w ^ key.y,
                             static_cast<unsigned int>(product_x));
        key.x += 0x9E3779B9u;  // the golden ratio
        key.y += 0xBB67AE85u;  // the square root of 3, minus 1
    }
    return counter;
}

// Adds to the low half of the counter; a carry goes into the high half.
inline void advance_philox(curandStatePhilox4_32_10& state, std::uint64_t n) {
    const std::uint64_t old_low = static_cast<std::uint64_t>(state.ctr.y) << 32 | state.ctr.x;
    const std::uint64_t low = old_low + n;
    state.ctr.x = static_cast<unsigned int>(low);
    state.ctr.y = static_cast<unsigned int>(low >> 32);
    if (low < old_low && ++state.ctr.z == 0) ++state.ctr.w;
    state.output = philox(state.ctr, state.key);
}

}  // namespace emulator

inline void skipahead(unsigned long long n, curandStatePhilox4_32_10* state) {
    const unsigned int position = state->STATE + static_cast<unsigned int>(n & 3);
    state->STATE = position & 3;
    emulator::advance_philox(*state, n / 4 + position / 4);
}
inline void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10* state) {
    const std::uint64_t high = (static_cast<std::uint64_t>(state->ctr.w) << 32 | state->ctr.z) + n;
    state->ctr.z = static_cast<unsigned int>(high);
    state->ctr.w = static_cast<unsigned int>(high >> 32);
    state->output = emulator::philox(state->ctr, state->key);
}
inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                        unsigned long long offset, curandStatePhilox4_32_10* state) {
    state->ctr = make_uint4(0, 0, 0, 0);
    state->key = make_uint2(static_cast<unsigned int>(seed), static_cast<unsigned int>(seed >> 32));
    state->STATE = 0;
    emulator::clear_box_muller(state);
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}
inline unsigned int curand(curandStatePhilox4_32_10* state) {
    const unsigned int position = state->STATE;
    const unsigned int result = position == 0   ? state->output.x
                                : position == 1 ? state->output.y
                                : position == 2 ? state->output.z
                                                : state->output.w;
    if (position == 3) emulator::advance_philox(*state, 1);
    state->STATE = (position + 1) & 3;
    return result;
}
// The next four draws.
inline uint4 curand4(curandStatePhilox4_32_10* state) {
    const uint4 first = state->output;
    emulator::advance_philox(*state, 1);
    const uint4 second = state->output;
    switch (state->STATE) {
        case 1:
            return make_uint4(first.y, first.z, first.w, second.x);
        case 2:
            return make_uint4(first.z, first.w, second.x, second.y);
        case 3:
            return make_uint4(first.w, second.x, second.y, second.z);
        default:
            return first;
    }
}
