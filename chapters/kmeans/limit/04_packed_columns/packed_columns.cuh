// SPDX-License-Identifier: MIT
// Columns of one word, for points within a box of less than 2^21 coordinates on each side.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "03_int2/labels_and_sums.cuh"
#include "limit/01_fused_sums/fused_sums.cuh"

namespace kmeans {

// The same as WideColumns for offsets below 2^21, in one word: bits 0-27 are the sum of x,
// bits 28-55 that of y, and bits 56-63 the number of points.
struct PackedColumns {
    static constexpr int kBytes = 8;
    static constexpr int kMaxPoints = 128;  // 128 * (2^21 - 1) < 2^28
    static constexpr unsigned int kMaxOffset = (1u << 21) - 1;

    fused::Word* words;

    __device__ PackedColumns(void* memory, int) : words(static_cast<fused::Word*>(memory)) {}

    __device__ void add(int column, unsigned int u, unsigned int v) const {
        words[column] += u | fused::Word{v} << 28 | fused::Word{1} << 56;
    }
    __device__ Sum take(int column) const {
        constexpr fused::Word kMask = (fused::Word{1} << 28) - 1;
        const fused::Word word = words[column];
        words[column] = 0;
        const auto u = static_cast<std::int64_t>(word & kMask);
        const auto v = static_cast<std::int64_t>(word >> 28 & kMask);
        const auto count = static_cast<std::int64_t>(word >> 56);
        return {u, v, count};
    }
};

}  // namespace kmeans
