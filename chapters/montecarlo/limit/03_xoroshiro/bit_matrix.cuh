// SPDX-License-Identifier: MIT
// Jumps along the sequence of stage limit/03_xoroshiro: matrices over GF(2).
//
// A step of the generator is linear: each bit of the new state is the XOR of some bits of the old
// one. So n steps are the n-th power of the matrix of one step (Haramoto and others, "Efficient
// Jump Ahead for F2-Linear Random Number Generators", 2008).
#pragma once

#include <cuda_runtime.h>

#include <bit>
#include <cstdint>

namespace montecarlo {

using State = unsigned long long;  // 64 bits

struct BitMatrix {
    State columns[64];  // columns[c] is the image of the state with only bit c
};

// matrix * state.
__host__ __device__ inline State product(const BitMatrix& matrix, State state) {
    State sum = 0;
    for (int c = 0; c < 64; ++c) sum ^= matrix.columns[c] & (State{0} - (state >> c & 1));
    return sum;
}

// a * b: first b, then a.
inline BitMatrix product(const BitMatrix& a, const BitMatrix& b) {
    BitMatrix both;
    for (int c = 0; c < 64; ++c) both.columns[c] = product(a, b.columns[c]);
    return both;
}

// matrix^exponent, by square and multiply.
inline BitMatrix power_of(const BitMatrix& matrix, std::uint64_t exponent) {
    BitMatrix power;
    for (int c = 0; c < 64; ++c) power.columns[c] = State{1} << c;
    for (int bit = std::bit_width(exponent) - 1; bit >= 0; --bit) {
        power = product(power, power);
        if (exponent >> bit & 1) power = product(power, matrix);
    }
    return power;
}

}  // namespace montecarlo
