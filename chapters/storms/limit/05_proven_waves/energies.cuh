// SPDX-License-Identifier: MIT
// The energy of a particle in a cell, for three types of a position.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace storms {

// Waves of these two kinds are proven (bombard_layer): below kNear, a distance plus 1 fits in 32
// bits; below kShort, divide_by_short_root() is exact.
constexpr std::int64_t kNear = std::int64_t{1} << 30;
constexpr std::int64_t kShort = std::int64_t{1} << 20;

// share / sqrtf(d), correctly rounded, for an integer d >= 1 and a share that is 0 or no denormal.
// A multiply-add rounds once, so d - guess^2 and share - root * quotient are exact.
// approximation: of 1 / sqrtf(d); its error is the GPU's own
__device__ __forceinline__ float divide_by_root(float share, float d, float approximation) {
    const float guess = d * approximation;
    const float root = fmaf(fmaf(-guess, guess, d), 0.5f * approximation, guess);
    // Newton's step gives a little less than 1 / root. Without 2^-21 of the step more, a root of
    // mantissa 2^24 - 1 would get an inverse that is one unit too small.
    const float error = fmaf(-root, approximation, 1.0f);
    const float step = fmaf(fabsf(error), 0x1p-21f, error);
    const float inverse = fmaf(step, approximation, approximation);
    const float quotient = share * inverse;
    return fmaf(fmaf(-root, quotient, share), inverse, quotient);
}

// The same for a distance d up to 2^21 and any approximation within the documented 2 units of the
// last place. tests/chapters/storms/short_roots_test.cu tries them all.
__device__ __forceinline__ float divide_by_short_root(float share, float d, float approximation) {
    const float guess = d * approximation;
    const float root = fmaf(fmaf(-guess, guess, d), 0.5f * approximation, guess);
    const float inverse = fmaf(fmaf(-root, approximation, 1.0f), approximation, approximation);
    const float quotient = share * inverse;
    return fmaf(fmaf(-root, quotient, share), inverse, quotient);
}

// rsqrtf() without its test for denormals, which it takes for 0.
__device__ __forceinline__ float approximate_inverse_root(float d) {
    float result;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(d));
    return result;
}

// Adds the energy of the particle at `position` to the cell at k: for any wave, and for two kinds
// of proven waves (bombard_layer).
__device__ __forceinline__ void add_energy(float& own, std::int64_t k, std::int64_t position,
                                           float share, float threshold) {
    const auto d = static_cast<float>((position < k ? k - position : position - k) + 1);
    const float e = divide_by_root(share, d, rsqrtf(d));
    if (fabsf(e) >= threshold) own += e;
}
__device__ __forceinline__ void add_energy(float& own, int k, int position, float share, float) {
    const auto d = static_cast<float>(__sad(position, k, 1u));  // the distance and 1
    own += divide_by_root(share, d, approximate_inverse_root(d));
}
__device__ __forceinline__ void add_energy(float& own, float k, float position, float share,
                                           float) {
    const float d = fabsf(position - k) + 1;
    own += divide_by_short_root(share, d, approximate_inverse_root(d));
}

}  // namespace storms
