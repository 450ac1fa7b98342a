// SPDX-License-Identifier: MIT
// Rounded additions as whole numbers: what a positive number adds to the bits of a float, as long
// as the sum stays in its binade, which is between two powers of two.
#pragma once

#include <cuda_runtime.h>

#include "blocks/ordered_sum/ordered_sum.cuh"

namespace storms {

constexpr int kBinade = 1 << 23;  // floats between two powers of two

// The bits of the power of two below a sum; 0 for 0.
__device__ __forceinline__ int binade_of(float sum) { return __float_as_int(sum) & -kBinade; }

// What several numbers add to the bits: units from an even sum on; how many more (-1, 0 or 1) from
// an odd one on.
struct Units {
    int even, more;
};

// In one word, which is negative if they differ.
__device__ __forceinline__ int word_of(Units units) {
    return units.more == 0 ? units.even : ~(2 * units.even + (units.more > 0 ? 1 : 0));
}

__device__ __forceinline__ Units units_of(int word) {
    if (word >= 0) return {min(word, kBinade), 0};  // so that no sum of words overflows
    return {~word / 2, ~word % 2 != 0 ? 1 : -1};
}

// Of one number, from the power of two on whose bits are `binade`. is_tie: it lies in the middle of
// two floats, where the even one is taken.
__device__ __forceinline__ int rounded_units(int binade, float number, bool& is_tie) {
    const int units = __float_as_int(__int_as_float(binade) + number) - binade;
    is_tie = __float_as_int(__int_as_float(binade + 1) + number) - (binade + 1) != units;
    return units;
}

// Of a warp's numbers, one per lane, in the order of the lanes.
__device__ __forceinline__ Units units_of_warp(int binade, float number) {
    bool is_tie;
    const int units = rounded_units(binade, number, is_tie);
    if (!__any_sync(~0u, is_tie)) return {__reduce_add_sync(~0u, units), 0};
    // One after another, from an even and from an odd sum on:
    float even = __int_as_float(binade), odd = __int_as_float(binade + 1);
    for (int i = 0; i < 32; ++i) {
        const float next = __shfl_sync(~0u, number, i);
        even += next;
        odd += next;
    }
    return {__float_as_int(even) - binade, __float_as_int(odd) - __float_as_int(even) - 1};
}

// The bits that this lane starts with, if the lanes add their units to `bits` one after another.
// own: of this lane; then own.even is what it adds from this start on. No sum may leave its binade.
__device__ __forceinline__ unsigned add_lanes_below(unsigned bits, Units& own) {
    const int lane = threadIdx.x % 32;
    unsigned start = bits + sum_below(own.even);
    for (unsigned ties = __ballot_sync(~0u, own.more != 0); ties != 0; ties &= ties - 1) {
        const int tie = __ffs(ties) - 1;
        const bool odd = __shfl_sync(~0u, start, tie) % 2 != 0;
        const int more = __shfl_sync(~0u, own.more, tie);
        if (odd && lane == tie) own.even += more;
        if (odd && lane > tie) start += more;
    }
    return start;
}

}  // namespace storms
