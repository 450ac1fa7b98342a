// SPDX-License-Identifier: MIT
// Shares whose quotients by a root are as hard to round as possible.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

// A share whose quotient by a root with the odd mantissa `root` lies as near as possible to the
// middle of two floats. That middle is an odd number of 25 bits, and 2^bits * share = middle * root
// + rest with rest = 1 or -1; so modulo 2^bits the middle is -rest / root. 0: there is no such
// share.
__device__ inline float hard_share(std::uint64_t root, int bits, int rest) {
    std::uint64_t inverse = 1;  // of root modulo 2^64: each step doubles the number of right bits
    for (int step = 0; step < 6; ++step) inverse *= 2 - root * inverse;
    std::uint64_t middle = (rest == 1 ? 0 - inverse : inverse) % (std::uint64_t{1} << bits);
    if (bits == 24) middle += std::uint64_t{1} << 24;
    const std::uint64_t share = (middle * root + rest) >> bits;
    const bool fits = middle >> 24 == 1 && share >> 23 == 1;
    return fits ? static_cast<float>(share) : 0.0f;
}

constexpr int kHardShares = 4;  // of a root

// Number `which` of them for any root from 1 on. 0: there is none.
__device__ inline float hard_share(float root, int which) {
    const auto bits = static_cast<std::uint32_t>(__float_as_int(root));
    const std::uint64_t mantissa = (bits & 0x7fffff) | 0x800000;
    if (mantissa % 2 == 0) return 0.0f;
    return hard_share(mantissa, 24 + which / 2, which % 2 == 0 ? -1 : 1);
}
