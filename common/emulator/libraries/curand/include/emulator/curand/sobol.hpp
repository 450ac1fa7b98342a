// SPDX-License-Identifier: MIT
// cuRAND's states of Sobol' sequences, plain and scrambled, of 32 and 64 bits.
//
// Source: I. Antonov, V. Saleev, "An economic method of computing LP_tau-sequences", 1979: the next
// point in the order of the Gray code differs in one direction vector. A scrambled sequence starts
// at a constant of its dimension. The states have NVIDIA's sizes and members.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

#include "types.hpp"

struct curandStateSobol32 {
    unsigned int i, x, c;
    unsigned int direction_vectors[32];
};
typedef curandStateSobol32 curandStateSobol32_t;

struct curandStateScrambledSobol32 {
    unsigned int i, x, c;
    unsigned int direction_vectors[32];
};
typedef curandStateScrambledSobol32 curandStateScrambledSobol32_t;

struct curandStateSobol64 {
    unsigned long long i, x, c;
    unsigned long long direction_vectors[64];
};
typedef curandStateSobol64 curandStateSobol64_t;

struct curandStateScrambledSobol64 {
    unsigned long long i, x, c;
    unsigned long long direction_vectors[64];
};
typedef curandStateScrambledSobol64 curandStateScrambledSobol64_t;

namespace emulator {

template <class State>
concept Sobol32State =
    std::same_as<State, curandStateSobol32> || std::same_as<State, curandStateScrambledSobol32>;
template <class State>
concept Sobol64State =
    std::same_as<State, curandStateSobol64> || std::same_as<State, curandStateScrambledSobol64>;
template <class State>
concept SobolState = Sobol32State<State> || Sobol64State<State>;

// The unsigned integer that a state draws.
template <SobolState State>
using SobolBits = decltype(State::x);

template <SobolState State>
void skip_sobol(SobolBits<State> n, State* state) {
    state->i += n;
    state->x = state->c;
    SobolBits<State> gray = state->i ^ state->i >> 1;
    for (; gray != 0; gray &= gray - 1) {
        state->x ^= state->direction_vectors[std::countr_zero(gray)];
    }
}

template <SobolState State>
void init_sobol(const SobolBits<State>* vectors, SobolBits<State> constant, SobolBits<State> offset,
                State* state) {
    for (auto& vector : state->direction_vectors) vector = *vectors++;
    state->i = 0;
    state->c = constant;
    skip_sobol(offset, state);
}

}  // namespace emulator

template <emulator::Sobol32State State>
void skipahead(unsigned int n, State* state) {
    emulator::skip_sobol(n, state);
}
template <emulator::Sobol64State State>
void skipahead(unsigned long long n, State* state) {
    emulator::skip_sobol(n, state);
}

inline void curand_init(curandDirectionVectors32_t direction_vectors, unsigned int offset,
                        curandStateSobol32* state) {
    emulator::init_sobol(direction_vectors, 0u, offset, state);
}
inline void curand_init(curandDirectionVectors32_t direction_vectors, unsigned int scramble_c,
                        unsigned int offset, curandStateScrambledSobol32* state) {
    emulator::init_sobol(direction_vectors, scramble_c, offset, state);
}
inline void curand_init(curandDirectionVectors64_t direction_vectors, unsigned long long offset,
                        curandStateSobol64* state) {
    emulator::init_sobol(direction_vectors, 0ull, offset, state);
}
inline void curand_init(curandDirectionVectors64_t direction_vectors, unsigned long long scramble_c,
                        unsigned long long offset, curandStateScrambledSobol64* state) {
    emulator::init_sobol(direction_vectors, scramble_c, offset, state);
}

// The next point, of 32 or of 64 bits.
template <emulator::SobolState State>
emulator::SobolBits<State> curand(State* state) {
    constexpr int kLast = 8 * sizeof(emulator::SobolBits<State>) - 1;
    const auto point = state->x;
    const int bit = std::countr_one(state->i);
    state->x ^= state->direction_vectors[bit < kLast ? bit : kLast];
    ++state->i;
    return point;
}
