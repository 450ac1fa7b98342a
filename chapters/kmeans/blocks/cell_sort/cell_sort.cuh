// SPDX-License-Identifier: MIT
// The points sorted by the cells of a grid, once before the iterations. A partition by rows of
// cells, then one by columns within each row. Each has a pass that counts, and the second one also
// adds up the points of each cell.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "blocks/cell_sort/sort_rows.cuh"
#include "blocks/cell_sort/sort_tiles.cuh"
#include "blocks/grid/grid.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/stream.hpp"
#include "limit/01_fused_sums/fused_sums.cuh"
#include "limit/02_thread_columns/columns.cuh"
#include "problem/kmeans.hpp"

namespace kmeans {

using course::cuda_check;

// Sums of offsets from the corner of the cells: (columns + 1) words per row, as in
// SortedPoints::starts.
struct CellSums {
    Word *u, *v;
};

// The memory of the sums.
class CellSumsMemory {
  public:
    // Sums of 0.
    explicit CellSumsMemory(std::int64_t words) : d_u_(words), d_v_(words) {
        cuda_check(cudaMemset(d_u_.data(), 0, d_u_.bytes()));
        cuda_check(cudaMemset(d_v_.data(), 0, d_v_.bytes()));
    }

    CellSums sums() { return {d_u_.data(), d_v_.data()}; }

  private:
    course::DeviceBuffer<Word> d_u_, d_v_;
};

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

// One block: how many tiles are before each row, kMaxSide + 1 words.
template <class Key>
__global__ void __launch_bounds__(kMaxSide)
    count_tiles_kernel(Rows rows, unsigned int* __restrict__ tile_starts) {
    __shared__ unsigned int s_warps[32];
    const int row = threadIdx.x;
    const unsigned int points = rows.ends[row] - rows.starts[row];
    const unsigned int tiles = (points + kTilePoints<Key> - 1) / kTilePoints<Key>;
    const unsigned int tile = scan_block(tiles, s_warps);
    tile_starts[row] = tile;
    if (row == kMaxSide - 1) tile_starts[kMaxSide] = tile + tiles;
}

// Adds up what the lanes of a warp have for a column, in shared memory. If all lanes have the same
// column, one of them adds for all: the others would wait for each other.
__device__ inline void add_to_column(unsigned int* s_sums, unsigned int column, unsigned int value,
                                     bool all_alike) {
    if (all_alike) value = __reduce_add_sync(kAllLanes, value);
    if (!all_alike || threadIdx.x % 32 == 0) atomicAdd(&s_sums[column], value);
}

// Smaller blocks than those of the partitions, and fewer keys at once, so that a multiprocessor has
// several: then some add while others load.
constexpr int kCountThreads = 512, kCountBlocks = 3, kCountKeys = 8;

// Counts the points of each cell, and adds up their offsets. A block has one tile of the list
// sorted by rows. Counts and sums must be zero.
template <class Key>
__global__ void __launch_bounds__(kCountThreads, kCountBlocks)
    count_cells_kernel(const Key* __restrict__ keys, Cells cells, Rows rows,
                       unsigned int* __restrict__ cell_counts, CellSums sums) {
    // Offsets within a cell of a wide grid are added in halves, so that the sums of a tile fit.
    constexpr int kHalves = sizeof(Key) == 4 ? 1 : 2;
    constexpr unsigned int kLow = kHalves == 1 ? ~0u : 0xffff;
    constexpr int kSums = kHalves * kMaxSide;
    __shared__ unsigned int s_counts[kMaxSide], s_u[kSums], s_v[kSums];
    if (blockIdx.x >= rows.tile_starts[kMaxSide]) return;
    const Tile tile = find_tile<Key>(rows, blockIdx.x);
    for (int i = threadIdx.x; i < kMaxSide; i += kCountThreads) s_counts[i] = 0;
    for (int i = threadIdx.x; i < kSums; i += kCountThreads) s_u[i] = s_v[i] = 0;
    __syncthreads();  // counts and sums must be zero before a thread adds
    const unsigned int mask = (1u << cells.shift) - 1;
    const unsigned int points_of_tile = tile.end - tile.begin;
    for (unsigned int done = 0; done < points_of_tile; done += kCountThreads * kCountKeys) {
        Key mine[kCountKeys];
        const int number = load_keys<kCountThreads>(mine, keys, tile.begin + done, tile.end);
        // Whether all keys of the warp have the same column, as in a crowded cell.
        const Key first = __shfl_sync(kAllLanes, number > 0 ? mine[0] : Key{0}, 0);
        Key differing = 0;
#pragma unroll
        for (int i = 0; i < kCountKeys; ++i) {
            if (i < number) differing |= mine[i] ^ first;
        }
        const bool all_alike =
            __all_sync(kAllLanes, number == kCountKeys && differing >> (2 * cells.shift) == 0);
#pragma unroll
        for (int i = 0; i < kCountKeys; ++i) {
            if (i >= number) continue;
            const auto column = static_cast<unsigned int>(mine[i] >> (2 * cells.shift));
            atomicAdd(&s_counts[column], 1);  // nvcc adds up lanes with the same column
            const unsigned int u = static_cast<unsigned int>(mine[i] >> cells.shift) & mask;
            const unsigned int v = static_cast<unsigned int>(mine[i]) & mask;
            add_to_column(s_u, column, u & kLow, all_alike);
            add_to_column(s_v, column, v & kLow, all_alike);
            if (kHalves == 1) continue;
            add_to_column(s_u, kSums / 2 + column, u >> 16, all_alike);
            add_to_column(s_v, kSums / 2 + column, v >> 16, all_alike);
        }
    }
    __syncthreads();  // all points of the tile must have been added
    const std::int64_t first_cell = static_cast<std::int64_t>(tile.row) * (cells.columns + 1);
    for (int i = threadIdx.x; i < cells.columns; i += kCountThreads) {
        const unsigned int points = s_counts[i];
        if (points == 0) continue;
        atomicAdd(&cell_counts[first_cell + i], points);
        const Word u = s_u[i] + (kHalves == 1 ? 0 : Word{s_u[kSums / 2 + i]} << 16);
        const Word v = s_v[i] + (kHalves == 1 ? 0 : Word{s_v[kSums / 2 + i]} << 16);
        atomicAdd(&sums.u[first_cell + i], u + (Word{points} * i << cells.shift));
        atomicAdd(&sums.v[first_cell + i], v + (Word{points} * tile.row << cells.shift));
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

// Whether a block takes one tile after the other, and loads the next one before it writes this one,
// so that memory reads meanwhile. For keys of 8 bytes, registers do not suffice.
template <class Key>
constexpr bool kLoadsAhead = sizeof(Key) == 4;

// Tiles of the list sorted by rows: as many blocks as tiles, or fewer with kLoadsAhead.
template <class Key>
__global__ void __launch_bounds__(kTileThreads<Key>, kTileBlocks<Key>)
    partition_by_columns_kernel(const Key* __restrict__ by_rows, Cells cells, Rows rows,
                                unsigned int* __restrict__ cursors, Key* __restrict__ keys) {
    alignas(16) extern __shared__ unsigned char s_stage[];
    __shared__ TileBins s_tile;
    Key* s_keys = reinterpret_cast<Key*>(s_stage);
    s_tile.clear<Key>();
    const auto column_of = [&](Key key) {
        return static_cast<unsigned int>(key >> (2 * cells.shift));
    };
    const unsigned int tiles = rows.tile_starts[kMaxSide];
    if (blockIdx.x >= tiles) return;
    Tile tile = find_tile<Key>(rows, blockIdx.x);
    Key mine[kPerThread<Key>];
    int number = load_keys<kTileThreads<Key>>(mine, by_rows, tile.begin, tile.end);
    for (unsigned int i = blockIdx.x; i < tiles; i += gridDim.x) {
        unsigned int columns[kPerThread<Key>];
#pragma unroll
        for (int j = 0; j < kPerThread<Key>; ++j) {
            if (j < number) columns[j] = column_of(mine[j]);
        }
        const std::int64_t first_cell = static_cast<std::int64_t>(tile.row) * (cells.columns + 1);
        sort_tile<Key>(
            s_tile, columns, number, &cursors[first_cell],
            [&](int j, unsigned int position, unsigned int) { s_keys[position] = mine[j]; });
        if (kLoadsAhead<Key> && i + gridDim.x < tiles) {
            tile = find_tile<Key>(rows, i + gridDim.x);
            number = load_keys<kTileThreads<Key>>(mine, by_rows, tile.begin, tile.end);
        }
        write_tile<false>(s_tile, s_keys, keys,
                          [&](unsigned int position) { return column_of(s_keys[position]); });
        if (!kLoadsAhead<Key>) return;
    }
}

// The memory of a sort, its launches, and how long everything takes until the iterations begin.
class CellSort {
  public:
    // Whether the sort can take so many points, and the iterations so many centroids: positions
    // have 32 bits, lanes of a warp stand for centroids, and a tile must fit in shared memory.
    static bool takes(std::int64_t count, int k) {
        return k <= kMaxColumns && count < kNowhere && has_room_for<Word>();
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
        cuda_check(cudaMemset(d_cursors_.data(), 0, d_cursors_.bytes()));
        clear_box();
    }

    int max_cells() const { return 1 << (2 * bits_); }
    int max_rows() const { return 1 << bits_; }
    // Of an array like SortedPoints::starts.
    std::int64_t words() const { return std::int64_t{(1 << bits_) + 1} << bits_; }
    // The device memory per point, with the points themselves: they, two lists of keys, and tasks.
    static constexpr double kDeviceBytesPerPoint = 25;

    // The kernels' time from sort_by_rows() to end_preparation(). Waits for the device.
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

    // Chooses a grid over the points, which may be anything between their box and twice as wide,
    // and sorts the points by its rows. Waits for the device.
    Cells sort_by_rows(const int2* d_points) {
        // The grid is guessed from a sample, and so is the room that each row needs. The partition
        // finds out if that was wrong. It is rarely, and then all points are counted.
        begin_.record();
        const std::int64_t step = std::max(kSampleStep, count_ / kSamplePoints);
        const std::int64_t sample = (count_ - 1) / step + 1;
        sample_box_kernel<<<(sample - 1) / kSampleThreads + 1, kSampleThreads>>>(
            d_points, sample, step, d_box_.data());
        cuda_check(cudaGetLastError());
        Cells cells = cells_over(read_box());
        if (can_sample_rows(cells)) {
            sample_rows(d_points, cells);
            partition_by_rows(d_points, cells, row_step(cells));
            int failed = 0;
            cuda_check(
                cudaMemcpy(&failed, d_failed_.data(), sizeof failed, cudaMemcpyDeviceToHost));
            if (failed == 0) {
                cells.high = last_point(cells);
                return cells;
            }
        }
        count_rows(d_points, cells);
        const Box box = read_box();
        const Cells again = cells_over(box);
        const bool fits = box.low.x >= cells.low.x && box.low.y >= cells.low.y &&
                          last_of(cells.low.x, box.high.x, cells.shift) < cells.columns &&
                          last_of(cells.low.y, box.high.y, cells.shift) < cells.columns;
        if (!fits) count_rows(d_points, cells = again);
        cells.high = box.high;
        partition_by_rows(d_points, cells, 1);
        return cells;
    }

    // Sorts the points of each row by columns. Keys have the right type for the cells, which
    // sort_by_rows() returned. Adds the points of each cell to `sums`. Does not wait.
    template <class Key>
    SortedPoints<Key> sort_rows(const Cells& cells, const CellSums& sums) {
        Key* by_rows = reinterpret_cast<Key*>(d_by_rows_.data());
        Key* sorted = reinterpret_cast<Key*>(d_sorted_.data());
        constexpr std::size_t kBytes = kColumnBytes<Key>;
        constexpr int kThreads = kTileThreads<Key>;
        // Every row may have a last tile that is not full. Surplus blocks return.
        const std::int64_t tiles =
            (count_ - 1) / kTilePoints<Key> + 1 + (cells.height() >> cells.shift) + 1;
        const Rows rows = {row_starts(), row_cursors(), tile_starts()};
        cuda_check(cudaFuncSetAttribute(partition_by_columns_kernel<Key>,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
        count_tiles_kernel<Key><<<1, kMaxSide>>>(rows, tile_starts());
        cuda_check(cudaGetLastError());
        count_cells_kernel<Key>
            <<<tiles, kCountThreads>>>(by_rows, cells, rows, d_cursors_.data(), sums);
        cuda_check(cudaGetLastError());
        scan_cells_kernel<<<cells.columns, kMaxSide>>>(row_starts(), cells, d_cursors_.data(),
                                                       d_starts_.data());
        cuda_check(cudaGetLastError());
        const auto partition = partition_by_columns_kernel<Key>;
        const std::int64_t blocks =
            kLoadsAhead<Key> ? blocks_at_once(partition, kThreads, tiles, kBytes) : tiles;
        partition<<<blocks, kThreads, kBytes>>>(by_rows, cells, rows, d_cursors_.data(), sorted);
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
        return kRowBytes<Key> + attributes.sharedSizeBytes <= static_cast<std::size_t>(bytes);
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
    // The last point of a grid that can exist.
    static int2 last_point(const Cells& cells) {
        const std::int64_t side = std::int64_t{1} << (cells.shift + cells.bits);
        return make_int2(static_cast<int>(std::min(cells.low.x + side - 1, kMaxCoordinate)),
                         static_cast<int>(std::min(cells.low.y + side - 1, kMaxCoordinate)));
    }
    // Whether a sample finds enough points. Then all rows together have room for less than twice as
    // many points, in memory for keys of 8 bytes, and positions have 32 bits.
    bool can_sample_rows(const Cells& cells) const {
        return has_short_keys(cells) && count_ < std::int64_t{1} << 31 &&
               count_ >= std::int64_t{kRowStep} * kRowSample << cells.bits;
    }
    int row_step(const Cells& cells) const {
        return static_cast<int>(
            std::max<std::int64_t>(kRowStep, count_ / kMuchSample >> cells.bits));
    }
    void sample_rows(const int2* d_points, const Cells& cells) {
        const std::int64_t step = row_step(cells), sample = (count_ - 1) / step + 1;
        cuda_check(cudaMemsetAsync(d_rows_.data(), 0, kMaxSide * sizeof(unsigned int)));
        const int blocks =
            blocks_at_once(sample_rows_kernel, kSampleThreads, (sample - 1) / kSampleThreads + 1);
        sample_rows_kernel<<<blocks, kSampleThreads>>>(d_points, sample, step, cells,
                                                       d_rows_.data());
        cuda_check(cudaGetLastError());
    }
    void count_rows(const int2* d_points, const Cells& cells) {
        constexpr int kThreads = kTileThreads<Word>;
        const std::int64_t tiles = (count_ - 1) / kTilePoints<Word> + 1;
        cuda_check(cudaMemsetAsync(d_rows_.data(), 0, kMaxSide * sizeof(unsigned int)));
        count_rows_kernel<<<blocks_at_once(count_rows_kernel, kThreads, tiles), kThreads>>>(
            d_points, count_, cells, d_rows_.data(), d_box_.data());
        cuda_check(cudaGetLastError());
    }
    void partition_by_rows(const int2* d_points, const Cells& cells, int step) {
        place_rows_kernel<<<1, kMaxSide>>>(d_rows_.data(), step, row_starts(), row_cursors());
        cuda_check(cudaGetLastError());
        cuda_check(cudaMemsetAsync(d_failed_.data(), 0, d_failed_.bytes()));
        const auto partition = has_short_keys(cells) ? &CellSort::launch_partition<unsigned int>
                                                     : &CellSort::launch_partition<Word>;
        (this->*partition)(d_points, cells);
    }
    template <class Key>
    void launch_partition(const int2* d_points, const Cells& cells) {
        constexpr std::size_t kBytes = kRowBytes<Key>;
        const std::int64_t tiles = (count_ - 1) / kTilePoints<Key> + 1;
        const auto partition = partition_by_rows_kernel<Key>;
        cuda_check(
            cudaFuncSetAttribute(partition, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
        partition<<<tiles, kTileThreads<Key>, kBytes>>>(
            d_points, count_, cells, row_starts(), row_cursors(),
            reinterpret_cast<Key*>(d_by_rows_.data()), d_failed_.data());
        cuda_check(cudaGetLastError());
    }

    unsigned int* row_starts() { return d_rows_.data() + kRowWords; }
    unsigned int* tile_starts() { return row_starts() + kRowWords; }
    unsigned int* row_cursors() { return tile_starts() + kRowWords; }

    std::int64_t count_;
    course::DeviceBuffer<Word> d_by_rows_, d_sorted_;
    int bits_;
    course::DeviceBuffer<unsigned int> d_starts_, d_cursors_;
    // Counts, starts, tiles and cursors of rows.
    course::DeviceBuffer<unsigned int> d_rows_{4 * kRowWords};
    course::DeviceBuffer<int> d_box_{4}, d_failed_{1};
    course::Event begin_, end_;
};

}  // namespace kmeans
