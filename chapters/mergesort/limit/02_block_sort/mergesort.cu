// SPDX-License-Identifier: MIT
// Merge sort, stage limit/02: a block sorts a tile.
// Idea: the first twelve levels in one launch. A thread holds 16 neighbouring keys in registers and
// sorts them there. Eight rounds of merges follow, in which the keys stay in shared memory: global
// memory gives and takes each key once instead of nine times.
// Compared with limit/01_tile_merge: sort_tiles_kernel (block_sort.cuh); merge_tiles_kernel has no
// pairs within a tile.
// Limit now: the two searches in front of each tile, during which the block does nothing else.
// Stage limit/03 takes them away, and its 2^28 keys take 15.1 ms instead of 21.6 (H200).
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
    mergesort::sort_tiles_kernel<kThreads>
        <<<tiles, kThreads, kSharedKeys * sizeof(Key)>>>(d_from.data(), count);
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
