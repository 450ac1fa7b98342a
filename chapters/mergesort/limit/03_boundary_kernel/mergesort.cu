// SPDX-License-Identifier: MIT
// Merge sort, stage limit/03: a kernel finds the boundaries.
// Idea: a thread per tile boundary, in a launch of its own. In stage limit/02 a whole block waits
// for two searches, of up to 28 dependent loads. Here thousands of searches run at once, and a
// block of merge_tiles_kernel begins with the loads of its keys.
// Compared with limit/02_block_sort: find_boundaries_kernel, and merge_tiles_kernel without
// searches in global memory.
// Limit now: 17 launches that read and write all 2^28 keys. Memory alone needs about half of the
// 15.1 ms (H200).
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>
#include <utility>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "limit/01_tile_merge/padded_merge.cuh"
#include "limit/02_block_sort/block_sort.cuh"
#include "problem/mergesort.hpp"
#include "problem/multisort.hpp"

using course::cuda_check, course::DeviceBuffer;
using mergesort::Input, mergesort::Key, mergesort::Output, mergesort::Phase, mergesort::PhaseTimer;
using mergesort::kKeysPerThread, mergesort::PaddedKeys, mergesort::merge_keys,
    mergesort::merge_path;

constexpr int kThreads = 256;
constexpr int kTileKeys = kThreads * kKeysPerThread;
constexpr unsigned kSharedKeys = mergesort::shared_keys(kTileKeys);

// One thread per tile: how many keys of the left run of its pair come before the tile.
__global__ void __launch_bounds__(kThreads)
    find_boundaries_kernel(const Key* __restrict__ from, std::int64_t count, std::int64_t run,
                           std::int64_t* __restrict__ boundaries, std::int64_t tiles) {
    const std::int64_t tile = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    if (tile >= tiles) return;
    const std::int64_t first = tile * kTileKeys, begin = first & ~(2 * run - 1);
    const std::int64_t middle = min(begin + run, count), end = min(begin + 2 * run, count);
    boundaries[tile] = merge_path(from, begin, middle, end, first - begin);
}

// Merges runs of `run` keys, a tile times a power of two, into runs of twice as many: one block per
// tile of the result. The last run may be short; without a partner it is copied.
__global__ void __launch_bounds__(kThreads)
    merge_tiles_kernel(const Key* __restrict__ from, Key* __restrict__ to, std::int64_t count,
                       std::int64_t run, const std::int64_t* __restrict__ boundaries) {
    __shared__ Key s_keys[kSharedKeys];
    const PaddedKeys keys = {s_keys};
    const int thread = threadIdx.x;
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kTileKeys;
    const int tile_count = static_cast<int>(min(count - first, std::int64_t{kTileKeys}));
    // The pair of runs that the tile lies in.
    const std::int64_t begin = first & ~(2 * run - 1);
    const std::int64_t middle = min(begin + run, count), end = min(begin + 2 * run, count);
    // The next tile's boundary, unless that tile belongs to the next pair.
    const std::int64_t path_begin = boundaries[blockIdx.x];
    const std::int64_t path_end =
        first + kTileKeys < end ? boundaries[blockIdx.x + 1] : middle - begin;
    // The tile's keys: first left_count of the left run, then those of the right run.
    const int left_count = static_cast<int>(path_end - path_begin);
    const Key* left_keys = from + begin + path_begin;
    const Key* right_keys = from + middle + (first - begin - path_begin) - left_count;
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
    DeviceBuffer<std::int64_t> d_boundaries(tiles);

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_from.data(), input.keys.data(), d_from.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    mergesort::sort_tiles_kernel<kThreads>
        <<<tiles, kThreads, kSharedKeys * sizeof(Key)>>>(d_from.data(), count);
    cuda_check(cudaGetLastError());
    for (std::int64_t run = kTileKeys; run < count; run *= 2) {
        find_boundaries_kernel<<<mergesort::blocks_for(tiles, kThreads), kThreads>>>(
            d_from.data(), count, run, d_boundaries.data(), tiles);
        cuda_check(cudaGetLastError());
        merge_tiles_kernel<<<tiles, kThreads>>>(d_from.data(), d_to.data(), count, run,
                                                d_boundaries.data());
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
