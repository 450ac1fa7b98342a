// SPDX-License-Identifier: MIT
// Stages 13 to 15: the sums of the points of each cell, which are computed once.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "device/cell_runs.cuh"
#include "device/cell_sort.cuh"
#include "device/sort_tiles.cuh"

namespace kmeans {

// Sums of offsets from the corner of the cells: (columns + 1) words per row, as in
// SortedPoints::starts.
struct CellSums {
    Word *u, *v;
};

// Of a cell with so many points.
__device__ inline Sum sum_of(const CellSums& sums, std::int64_t cell, unsigned int points) {
    return {static_cast<std::int64_t>(sums.u[cell]), static_cast<std::int64_t>(sums.v[cell]),
            points};
}

constexpr int kSumThreads = 256;
constexpr int kSumLoads = 8;  // of a lane, under way at once
constexpr std::int64_t kMaxChunk = 1 << 16;  // so many 16-bit numbers have a sum of 32 bits

// Adds the numbers of all lanes. Wide ones are added in halves.
template <class Key>
__device__ Word sum_offsets(unsigned int low, unsigned int high) {
    const Word sum = __reduce_add_sync(kAllLanes, low);
    if (sizeof(Key) == 4) return sum;
    return sum + (static_cast<Word>(__reduce_add_sync(kAllLanes, high)) << 16);
}

struct CellSum {
    Word u, v;
};

// The points of a cell from `begin` to `end`, at most kMaxChunk of them, by a warp.
template <class Key>
__device__ CellSum sum_cell(const SortedPoints<Key>& sorted, int row, int column,
                            unsigned int begin, unsigned int end) {
    const int shift = sorted.cells.shift;
    const unsigned int mask = (1u << shift) - 1;
    // In a narrow grid, 2^16 offsets within a cell fit 32 bits.
    constexpr unsigned int kLow = sizeof(Key) == 4 ? ~0u : 0xffff;
    unsigned int u_low = 0, v_low = 0, u_high = 0, v_high = 0;
    const int number = static_cast<int>(end - begin);
    for (int first = threadIdx.x % 32; first < number; first += 32 * kSumLoads) {
        Key keys[kSumLoads];
#pragma unroll
        for (int i = 0; i < kSumLoads; ++i) {  // a key of 0 adds nothing
            keys[i] = first + 32 * i < number ? sorted.keys[begin + first + 32 * i] : 0;
        }
#pragma unroll
        for (int i = 0; i < kSumLoads; ++i) {
            const unsigned int u = sorted.u_of(keys[i]) & mask, v = sorted.v_in_row(keys[i]);
            u_low += u & kLow;
            v_low += v & kLow;
            u_high += u >> 16;
            v_high += v >> 16;
        }
    }
    return {sum_offsets<Key>(u_low, u_high) + (static_cast<Word>(number) * column << shift),
            sum_offsets<Key>(v_low, v_high) + (static_cast<Word>(number) * row << shift)};
}

// One warp per `chunk` points, so that crowded cells have many warps. `sums` must be zero.
template <class Key>
__global__ void __launch_bounds__(kSumThreads)
    sum_cells_kernel(SortedPoints<Key> sorted, std::int64_t count, unsigned int chunk,
                     CellSums sums) {
    const Cells& cells = sorted.cells;
    const std::int64_t warp = (blockIdx.x * kSumThreads + threadIdx.x) / 32;
    if (warp * chunk >= count) return;
    auto begin = static_cast<unsigned int>(warp * chunk);  // of the points that are left
    const auto end = static_cast<unsigned int>(min(warp * chunk + chunk, count));
    const int lane = threadIdx.x % 32;
    for (int row = sorted.row_of(begin); row < cells.columns && begin < end; ++row) {
        const unsigned int* starts = sorted.starts_of(row);
        const unsigned int row_end = min(starts[cells.columns], end);
        if (row_end <= begin) continue;
        // 32 cells at a time, from that of the first point on. Each lane knows where one ends.
        int column = static_cast<int>(sorted.keys[begin] >> (2 * cells.shift));
        for (; column < cells.columns && begin < row_end; column += 32) {
            const unsigned int mine = min(starts[min(column + lane + 1, cells.columns)], end);
            for (int i = 0; i < 32; ++i) {
                const unsigned int cell_end = __shfl_sync(kAllLanes, mine, i);
                if (cell_end <= begin) continue;
                const CellSum sum = sum_cell(sorted, row, column + i, begin, cell_end);
                const std::int64_t cell = starts - sorted.starts + column + i;
                if (lane == 0) atomicAdd(&sums.u[cell], sum.u);
                if (lane == 1) atomicAdd(&sums.v[cell], sum.v);
                begin = cell_end;
            }
        }
    }
}

// The sum of a number of each lane.
__device__ inline std::int64_t sum_over_lanes(std::int64_t number) {
    for (int distance = 16; distance > 0; distance /= 2) {
        number += __shfl_xor_sync(kAllLanes, number, distance);
    }
    return number;
}

// Adds the sums of cells with one candidate, which all lanes have, to those of lane c for label c.
// Every lane of a warp must call this; those without a sum have a count of 0.
__device__ inline void add_by_label(const Sum& sum, unsigned int candidates, Sum& mine) {
    unsigned int rest = __ballot_sync(kAllLanes, sum.count > 0);
    while (rest != 0) {  // mostly, the cells of a warp have the same label
        const int first = __ffs(static_cast<int>(rest)) - 1;
        const unsigned int label = __shfl_sync(kAllLanes, candidates, first);
        const bool same = sum.count > 0 && candidates == label;
        const std::int64_t x = sum_over_lanes(same ? sum.x : 0);
        const std::int64_t y = sum_over_lanes(same ? sum.y : 0);
        const std::int64_t count = sum_over_lanes(same ? sum.count : 0);
        rest &= ~__ballot_sync(kAllLanes, same);
        if (label != 1u << threadIdx.x % 32) continue;
        mine.x += x;
        mine.y += y;
        mine.count += count;
    }
}

// Those of the candidates of a larger box that may be the nearest of a point in this one.
__device__ inline unsigned int candidates_among(unsigned int candidates, const Box& box,
                                                const int2* centroids) {
    if ((candidates & (candidates - 1)) == 0) return candidates;
    const int b = nearest_among(candidates, box.centre(), centroids);
    const int2 other = centroids[b];
    unsigned int left = 1u << b;
    for (; candidates != 0; candidates &= candidates - 1) {
        const int a = __ffs(static_cast<int>(candidates)) - 1;
        const int2 mine = centroids[a];
        const int2 corner = make_int2(mine.x > other.x ? box.high.x : box.low.x,
                                      mine.y > other.y ? box.high.y : box.low.y);
        if (counts_as_nearer(corner, a, b, centroids)) left |= 1u << a;
    }
    return left;
}

// The memory of the sums, and the launch.
class CellSumsMemory {
  public:
    explicit CellSumsMemory(std::int64_t words) : d_u_(words), d_v_(words) {}

    // Does not wait.
    template <class Key>
    CellSums sum(const SortedPoints<Key>& sorted, std::int64_t count) {
        cuda_check(cudaMemsetAsync(d_u_.data(), 0, d_u_.bytes()));
        cuda_check(cudaMemsetAsync(d_v_.data(), 0, d_v_.bytes()));
        constexpr int kWarps = kSumThreads / 32;
        const CellSums sums = {d_u_.data(), d_v_.data()};
        const std::int64_t warps =
            std::int64_t{kWarps} * blocks_at_once(sum_cells_kernel<Key>, kSumThreads, count);
        const std::int64_t chunk = std::clamp<std::int64_t>(count / warps + 1, 256, kMaxChunk);
        sum_cells_kernel<<<(count - 1) / (chunk * kWarps) + 1, kSumThreads>>>(
            sorted, count, static_cast<unsigned int>(chunk), sums);
        cuda_check(cudaGetLastError());
        return sums;
    }

  private:
    course::DeviceBuffer<Word> d_u_, d_v_;
};

}  // namespace kmeans
