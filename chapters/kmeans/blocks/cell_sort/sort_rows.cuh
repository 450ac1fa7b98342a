// SPDX-License-Identifier: MIT
// The first half of the sort by cells: the partition by rows, and how much room each row needs.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "blocks/cell_sort/sort_tiles.cuh"
#include "blocks/grid/grid.cuh"
#include "limit/01_fused_sums/fused_sums.cuh"

namespace kmeans {

// The row of a point is known from its position in the list, so its key needs only the other bits:
// the offset in x, and behind it that in y within the row. They fit 32 bits if the grid is narrow.
template <class Key>
__device__ Key key_of(const Cells& cells, unsigned int u, unsigned int v) {
    return static_cast<Key>(u) << cells.shift | (v & ((1u << cells.shift) - 1));
}

// Counts the points of each row of a grid, and finds the box of all points. Points may be outside
// of the grid: then the counts are of no use. `box` is as in find_box_kernel.
__global__ void __launch_bounds__(kTileThreads<Word>)
    count_rows_kernel(const int2* __restrict__ points, std::int64_t count, Cells cells,
                      unsigned int* __restrict__ row_counts, int* __restrict__ box) {
    __shared__ unsigned int s_counts[2 * kMaxSide];  // two, so that fewer warps meet in a word
    unsigned int* s_mine = &s_counts[threadIdx.x / 32 % 2 * kMaxSide];
    for (int i = threadIdx.x; i < 2 * kMaxSide; i += kTileThreads<Word>) s_counts[i] = 0;
    __syncthreads();  // counts must be zero before a thread adds
    int2 low = points[0], high = low;
    const std::int64_t stride = gridDim.x * kTilePoints<Word>;
    for (std::int64_t begin = blockIdx.x * kTilePoints<Word>; begin < count; begin += stride) {
        int2 mine[kPerThread<Word>];
        const int number = load_points<kTileThreads<Word>>(mine, points, count, begin);
#pragma unroll
        for (int i = 0; i < kPerThread<Word>; ++i) {
            if (i >= number) continue;
            low = make_int2(min(low.x, mine[i].x), min(low.y, mine[i].y));
            high = make_int2(max(high.x, mine[i].x), max(high.y, mine[i].y));
            const unsigned int v = static_cast<unsigned int>(mine[i].y) - cells.low.y;
            atomicAdd(&s_mine[min(v >> cells.shift, kMaxSide - 1u)], 1);
        }
    }
    merge_box(low, high, box);
    __syncthreads();  // all points of the block must have been counted
    for (int i = threadIdx.x; i < cells.columns; i += kTileThreads<Word>) {
        const unsigned int sum = s_counts[i] + s_counts[kMaxSide + i];
        if (sum > 0) atomicAdd(&row_counts[i], sum);
    }
}

// Instead of all points, one of kRowStep can be counted if this finds kRowSample points of an
// average row. It may be fewer if it still finds kMuchSample of them. Each row gets room for so
// many points more than expected: kRowSlack standard deviations of its count.
constexpr int kRowStep = 64, kRowSlack = 6;
constexpr int kRowSample = 256, kMuchSample = 640;

// Counts the points 0, step, 2 step and so on, `sample` of them, by rows of a grid.
__global__ void __launch_bounds__(kSampleThreads)
    sample_rows_kernel(const int2* __restrict__ points, std::int64_t sample, std::int64_t step,
                       Cells cells, unsigned int* __restrict__ row_counts) {
    __shared__ unsigned int s_counts[kMaxSide];
    for (int i = threadIdx.x; i < kMaxSide; i += kSampleThreads) s_counts[i] = 0;
    __syncthreads();  // counts must be zero before a thread adds
    const std::int64_t stride = std::int64_t{gridDim.x} * kSampleThreads;
    std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kSampleThreads + threadIdx.x;
    for (; i < sample; i += stride) {
        const unsigned int v = static_cast<unsigned int>(points[i * step].y) - cells.low.y;
        atomicAdd(&s_counts[min(v >> cells.shift, kMaxSide - 1u)], 1);
    }
    __syncthreads();  // all points of the block must have been counted
    for (int row = threadIdx.x; row < kMaxSide; row += kSampleThreads) {
        if (s_counts[row] > 0) atomicAdd(&row_counts[row], s_counts[row]);
    }
}

// One block: where the rows begin, kMaxSide + 1 words, and a copy of it, `cursors`, which the
// partition by rows moves on. The counts are those of one point of `step`.
__global__ void __launch_bounds__(kMaxSide)
    place_rows_kernel(const unsigned int* __restrict__ row_counts, int step,
                      unsigned int* __restrict__ row_starts, unsigned int* __restrict__ cursors) {
    __shared__ unsigned int s_warps[32];
    const int row = threadIdx.x;
    unsigned int room = row_counts[row];
    if (step > 1) {
        room += static_cast<int>(kRowSlack * sqrtf(static_cast<float>(room))) + 8;
        room *= step;
    }
    const unsigned int start = scan_block(room, s_warps);
    row_starts[row] = cursors[row] = start;
    if (row == kMaxSide - 1) row_starts[kMaxSide] = start + room;
}

// One block per tile. Sets *failed to 1 if a point is outside of the grid or has no room in its
// row.
template <class Key>
__global__ void __launch_bounds__(kTileThreads<Key>, kTileBlocks<Key>)
    partition_by_rows_kernel(const int2* __restrict__ points, std::int64_t count, Cells cells,
                             const unsigned int* __restrict__ row_starts,
                             unsigned int* __restrict__ cursors, Key* __restrict__ keys,
                             int* __restrict__ failed) {
    alignas(16) extern __shared__ unsigned char s_stage[];
    __shared__ TileBins s_tile;
    Key* s_keys = reinterpret_cast<Key*>(s_stage);
    auto* s_rows = reinterpret_cast<unsigned short*>(s_keys + kTilePoints<Key>);
    s_tile.clear<Key>();
    Key mine[kPerThread<Key>];
    unsigned int rows[kPerThread<Key>], all_bits = 0;
    int2 loaded[kPerThread<Key>];
    const int number =
        load_points<kTileThreads<Key>>(loaded, points, count, blockIdx.x * kTilePoints<Key>);
#pragma unroll
    for (int i = 0; i < kPerThread<Key>; ++i) {
        if (i >= number) continue;
        const unsigned int u = static_cast<unsigned int>(loaded[i].x) - cells.low.x;
        const unsigned int v = static_cast<unsigned int>(loaded[i].y) - cells.low.y;
        mine[i] = key_of<Key>(cells, u, v);
        rows[i] = min(v >> cells.shift, kMaxSide - 1u);
        all_bits |= u | v;
    }
    if (all_bits >> cells.shift >> cells.bits > 0) atomicOr(failed, 1);
    const auto put = [&](int i, unsigned int position, unsigned int row) {
        s_keys[position] = mine[i];
        s_rows[position] = static_cast<unsigned short>(row);
    };
    sort_tile<Key>(s_tile, rows, number, cursors, put, row_starts + 1, failed);
    write_tile<true>(s_tile, s_keys, keys, [&](unsigned int position) { return s_rows[position]; });
}

}  // namespace kmeans
