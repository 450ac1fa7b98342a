// SPDX-License-Identifier: MIT
// What a block does with one tile of the points, for the sort by cells.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "blocks/grid/grid.cuh"
#include "limit/01_fused_sums/fused_sums.cuh"
#include "limit/02_thread_columns/columns.cuh"

namespace kmeans {

using fused::Word;

constexpr int kMaxSortBits = 10;
constexpr int kMaxSide = 1 << kMaxSortBits;  // the most rows, and the most columns

// A block's points are written in runs of the same row or column: the more points, the longer the
// runs. With half as many, a sort takes 1.4 times as long on an H200. Keys have 4 or 8 bytes.
template <class Key>
constexpr int kPerThread = sizeof(Key) == 4 ? 22 : 16;  // more do not fit in registers
template <class Key>
constexpr int kTileThreads = sizeof(Key) == 4 ? 1024 : 512;
template <class Key>
constexpr int kTileBlocks = 1024 / kTileThreads<Key>;  // on a multiprocessor, at least
template <class Key>
constexpr int kTilePoints = kTileThreads<Key>* kPerThread<Key>;
// Dynamic shared memory of the partitions: each point's key, and that by rows also has its row.
template <class Key>
constexpr std::size_t kColumnBytes = kTilePoints<Key> * sizeof(Key);
template <class Key>
constexpr std::size_t kRowBytes = kColumnBytes<Key> + kTilePoints<Key> * sizeof(unsigned short);

// Loads points of the tile that begins at points[begin], as pairs: loaded[i] and loaded[i + 1] for
// even i. Returns how many this thread of a block of `Threads` has.
template <int Threads, int N>
__device__ int load_points(int2 (&loaded)[N], const int2* points, std::int64_t count,
                           std::int64_t begin) {
    const std::int64_t mine = begin + 2 * threadIdx.x;
    if (begin + N * Threads <= count) {
#pragma unroll
        for (int i = 0; i < N; i += 2) {
            const int4 pair = __ldcs(reinterpret_cast<const int4*>(&points[mine + i * Threads]));
            loaded[i] = make_int2(pair.x, pair.y);
            loaded[i + 1] = make_int2(pair.z, pair.w);
        }
        return N;
    }
    const int left = static_cast<int>(max(count - mine, std::int64_t{0}));
    int number = 0;
#pragma unroll
    for (int i = 0; i < N; ++i) {
        const int place = i / 2 * 2 * Threads + i % 2;
        if (place >= left) continue;
        loaded[i] = points[mine + place];
        number = i + 1;
    }
    return number;
}

// A tile of a list that is sorted by rows: all in one row.
struct Tile {
    int row;
    unsigned int begin, end;  // positions in the list
};

// Where the rows of a list begin and end, and how many tiles are before each. kMaxSide + 1 words
// each, but there is no last end.
struct Rows {
    const unsigned int *starts, *ends, *tile_starts;
};

// Of a tile that exists. Row r has tiles tile_starts[r] to tile_starts[r + 1]. Every lane of a warp
// calls this: the lanes compare 32 rows at a time.
template <class Key>
__device__ Tile find_tile(const Rows& rows, unsigned int number) {
    const unsigned int* tile_starts = rows.tile_starts;
    static_assert(kMaxSide <= 32 * 32);
    const int lane = threadIdx.x % 32;
    const auto is_before = [&](int row) { return tile_starts[row] <= number; };
    const int group = 32 * (__popc(__ballot_sync(kAllLanes, is_before(32 * lane))) - 1);
    const int row = group + __popc(__ballot_sync(kAllLanes, is_before(group + lane))) - 1;
    const unsigned int begin = rows.starts[row] + (number - tile_starts[row]) * kTilePoints<Key>;
    const unsigned int left = rows.ends[row] - begin;
    return {row, begin, begin + min(left, static_cast<unsigned int>(kTilePoints<Key>))};
}

// Loads keys from keys[begin] to the one before keys[end], at most N for each of `Threads` threads
// of a block. Returns how many this thread has.
template <int Threads, class Key, int N>
__device__ int load_keys(Key (&loaded)[N], const Key* keys, unsigned int begin, unsigned int end) {
    int number = 0;
#pragma unroll
    for (int i = 0; i < N; ++i) {
        const unsigned int offset = i * Threads + threadIdx.x;
        if (offset >= end - begin) continue;
        loaded[i] = __ldcs(&keys[begin + offset]);
        number = i + 1;
    }
    return number;
}

// The sum of `value` over the threads before this one. Every thread of a block of whole warps calls
// this. s_warps has 32 words, which may be used again at once.
template <class Number>
__device__ Number scan_block(Number value, Number* s_warps) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    Number sum = value;
    for (int distance = 1; distance < 32; distance *= 2) {
        const Number before = __shfl_up_sync(kAllLanes, sum, distance);
        if (lane >= distance) sum += before;
    }
    if (lane == 31) s_warps[warp] = sum;
    __syncthreads();  // all warps must have written their sums
    Number before = lane < warp ? s_warps[lane] : 0;
    for (int distance = 16; distance > 0; distance /= 2) {
        before += __shfl_xor_sync(kAllLanes, before, distance);
    }
    __syncthreads();  // all threads must have read before the words are used again
    return before + sum - value;
}

// Behind the last position of a list whose bins may overflow, even after the keys of a block.
constexpr unsigned int kNowhere = 0xffffffff - kTilePoints<unsigned int>;

// What a block knows about one tile, in shared memory. Of each bin: how many keys it has in the
// tile; then where the first of them is in the sorted tile, and what to add to positions in the
// tile to get positions in the list.
struct TileBins {
    unsigned int counts[kMaxSide], bases[kMaxSide], warps[32], total;

    // Every thread of a block calls this once, before the first tile.
    template <class Key>
    __device__ void clear() {
        for (int i = threadIdx.x; i < kMaxSide; i += kTileThreads<Key>) counts[i] = 0;
    }
};

// Sorts the keys of a block by bins: `put(i, position, bin)` shall write key i to this position of
// the tile. Bin b goes on at cursors[b] in the list, and its cursor is moved on. Changes `bins`. If
// there are `ends`, bin b has room before ends[b]. If that is too little, a block leaves out its
// keys of the bin and sets *overflow to 1.
template <class Key, int N, class Put>
__device__ void sort_tile(TileBins& tile, unsigned int (&bins)[N], int number,
                          unsigned int* cursors, const Put& put, const unsigned int* ends = nullptr,
                          int* overflow = nullptr) {
    const int thread = threadIdx.x;
    __syncthreads();  // counts must be zero, and the tile before must have been written
#pragma unroll
    for (int i = 0; i < N; ++i) {  // bins[i] also gets the rank among the keys of its bin
        if (i < number) bins[i] = bins[i] << 16 | atomicAdd(&tile.counts[bins[i]], 1);
    }
    __syncthreads();  // all keys must have been counted
    constexpr int kBins = kMaxSide / kTileThreads<Key>;  // of a thread
    unsigned int counts[kBins], sum = 0;
    for (int i = 0; i < kBins; ++i) sum += counts[i] = tile.counts[kBins * thread + i];
    unsigned int first = scan_block(sum, tile.warps), firsts[kBins], places[kBins] = {};
    for (int i = 0; i < kBins; ++i) {
        const int bin = kBins * thread + i;
        if (counts[i] > 0) places[i] = atomicAdd(&cursors[bin], counts[i]);
        tile.counts[bin] = firsts[i] = first;
        first += counts[i];
    }
    if (thread == kTileThreads<Key> - 1) tile.total = first;
    __syncthreads();  // the bins' positions must be known before a thread uses them
#pragma unroll
    for (int i = 0; i < N; ++i) {
        const unsigned int bin = bins[i] >> 16;
        if (i < number) put(i, tile.counts[bin] + (bins[i] & 0xffff), bin);
    }
    // By now, the places have arrived from memory.
    for (int i = 0; i < kBins; ++i) {
        const int bin = kBins * thread + i;
        if (ends != nullptr && counts[i] > 0 && places[i] + counts[i] > ends[bin]) {
            atomicOr(overflow, 1);
            places[i] = kNowhere;
        }
        tile.bases[bin] = places[i] - firsts[i];  // may wrap: so does its sum with a position
    }
    __syncthreads();  // all keys must be in their positions
}

// Writes a sorted tile to the list, a bin's keys side by side. `bin_at(position)` shall be the bin
// of a key in the tile. With kMayOverflow, keys may have no place. Clears the counts of bins.
template <bool kMayOverflow, class Key, class BinAt>
__device__ void write_tile(TileBins& tile, const Key* s_keys, Key* out, const BinAt& bin_at) {
#pragma unroll
    for (int i = 0; i < kPerThread<Key>; ++i) {
        const unsigned int position = i * kTileThreads<Key> + threadIdx.x;
        if (position >= tile.total) continue;
        const unsigned int place = tile.bases[bin_at(position)] + position;
        if (!kMayOverflow || place < kNowhere) out[place] = s_keys[position];
    }
    tile.clear<Key>();
}

// As find_box_kernel: adds a thread's box to that in global memory. Every lane of a warp calls
// this.
__device__ inline void merge_box(int2 low, int2 high, int* box) {
    low.x = __reduce_min_sync(kAllLanes, low.x);
    low.y = __reduce_min_sync(kAllLanes, low.y);
    high.x = __reduce_max_sync(kAllLanes, high.x);
    high.y = __reduce_max_sync(kAllLanes, high.y);
    if (threadIdx.x % 32 > 0) return;
    atomicMin(&box[0], low.x);
    atomicMin(&box[1], low.y);
    atomicMax(&box[2], high.x);
    atomicMax(&box[3], high.y);
}

constexpr int kSampleThreads = 512;

// The box of points[0], points[step], …, `sample` of them. `box` is as in find_box_kernel.
__global__ void __launch_bounds__(kSampleThreads)
    sample_box_kernel(const int2* __restrict__ points, std::int64_t sample, std::int64_t step,
                      int* __restrict__ box) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kSampleThreads + threadIdx.x;
    const int2 point = points[min(i, sample - 1) * step];
    merge_box(point, point, box);
}

}  // namespace kmeans
