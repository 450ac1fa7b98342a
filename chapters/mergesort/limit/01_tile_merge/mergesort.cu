// SPDX-License-Identifier: MIT
// Merge sort, stage limit/01: a merge by tiles.
// Idea: a block writes a tile of 4096 keys. Two searches in global memory find which parts of the
// left and of the right run the tile needs. The block loads both side by side, with neighbouring
// threads at neighbouring keys. The threads' own searches, and the merge, are in shared memory.
// Compared with multisort/03_equal_shares: one search in global memory per tile instead of one per
// thread; all loads and stores of keys are coalesced.
// Limit now: 24 levels, each of which reads and writes all keys. In each, a block first waits for
// its two searches. The sort and the eight levels of short runs take 40 % of the time or more.
// Not of the thesis. Green, McColl and Bader 2012, "GPU Merge Path".
#include <cuda_runtime.h>

#include <cstdint>
#include <utility>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "limit/01_tile_merge/padded_merge.cuh"
#include "problem/mergesort.hpp"
#include "problem/multisort.hpp"

using course::cuda_check, course::DeviceBuffer;
using mergesort::Input, mergesort::Key, mergesort::Output, mergesort::Phase, mergesort::PhaseTimer;
using mergesort::kKeysPerThread, mergesort::PaddedKeys, mergesort::merge_keys,
    mergesort::merge_path;

constexpr int kThreads = 256;
constexpr int kTileKeys = kThreads * kKeysPerThread;
constexpr unsigned kSharedKeys = mergesort::shared_keys(kTileKeys);

// Sorts 16 keys per thread by insertion. Equal keys keep their order.
__global__ void sort_runs_kernel(Key* keys, std::int64_t count) {
    const std::int64_t begin =
        (static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x) * kKeysPerThread;
    const std::int64_t end = min(begin + kKeysPerThread, count);
    for (std::int64_t i = begin + 1; i < end; ++i) {
        const Key key = keys[i];
        std::int64_t place = i;
        for (; place > begin && keys[place - 1] > key; --place) keys[place] = keys[place - 1];
        keys[place] = key;
    }
}

// Merges runs of `run` keys, 16 times a power of two, into runs of twice as many: one block per
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
    // The pair of runs that the tile lies in. Pairs shorter than a tile lie in it: see below.
    const std::int64_t begin = first & ~(2 * run - 1);
    const std::int64_t middle = min(begin + run, count), end = min(begin + 2 * run, count);
    const bool whole_pairs = 2 * run <= kTileKeys;
    // Two threads, of two warps: what comes before the tile, and before its end.
    if (thread % 32 == 0 && thread < 64) {
        const std::int64_t diagonal = first - begin + (thread == 0 ? 0 : tile_count);
        s_paths[thread / 32] =
            whole_pairs ? thread / 32 * tile_count : merge_path(from, begin, middle, end, diagonal);
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
    // The pair of runs in shared memory that this thread's keys come from.
    const int window = thread * kKeysPerThread;
    const int short_run = static_cast<int>(min(run, std::int64_t{kTileKeys}));
    const int left = whole_pairs ? window & ~(2 * short_run - 1) : 0;
    const int left_end = min(left + (whole_pairs ? short_run : left_count), tile_count);
    const int right_end = whole_pairs ? min(left + 2 * short_run, tile_count) : tile_count;
    const int path = merge_path(keys, left, left_end, right_end, window - left);
    Key own[kKeysPerThread];
    merge_keys(keys, left + path, left_end, left_end + window - left - path, right_end, own);
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
    sort_runs_kernel<<<tiles, kThreads>>>(d_from.data(), count);
    cuda_check(cudaGetLastError());
    for (std::int64_t run = kKeysPerThread; run < count; run *= 2) {
        merge_tiles_kernel<<<tiles, kThreads>>>(d_from.data(), d_to.data(), count, run);
        cuda_check(cudaGetLastError());
        std::swap(d_from, d_to);
    }

    timer.begin(Phase::kCopyOut);
    cuda_check(
        cudaMemcpy(output.keys.data(), d_from.data(), d_from.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid(tiles, kThreads);
    timer.declare_work(mergesort::multisort_work(count, kKeysPerThread));
}

int main(int argc, char** argv) { return mergesort::run_stage(argc, argv, STAGE_NAME, sort_keys); }
