// SPDX-License-Identifier: MIT
// The sums of aligned_sum.hpp for operands that are neither huge nor tiny, many at a time.
#pragma once

#include <cstdint>

namespace emulator {

constexpr int kMaxElements = 512;  // of one operand

// Whether all are 0, or between 2^-28 and 2^28 in magnitude. `count` is a multiple of 32.
bool are_moderate(const float* values, int count);

// Half-precision numbers, as their bits. `count` is a multiple of 8.
void convert_halves(const std::uint16_t* halves, int count, float* values);

// c += a b: m x k times k x n elements, row by row, all of them moderate. Each sum of `group`
// products and the element of c is aligned, cut off and rounded toward zero, one group after the
// other. `last_sums` gets the last of these sums before it is rounded. n is a multiple of 8, k one
// of `group`, which is 4 or 16.
void add_moderate(int m, int n, int k, int group, const float* a, const float* b, float* c,
                  double* last_sums);

}  // namespace emulator
