// SPDX-License-Identifier: MIT
// What a block does with one tile of the points, for the sort by cells (stages 12 to 15).
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "device/cells.cuh"
#include "device/columns.cuh"
#include "device/fused_sums.cuh"

namespace kmeans {

using fused::Word;

constexpr int kMaxSortBits = 10;
constexpr int kMaxSide = 1 << kMaxSortBits;  // the most rows, and the most columns

// A block's points are written in runs of the same row or column: the more points, the longer the
// runs. Keys have 4 or 8 bytes. Measured on an H200.
constexpr int kPerThread = 16;
template <class Key>
constexpr int kTileThreads = sizeof(Key) == 4 ? 1024 : 512;
template <class Key>
constexpr int kTileBlocks = 1024 / kTileThreads<Key>;  // on a multiprocessor, at least
template <class Key>
constexpr int kTilePoints = kTileThreads<Key>* kPerThread;
// Dynamic shared memory of the partitions: a key and its row or column for each point.
template <class Key>
constexpr std::size_t kStageBytes = kTilePoints<Key>*(sizeof(Key) + sizeof(unsigned short));

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
    int number = 0;
#pragma unroll
    for (int i = 0; i < N; ++i) {
        const std::int64_t place = mine + i / 2 * 2 * Threads + i % 2;
        if (place >= count) continue;
        loaded[i] = points[place];
        number = i + 1;
    }
    return number;
}

// A tile of a list that is sorted by rows: all in one row.
struct Tile {
    int row;
    unsigned int begin, end;  // positions in the list; equal if the block has no tile
};

// Where the rows of a list begin and end, and how many tiles are before each. kMaxSide + 1 words
// each, but there is no last end.
struct Rows {
    const unsigned int *starts, *ends, *tile_starts;
};

// The tile of this block. Row r has tiles tile_starts[r] to tile_starts[r + 1]. Every lane of a
// warp calls this: the lanes compare 32 rows at a time.
template <class Key>
__device__ Tile find_tile(const Rows& rows) {
    const unsigned int* tile_starts = rows.tile_starts;
    static_assert(kMaxSide <= 32 * 32);
    if (blockIdx.x >= tile_starts[kMaxSide]) return {0, 0, 0};
    const int lane = threadIdx.x % 32;
    const auto is_before = [&](int row) { return tile_starts[row] <= blockIdx.x; };
    const int group = 32 * (__popc(__ballot_sync(kAllLanes, is_before(32 * lane))) - 1);
    const int row = group + __popc(__ballot_sync(kAllLanes, is_before(group + lane))) - 1;
    const unsigned int begin =
        rows.starts[row] + (blockIdx.x - tile_starts[row]) * kTilePoints<Key>;
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
    Number before = 0;
    for (int other = 0; other < warp; ++other) before += s_warps[other];
    __syncthreads();  // all threads must have read before the words are used again
    return before + sum - value;
}

// Behind the last position of a list whose bins may overflow, even after the keys of a block.
constexpr unsigned int kNowhere = 0xffffffff - kTilePoints<unsigned int>;

// Writes the keys of a block to their bins in `out`: bin b goes on at cursors[b], which is moved
// on. In shared memory the keys are sorted by bins, so that a bin's keys are written side by side.
// Changes `bins`. If there are `ends`, bin b has room before ends[b], all bins before the last end.
// If that is too little, a block leaves out its keys of the bin and sets *overflow to 1.
template <class Key, int N>
__device__ void scatter_tile(const Key (&keys)[N], unsigned int (&bins)[N], int number,
                             unsigned int* cursors, Key* out, const unsigned int* ends = nullptr,
                             int* overflow = nullptr) {
    alignas(16) extern __shared__ unsigned char s_stage[];
    __shared__ unsigned int s_counts[kMaxSide], s_bases[kMaxSide], s_warps[32], s_total;
    Key* s_keys = reinterpret_cast<Key*>(s_stage);
    auto* s_bins = reinterpret_cast<unsigned short*>(s_keys + kTilePoints<Key>);
    const int thread = threadIdx.x;
    for (int i = thread; i < kMaxSide; i += kTileThreads<Key>) s_counts[i] = 0;
    __syncthreads();  // counts must be zero before a thread adds
#pragma unroll
    for (int i = 0; i < N; ++i) {  // bins[i] also gets the rank among the keys of its bin
        if (i < number) bins[i] = bins[i] << 16 | atomicAdd(&s_counts[bins[i]], 1);
    }
    __syncthreads();  // all keys must have been counted
    constexpr int kBins = kMaxSide / kTileThreads<Key>;  // of a thread
    unsigned int counts[kBins], sum = 0;
    for (int i = 0; i < kBins; ++i) sum += counts[i] = s_counts[kBins * thread + i];
    unsigned int first = scan_block(sum, s_warps);
    for (int i = 0; i < kBins; ++i) {
        const int bin = kBins * thread + i;
        unsigned int place = counts[i] == 0 ? 0 : atomicAdd(&cursors[bin], counts[i]);
        if (ends != nullptr && counts[i] > 0 && place + counts[i] > ends[bin]) {
            atomicOr(overflow, 1);
            place = kNowhere;
        }
        s_counts[bin] = first;
        s_bases[bin] = place - first;  // may wrap around: so does its sum with a position
        first += counts[i];
    }
    if (thread == kTileThreads<Key> - 1) s_total = first;
    __syncthreads();  // the bins' places must be known before a thread uses them
#pragma unroll
    for (int i = 0; i < N; ++i) {
        if (i >= number) continue;
        const unsigned int position = s_counts[bins[i] >> 16] + (bins[i] & 0xffff);
        s_keys[position] = keys[i];
        s_bins[position] = static_cast<unsigned short>(bins[i] >> 16);
    }
    __syncthreads();  // all keys must be in their places
#pragma unroll
    for (int i = 0; i < N; ++i) {
        const unsigned int position = i * kTileThreads<Key> + thread;
        if (position >= s_total) continue;
        const unsigned int place = s_bases[s_bins[position]] + position;
        if (ends == nullptr || place < kNowhere) out[place] = s_keys[position];
    }
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
