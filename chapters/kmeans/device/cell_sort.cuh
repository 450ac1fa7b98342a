// SPDX-License-Identifier: MIT
// Stages 12 to 15: the points sorted by the cells of a grid, once before the iterations.
// A partition by rows of cells, then one by columns within each row. Each has a pass that counts.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/stream.hpp"
#include "device/cells.cuh"
#include "device/columns.cuh"
#include "device/fused_sums.cuh"
#include "device/sort_tiles.cuh"
#include "problem/kmeans.hpp"

namespace kmeans {

// What the sort leaves behind, in device memory. Position p of the list has a point as its key.
template <class Key>
struct SortedPoints {
    Cells cells;
    const Key* keys;
    // (columns + 1) positions per row: where each cell begins, and behind them where the row ends.
    const unsigned int* starts;

    // With points.
    __device__ int rows() const { return static_cast<int>(cells.height() >> cells.shift) + 1; }
    __device__ const unsigned int* starts_of(int row) const {
        return &starts[static_cast<std::int64_t>(row) * (cells.columns + 1)];
    }
    // The row that a position is in. Every lane of a warp must call this, with the same position:
    // the lanes compare 32 rows at a time.
    __device__ int row_of(unsigned int position) const {
        const int lane = threadIdx.x % 32;
        const auto is_before = [&](int row) {
            return row < cells.columns && *starts_of(row) <= position;
        };
        const int group = 32 * (__popc(__ballot_sync(kAllLanes, is_before(32 * lane))) - 1);
        return group + __popc(__ballot_sync(kAllLanes, is_before(group + lane))) - 1;
    }
    // The offset of a point from the corner of the cells.
    __device__ unsigned int u_of(Key key) const {
        return static_cast<unsigned int>(key >> cells.shift);
    }
    __device__ unsigned int v_in_row(Key key) const {
        return static_cast<unsigned int>(key) & ((1u << cells.shift) - 1);
    }
    __device__ int2 point_of(Key key, int row) const {
        const unsigned int v = static_cast<unsigned int>(row) << cells.shift | v_in_row(key);
        return make_int2(static_cast<int>(cells.low.x + u_of(key)),
                         static_cast<int>(cells.low.y + v));
    }
};

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
        int2 mine[kPerThread];
        const int number = load_points<kTileThreads<Word>>(mine, points, count, begin);
#pragma unroll
        for (int i = 0; i < kPerThread; ++i) {
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

// One block: where the rows begin, and how many tiles are before each. kMaxSide + 1 words each.
// `cursors` are a copy of row_starts, which the partition by rows moves on.
template <class Key>
__global__ void __launch_bounds__(kMaxSide)
    scan_rows_kernel(const unsigned int* __restrict__ row_counts, int rows,
                     unsigned int* __restrict__ row_starts, unsigned int* __restrict__ cursors,
                     unsigned int* __restrict__ tile_starts) {
    __shared__ unsigned int s_warps[32];
    const int row = threadIdx.x;
    const unsigned int count = row < rows ? row_counts[row] : 0;
    const unsigned int tiles = (count + kTilePoints<Key> - 1) / kTilePoints<Key>;
    const unsigned int start = scan_block(count, s_warps), tile = scan_block(tiles, s_warps);
    row_starts[row] = cursors[row] = start;
    tile_starts[row] = tile;
    if (row < kMaxSide - 1) return;
    row_starts[kMaxSide] = start + count;
    tile_starts[kMaxSide] = tile + tiles;
}

// One block per tile.
template <class Key>
__global__ void __launch_bounds__(kTileThreads<Key>, kTileBlocks<Key>)
    partition_by_rows_kernel(const int2* __restrict__ points, std::int64_t count, Cells cells,
                             unsigned int* __restrict__ cursors, Key* __restrict__ keys) {
    Key mine[kPerThread];
    unsigned int rows[kPerThread];
    int2 loaded[kPerThread];
    const int number =
        load_points<kTileThreads<Key>>(loaded, points, count, blockIdx.x * kTilePoints<Key>);
#pragma unroll
    for (int i = 0; i < kPerThread; ++i) {
        if (i >= number) continue;
        const unsigned int u = static_cast<unsigned int>(loaded[i].x) - cells.low.x;
        const unsigned int v = static_cast<unsigned int>(loaded[i].y) - cells.low.y;
        mine[i] = key_of<Key>(cells, u, v);
        rows[i] = v >> cells.shift;
    }
    scatter_tile(mine, rows, number, cursors, keys);
}

// Counts the points of each cell. A block has one tile of the list sorted by rows.
template <class Key>
__global__ void __launch_bounds__(kTileThreads<Key>)
    count_cells_kernel(const Key* __restrict__ keys, Cells cells,
                       const unsigned int* __restrict__ row_starts,
                       const unsigned int* __restrict__ tile_starts,
                       unsigned int* __restrict__ cell_counts) {
    __shared__ unsigned int s_counts[kMaxSide];
    const Tile tile = find_tile<Key>(row_starts, tile_starts);
    if (tile.begin == tile.end) return;
    for (int i = threadIdx.x; i < kMaxSide; i += kTileThreads<Key>) s_counts[i] = 0;
    Key mine[kPerThread];
    const int number = load_keys(mine, keys, tile);
    __syncthreads();  // counts must be zero before a thread adds
#pragma unroll
    for (int i = 0; i < kPerThread; ++i) {
        if (i < number) atomicAdd(&s_counts[mine[i] >> (2 * cells.shift)], 1);
    }
    __syncthreads();  // all points of the tile must have been counted
    unsigned int* counts = &cell_counts[static_cast<std::int64_t>(tile.row) * (cells.columns + 1)];
    for (int i = threadIdx.x; i < cells.columns; i += kTileThreads<Key>) {
        if (s_counts[i] > 0) atomicAdd(&counts[i], s_counts[i]);
    }
}

// One block per row: counts of cells become the positions where they begin, twice.
__global__ void __launch_bounds__(kMaxSide)
    scan_cells_kernel(const unsigned int* __restrict__ row_starts, Cells cells,
                      unsigned int* __restrict__ counts, unsigned int* __restrict__ starts) {
    __shared__ unsigned int s_warps[32];
    const int column = threadIdx.x;
    const std::int64_t cell = static_cast<std::int64_t>(blockIdx.x) * (cells.columns + 1) + column;
    const unsigned int count = column < cells.columns ? counts[cell] : 0;
    const unsigned int start = row_starts[blockIdx.x] + scan_block(count, s_warps);
    if (column >= cells.columns) return;
    counts[cell] = starts[cell] = start;
    if (column == cells.columns - 1) starts[cell + 1] = start + count;
}

// A block has one tile of the list sorted by rows.
template <class Key>
__global__ void __launch_bounds__(kTileThreads<Key>, kTileBlocks<Key>)
    partition_by_columns_kernel(const Key* __restrict__ by_rows, Cells cells,
                                const unsigned int* __restrict__ row_starts,
                                const unsigned int* __restrict__ tile_starts,
                                unsigned int* __restrict__ cursors, Key* __restrict__ keys) {
    const Tile tile = find_tile<Key>(row_starts, tile_starts);
    if (tile.begin == tile.end) return;
    Key mine[kPerThread];
    unsigned int columns[kPerThread];
    const int number = load_keys(mine, by_rows, tile);
#pragma unroll
    for (int i = 0; i < kPerThread; ++i) {
        if (i < number) columns[i] = mine[i] >> (2 * cells.shift);
    }
    scatter_tile(mine, columns, number,
                 &cursors[static_cast<std::int64_t>(tile.row) * (cells.columns + 1)], keys);
}

// The memory of a sort, its launches, and how long everything takes until the iterations begin.
class CellSort {
  public:
    // Whether the sort can take so many points, and the iterations so many centroids: positions
    // have 32 bits, lanes of a warp stand for centroids, and a tile must fit in shared memory.
    static bool takes(std::int64_t count, int k) {
        return k <= kMaxColumns && count < std::int64_t{1} << 32 && has_room_for<Word>();
    }
    // Whether keys of 32 bits will do.
    static bool has_short_keys(const Cells& cells) {
        return cells.bits + 2 * cells.shift <= 32 && has_room_for<unsigned int>();
    }

    explicit CellSort(std::int64_t count)
        : count_(count), d_by_rows_(count), d_sorted_(count), bits_(kMinSideBits) {
        while (bits_ < kMaxSortBits && kPointsPerCell << (2 * bits_ + 2) <= count) ++bits_;
        d_starts_ = course::DeviceBuffer<unsigned int>(words());
        d_cursors_ = course::DeviceBuffer<unsigned int>(words());
    }

    int max_cells() const { return 1 << (2 * bits_); }
    int max_rows() const { return 1 << bits_; }
    // Of an array like SortedPoints::starts.
    std::int64_t words() const { return std::int64_t{(1 << bits_) + 1} << bits_; }
    // The device memory per point, with the points themselves: they, two lists of keys, and tasks.
    static constexpr double kDeviceBytesPerPoint = 25;

    // The kernels' time from choose_cells() to end_preparation(). Waits for the device.
    double preparation_ms() const { return course::milliseconds_between(begin_, end_); }
    void end_preparation() { end_.record(); }

    // 4 bytes per point, which are free once the points are sorted.
    int* d_labels() { return reinterpret_cast<int*>(d_by_rows_.data()); }

    // The cells of the sort, or so many of them as one that a table has room for.
    static Cells coarser(Cells cells) {
        for (; cells.bits > kMaxSideBits; --cells.bits) ++cells.shift;
        cells.columns = 1 << cells.bits;
        return cells;
    }

    // A grid over the points, which may be anything between their box and twice as wide. Counts the
    // points of its rows. Waits for the device.
    Cells choose_cells(const int2* d_points) {
        // The grid is guessed from a sample. The pass that counts finds the true box. If a point is
        // outside of the guess, that pass is done again.
        begin_.record();
        const std::int64_t step = std::max(kSampleStep, count_ / kSamplePoints);
        const std::int64_t sample = (count_ - 1) / step + 1;
        clear_box();
        sample_box_kernel<<<(sample - 1) / kSampleThreads + 1, kSampleThreads>>>(
            d_points, sample, step, d_box_.data());
        cuda_check(cudaGetLastError());
        Cells cells = cells_over(read_box());
        count_rows(d_points, cells);
        const Box box = read_box();
        const Cells again = cells_over(box);
        const bool fits = box.low.x >= cells.low.x && box.low.y >= cells.low.y &&
                          last_of(cells.low.x, box.high.x, cells.shift) < cells.columns &&
                          last_of(cells.low.y, box.high.y, cells.shift) < cells.columns;
        if (!fits) count_rows(d_points, cells = again);
        cells.high = box.high;
        return cells;
    }

    // Keys have the right type for the cells, which choose_cells() returned. Does not wait.
    template <class Key>
    SortedPoints<Key> sort(const int2* d_points, const Cells& cells) {
        Key* by_rows = reinterpret_cast<Key*>(d_by_rows_.data());
        Key* sorted = reinterpret_cast<Key*>(d_sorted_.data());
        unsigned int *row_starts = d_rows_.data() + kRowWords, *tiles = row_starts + kRowWords;
        unsigned int* row_cursors = tiles + kRowWords;
        const std::int64_t row_tiles = (count_ - 1) / kTilePoints<Key> + 1;
        const int rows = static_cast<int>(cells.height() >> cells.shift) + 1;
        constexpr std::size_t kBytes = kStageBytes<Key>;
        constexpr int kThreads = kTileThreads<Key>;
        cuda_check(cudaFuncSetAttribute(partition_by_rows_kernel<Key>,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
        cuda_check(cudaFuncSetAttribute(partition_by_columns_kernel<Key>,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
        cuda_check(cudaMemsetAsync(d_cursors_.data(), 0, d_cursors_.bytes()));
        scan_rows_kernel<Key>
            <<<1, kMaxSide>>>(d_rows_.data(), rows, row_starts, row_cursors, tiles);
        cuda_check(cudaGetLastError());
        partition_by_rows_kernel<Key>
            <<<row_tiles, kThreads, kBytes>>>(d_points, count_, cells, row_cursors, by_rows);
        cuda_check(cudaGetLastError());
        // Every row may have a last tile that is not full. Surplus blocks return.
        count_cells_kernel<Key>
            <<<row_tiles + rows, kThreads>>>(by_rows, cells, row_starts, tiles, d_cursors_.data());
        cuda_check(cudaGetLastError());
        scan_cells_kernel<<<cells.columns, kMaxSide>>>(row_starts, cells, d_cursors_.data(),
                                                       d_starts_.data());
        cuda_check(cudaGetLastError());
        partition_by_columns_kernel<Key><<<row_tiles + rows, kThreads, kBytes>>>(
            by_rows, cells, row_starts, tiles, d_cursors_.data(), sorted);
        cuda_check(cudaGetLastError());
        return {cells, sorted, d_starts_.data()};
    }

  private:
    static constexpr std::int64_t kSampleStep = 64, kSamplePoints = 1 << 16;
    static constexpr int kRowWords = kMaxSide + 1;

    // Whether a tile fits in the shared memory of a block.
    template <class Key>
    static bool has_room_for() {
        int device = 0, bytes = 0;
        cuda_check(cudaGetDevice(&device));
        cuda_check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
        cudaFuncAttributes attributes;
        cuda_check(cudaFuncGetAttributes(&attributes, partition_by_rows_kernel<Key>));
        return kStageBytes<Key> + attributes.sharedSizeBytes <= static_cast<std::size_t>(bytes);
    }

    // The column or row of a coordinate.
    static std::int64_t last_of(std::int64_t low, int coordinate, int shift) {
        return (coordinate - low) >> shift;
    }

    // Square cells over a box, which is in the middle of the grid. No coordinate is greater than
    // kMaxCoordinate or less than -kMaxCoordinate, so the grid does not go on there.
    Cells cells_over(const Box& box) const {
        Cells cells = {box.low, box.high, 0, bits_, 1 << bits_};
        while (std::max(cells.width(), cells.height()) >> cells.shift >> bits_ > 0) ++cells.shift;
        const std::int64_t side = std::int64_t{1} << (cells.shift + bits_);
        const auto middle = [&](std::int64_t low, std::int64_t high) {
            const std::int64_t first = low - (side - 1 - (high - low)) / 2;
            return static_cast<int>(
                std::max(std::min(first, kMaxCoordinate - side + 1), -kMaxCoordinate));
        };
        cells.low = make_int2(middle(box.low.x, box.high.x), middle(box.low.y, box.high.y));
        return cells;
    }
    void clear_box() {
        constexpr int kLeast = std::numeric_limits<int>::min();
        constexpr int kGreatest = std::numeric_limits<int>::max();
        const int box[4] = {kGreatest, kGreatest, kLeast, kLeast};
        cuda_check(cudaMemcpy(d_box_.data(), box, d_box_.bytes(), cudaMemcpyHostToDevice));
    }
    Box read_box() const {
        int box[4];
        cuda_check(cudaMemcpy(box, d_box_.data(), d_box_.bytes(), cudaMemcpyDeviceToHost));
        return {make_int2(box[0], box[1]), make_int2(box[2], box[3])};
    }
    void count_rows(const int2* d_points, const Cells& cells) {
        constexpr int kThreads = kTileThreads<Word>;
        int device = 0, multiprocessors = 0, blocks = 0;
        cuda_check(cudaGetDevice(&device));
        cuda_check(
            cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
        cuda_check(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, count_rows_kernel, kThreads, 0));
        const std::int64_t tiles = (count_ - 1) / kTilePoints<Word> + 1;
        cuda_check(cudaMemsetAsync(d_rows_.data(), 0, kMaxSide * sizeof(unsigned int)));
        count_rows_kernel<<<std::min<std::int64_t>(blocks * multiprocessors, tiles), kThreads>>>(
            d_points, count_, cells, d_rows_.data(), d_box_.data());
        cuda_check(cudaGetLastError());
    }

    std::int64_t count_;
    course::DeviceBuffer<Word> d_by_rows_, d_sorted_;
    int bits_;
    course::DeviceBuffer<unsigned int> d_starts_, d_cursors_;
    // Counts, starts, tiles and cursors of rows.
    course::DeviceBuffer<unsigned int> d_rows_{4 * kRowWords};
    course::DeviceBuffer<int> d_box_{4};
    course::Event begin_, end_;
};

}  // namespace kmeans
