// SPDX-License-Identifier: MIT
// How the ranks share n elements.
#pragma once

#include <algorithm>
#include <cstdint>

namespace course {

// Elements begin to end - 1.
struct Slice {
    std::int64_t begin = 0;
    std::int64_t end = 0;

    std::int64_t size() const { return end - begin; }
};

// Neighbouring ranks have neighbouring slices. The first n % ranks slices have one element more;
// with fewer elements than ranks, the last slices are empty.
constexpr Slice slice_of(std::int64_t n, int rank, int ranks) {
    const std::int64_t least = n / ranks, more = n % ranks;
    const auto begin_of = [&](std::int64_t r) { return least * r + std::min(r, more); };
    return {begin_of(rank), begin_of(rank + 1)};
}

}  // namespace course
