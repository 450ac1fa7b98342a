// SPDX-License-Identifier: MIT
// Merge sort, stage 12: a block sorts a tile.
// Idea: the first twelve levels in one launch. A thread holds 16 neighbouring keys in registers and
// sorts them there. Eight rounds of merges follow, in which the keys stay in shared memory: global
// memory gives and takes each key once instead of nine times.
// Compared with 11_tile_merge: sort_tiles_kernel; merge_tiles_kernel has no pairs within a tile.
// Limit now: the two searches in front of each tile, during which the block does nothing else.
// Stage 13 takes them away, and its 2^28 keys take 15.1 ms instead of 21.6 (H200).
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/mergesort.hpp"
#include "problem/multisort.hpp"

using course::cuda_check, course::DeviceBuffer;
using mergesort::Input, mergesort::Key, mergesort::Output, mergesort::Phase, mergesort::PhaseTimer;

constexpr int kThreads = 256;
constexpr int kKeysPerThread = 16;
constexpr int kTileKeys = kThreads * kKeysPerThread;
constexpr Key kLargestKey = std::numeric_limits<Key>::max();

// In shared memory one word in 17 stays empty, so the first keys of 32 threads lie in 32 banks.
__host__ __device__ constexpr unsigned padded(unsigned place) {
    return place + place / kKeysPerThread;
}

// A tile, and the place after it: a merge reads one key too many.
constexpr unsigned kSharedKeys = padded(kTileKeys) + 1;

struct PaddedKeys {
    Key* s_keys;
    __device__ Key& operator[](int place) const {
        return s_keys[padded(static_cast<unsigned>(place))];
    }
};

// How many of the first `diagonal` keys of a merge come from its left run, keys[begin, middle). The
// right run is keys[middle, end). Of equal keys those of the left run come first.
template <typename Keys, typename Place>
__device__ __forceinline__ Place merge_path(Keys keys, Place begin, Place middle, Place end,
                                            Place diagonal) {
    Place low = max(diagonal - (end - middle), Place{0});
    Place high = min(diagonal, middle - begin);
    while (low < high) {
        const Place i = low + ((high - low) >> 1);
        if (keys[middle + diagonal - 1 - i] < keys[begin + i]) {
            high = i;
        } else {
            low = i + 1;
        }
    }
    return low;
}

// Merges until `merged` is full. Each step loads one key: the one that follows the key it took. So
// the place after the last key is read, too.
__device__ __forceinline__ void merge_keys(PaddedKeys keys, int left, int left_end, int right,
                                           int right_end, Key (&merged)[kKeysPerThread]) {
    Key left_key = keys[left], right_key = keys[right];
#pragma unroll
    for (int k = 0; k < kKeysPerThread; ++k) {
        const bool takes_right = right < right_end && (left >= left_end || right_key < left_key);
        merged[k] = takes_right ? right_key : left_key;
        const Key next = keys[takes_right ? ++right : ++left];
        if (takes_right) {
            right_key = next;
        } else {
            left_key = next;
        }
    }
}

// Sorts by exchanges of neighbours, in turn those at even and at odd places: as many phases as
// there are keys. Equal keys are never exchanged, so they keep their order.
__device__ __forceinline__ void sort_registers(Key (&keys)[kKeysPerThread]) {
#pragma unroll
    for (int phase = 0; phase < kKeysPerThread; ++phase) {
#pragma unroll
        for (int i = phase % 2; i + 1 < kKeysPerThread; i += 2) {
            if (keys[i + 1] < keys[i]) {
                const Key key = keys[i];
                keys[i] = keys[i + 1];
                keys[i + 1] = key;
            }
        }
    }
}

// One block per tile, in place. The last tile is filled with the largest key. Such a key comes
// after all real ones, so it stays behind them, even behind those that equal it.
__global__ void __launch_bounds__(kThreads) sort_tiles_kernel(Key* list, std::int64_t count) {
    __shared__ Key s_keys[kSharedKeys];
    const PaddedKeys keys = {s_keys};
    const int thread = threadIdx.x, window = thread * kKeysPerThread;
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kTileKeys;
    const int tile_count = static_cast<int>(min(count - first, std::int64_t{kTileKeys}));
#pragma unroll
    for (int i = thread; i <= kTileKeys; i += kThreads) {
        keys[i] = i < tile_count ? list[first + i] : kLargestKey;
    }
    __syncthreads();
    Key own[kKeysPerThread];
#pragma unroll
    for (int k = 0; k < kKeysPerThread; ++k) own[k] = keys[window + k];
    sort_registers(own);
#pragma unroll 1
    for (int run = kKeysPerThread; run < kTileKeys; run *= 2) {
#pragma unroll
        for (int k = 0; k < kKeysPerThread; ++k) keys[window + k] = own[k];
        __syncthreads();
        const int begin = window & ~(2 * run - 1), middle = begin + run, end = middle + run;
        const int path = merge_path(keys, begin, middle, end, window - begin);
        merge_keys(keys, begin + path, middle, middle + window - begin - path, end, own);
        __syncthreads();  // all threads have read
    }
#pragma unroll
    for (int k = 0; k < kKeysPerThread; ++k) keys[window + k] = own[k];
    __syncthreads();
    for (int i = thread; i < tile_count; i += kThreads) list[first + i] = keys[i];
}

// Merges runs of `run` keys, a tile times a power of two, into runs of twice as many: one block per
// tile of the result. The last run may be short; without a partner it is copied.
__global__ void __launch_bounds__(kThreads)
    merge_tiles_kernel(const Key* __restrict__ from, Key* __restrict__ to, std::int64_t count,
                       std::int64_t run) {
    __shared__ Key s_keys[kSharedKeys];
    __shared__ std::int64_t s_paths[2];
    const PaddedKeys keys = {s_keys};
    const int thread = threadIdx.x;
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kTileKeys;
    const int tile_count = static_cast<int>(min(count - first, std::int64_t{kTileKeys}));
    // The pair of runs that the tile lies in.
    const std::int64_t begin = first & ~(2 * run - 1);
    const std::int64_t middle = min(begin + run, count), end = min(begin + 2 * run, count);
    // Two threads, of two warps: what comes before the tile, and before its end.
    if (thread % 32 == 0 && thread < 64) {
        const std::int64_t diagonal = first - begin + (thread == 0 ? 0 : tile_count);
        s_paths[thread / 32] = merge_path(from, begin, middle, end, diagonal);
    }
    __syncthreads();
    // The tile's keys: first left_count of the left run, then those of the right run.
    const int left_count = static_cast<int>(s_paths[1] - s_paths[0]);
    const Key* left_keys = from + begin + s_paths[0];
    const Key* right_keys = from + middle + (first - begin - s_paths[0]) - left_count;
#pragma unroll
    for (int i = thread; i <= kTileKeys; i += kThreads) {
        const int place = min(i, tile_count - 1);  // after the end, the last key once more
        keys[i] = (place < left_count ? left_keys : right_keys)[place];
    }
    __syncthreads();
    const int window = thread * kKeysPerThread;
    const int path = merge_path(keys, 0, left_count, tile_count, window);
    Key own[kKeysPerThread];
    merge_keys(keys, path, left_count, left_count + window - path, tile_count, own);
    __syncthreads();  // all threads have read
#pragma unroll
    for (int k = 0; k < kKeysPerThread; ++k) keys[window + k] = own[k];
    __syncthreads();
    for (int i = thread; i < tile_count; i += kThreads) to[first + i] = keys[i];
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    const int tiles = mergesort::blocks_for(count, kTileKeys);
    timer.begin(Phase::kSetup);
    DeviceBuffer<Key> d_from(count), d_to(count);

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_from.data(), input.keys.data(), d_from.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    sort_tiles_kernel<<<tiles, kThreads>>>(d_from.data(), count);
    cuda_check(cudaGetLastError());
    for (std::int64_t run = kTileKeys; run < count; run *= 2) {
        merge_tiles_kernel<<<tiles, kThreads>>>(d_from.data(), d_to.data(), count, run);
        cuda_check(cudaGetLastError());
        std::swap(d_from, d_to);
    }

    timer.begin(Phase::kCopyOut);
    cuda_check(
        cudaMemcpy(output.keys.data(), d_from.data(), d_from.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid(tiles, kThreads);
    const int passes = 1 + mergesort::merge_levels(count, kTileKeys);  // all keys read and written
    timer.declare_work({.bytes = 2.0 * sizeof(Key) * count * passes});
}

int main(int argc, char** argv) { return mergesort::run_stage(argc, argv, STAGE_NAME, sort_keys); }
