// SPDX-License-Identifier: MIT
// CUB's BlockHistogram: counts of the bins of a tile. Both algorithms count with atomic operations
// here.
#pragma once

#include <emulator/cub/parts.hpp>

namespace cub {

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

template <class T, int kX, int kItems, int kBins,
          BlockHistogramAlgorithm kAlgorithm = BLOCK_HISTO_SORT, int kY = 1, int kZ = 1,
          int kArch = 0>
class BlockHistogram {
    using Group = emulator::CubBlock<kX * kY * kZ>;

  public:
    using TempStorage = emulator::CubStorage<char, 1>;
    BlockHistogram() = default;
    explicit BlockHistogram(TempStorage&) {}

    template <class Counter>
    void InitHistogram(Counter (&histogram)[kBins]) {
        for (int bin = Group::rank(); bin < kBins; bin += Group::kCount) histogram[bin] = 0;
    }
    template <class Counter>
    void Histogram(const T (&items)[kItems], Counter (&histogram)[kBins]) {
        InitHistogram(histogram);
        Group::synchronize();
        Composite(items, histogram);
    }
    template <class Counter>
    void Composite(const T (&items)[kItems], Counter (&histogram)[kBins]) {
        for (const T& item : items) {
            atomicAdd(&histogram[static_cast<unsigned int>(item)], Counter{1});
        }
    }
};

}  // namespace cub
