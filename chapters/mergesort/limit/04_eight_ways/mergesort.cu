// SPDX-License-Identifier: MIT
// Merge sort, stage limit/04: eight runs at once.
// Idea: a tile takes its keys from eight runs, and merges them in three rounds in shared memory. So
// each pass over global memory does three levels instead of one. Eight lanes find the eight places
// where a boundary cuts the runs (blocks/multiway_cuts).
// Compared with limit/03_boundary_kernel: merge_tiles_kernel, with rounds like those of the block
// sort; tiles of 8192 keys (their fragments: multiway_tile.cuh). --ways 2, 4, 8 or 16.
// Limit now: loads and stores that merges do not hide. A level costs twice one of the tiles' sort.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "blocks/multiway_cuts/multiway_cuts.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/shared_memory.hpp"
#include "limit/01_tile_merge/padded_merge.cuh"
#include "limit/02_block_sort/block_sort.cuh"
#include "limit/04_eight_ways/multiway_tile.cuh"
#include "problem/mergesort.hpp"
#include "problem/multisort.hpp"
#include "problem/multiway.hpp"

using course::cuda_check, course::DeviceBuffer;
using mergesort::Input, mergesort::Key, mergesort::Output, mergesort::Phase, mergesort::PhaseTimer;
using mergesort::kKeysPerThread, mergesort::kLargestKey, mergesort::PaddedKeys;
using mergesort::Pass, mergesort::Tile;

constexpr int kThreads = 512;
constexpr int kTileKeys = kThreads * kKeysPerThread;
constexpr std::size_t kSharedBytes = mergesort::shared_keys(kTileKeys) * sizeof(Key);

// Fills the gaps of a round, and the place after the last pair: a merge reads one key too many.
template <int kWays>
__device__ __forceinline__ void fill_gaps(PaddedKeys keys, const Tile<kWays>& s_tile, int pairs) {
    const int pair = threadIdx.x / kKeysPerThread;
    if (pair >= pairs) return;
    const int end = s_tile.starts[(pair + 1) * (kWays / pairs)] + s_tile.gaps[pairs + pair];
    const int place = end + static_cast<int>(threadIdx.x % kKeysPerThread);
    if (place < mergesort::rounded_up(end) + (pair == pairs - 1)) keys[place] = kLargestKey;
}

// A round: merges all pairs of fragments, and puts the results into the places of the next round.
template <int kWays>
__device__ __forceinline__ void merge_pairs(PaddedKeys keys, const Tile<kWays>& s_tile, int pairs,
                                            Key (&own)[kKeysPerThread]) {
    const int window = threadIdx.x * kKeysPerThread, span = kWays / pairs;
    int pair = 0;
    while (pair + 1 < pairs &&
           window >= s_tile.starts[(pair + 1) * span] + s_tile.gaps[pairs + pair + 1]) {
        ++pair;
    }
    const int gap = s_tile.gaps[pairs + pair];
    const int begin = s_tile.starts[pair * span] + gap;
    const int middle = s_tile.starts[pair * span + span / 2] + gap;
    const int end = s_tile.starts[(pair + 1) * span] + gap;
    if (window < end) {
        const int path = mergesort::merge_path(keys, begin, middle, end, window - begin);
        mergesort::merge_keys(keys, begin + path, middle, middle + window - begin - path, end, own);
    }
    __syncthreads();  // all threads have read
    const int to = window - gap + s_tile.gaps[(pairs + pair) / 2];
#pragma unroll
    for (int k = 0; k < kKeysPerThread; ++k) {
        if (window + k < end) keys[to + k] = own[k];
    }
    if (pairs > 1) fill_gaps(keys, s_tile, pairs / 2);
    __syncthreads();
}

// Loads the fragments of a tile, merges them, and stores the result.
template <int kWays>
__device__ __forceinline__ void merge_fragments(PaddedKeys keys, const Tile<kWays>& s_tile) {
    const int thread = threadIdx.x;
    // The first rows of all fragments are on their way before the first key is stored.
    constexpr int kRows = kKeysPerThread / kWays;
    Key own[kKeysPerThread];
#pragma unroll
    for (int k = 0; k < kKeysPerThread; ++k) {
        const int f = k / kRows, i = k % kRows * kThreads + thread;
        own[k] = i < s_tile.starts[f + 1] - s_tile.starts[f] ? s_tile.sources[f][i] : kLargestKey;
    }
#pragma unroll
    for (int f = 0; f < kWays; ++f) {
        const int length = s_tile.starts[f + 1] - s_tile.starts[f];
        const int place = s_tile.starts[f] + s_tile.gaps[kWays / 2 + f / 2];
#pragma unroll
        for (int row = 0; row < kRows; ++row) {
            const int i = row * kThreads + thread;
            if (i < length) keys[place + i] = own[f * kRows + row];
        }
#pragma unroll 4
        for (int i = kRows * kThreads + thread; i < length; i += kThreads) {
            keys[place + i] = s_tile.sources[f][i];
        }
    }
    fill_gaps(keys, s_tile, kWays / 2);
    __syncthreads();
#pragma unroll 1
    for (int pairs = kWays / 2; pairs > 0; pairs /= 2) merge_pairs(keys, s_tile, pairs, own);
    for (int i = thread; i < s_tile.starts[kWays]; i += kThreads) s_tile.result[i] = keys[i];
}

// One block per tile of the result.
template <int kWays>
__global__ void __launch_bounds__(kThreads, kWays < 16 ? 3 : 2)
    merge_tiles_kernel(const Key* __restrict__ from, Key* __restrict__ to, Pass pass,
                       const std::int64_t* __restrict__ boundaries) {
    extern __shared__ Key s_keys[];
    __shared__ Tile<kWays> s_tile;
    if (threadIdx.x < kWays) describe_tile(from, to, pass, boundaries, blockIdx.x, s_tile);
    __syncthreads();
    merge_fragments(PaddedKeys{s_keys}, s_tile);
}

template <int kWays>
void merge_runs(const Key* from, Key* to, const Pass& pass, std::int64_t* boundaries) {
    mergesort::find_cuts_kernel<kWays>
        <<<mergesort::blocks_for(pass.tiles * kWays, kThreads), kThreads>>>(from, pass, boundaries);
    cuda_check(cudaGetLastError());
    course::allow_dynamic_shared(merge_tiles_kernel<kWays>, kSharedBytes);
    merge_tiles_kernel<kWays><<<mergesort::blocks_for(pass.tiles, 1), kThreads, kSharedBytes>>>(
        from, to, pass, boundaries);
    cuda_check(cudaGetLastError());
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    const int tiles = mergesort::blocks_for(count, kTileKeys);
    const std::vector<Pass> passes = mergesort::plan_passes(
        count, kTileKeys, input.options.integer("--ways"), kThreads, kKeysPerThread);
    timer.begin(Phase::kSetup);
    DeviceBuffer<Key> d_from(count), d_to(count);
    DeviceBuffer<std::int64_t> d_boundaries(mergesort::most_boundaries(passes));
    course::allow_dynamic_shared(mergesort::sort_tiles_kernel<kThreads>, kSharedBytes);

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_from.data(), input.keys.data(), d_from.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    mergesort::sort_tiles_kernel<kThreads><<<tiles, kThreads, kSharedBytes>>>(d_from.data(), count);
    cuda_check(cudaGetLastError());
    for (const Pass& pass : passes) {
        const auto merge = pass.ways == 16  ? merge_runs<16>
                           : pass.ways == 8 ? merge_runs<8>
                           : pass.ways == 4 ? merge_runs<4>
                                            : merge_runs<2>;
        merge(d_from.data(), d_to.data(), pass, d_boundaries.data());
        std::swap(d_from, d_to);
    }

    timer.begin(Phase::kCopyOut);
    cuda_check(
        cudaMemcpy(output.keys.data(), d_from.data(), d_from.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid(tiles, kThreads);
    // All keys are read and written by the sort of the tiles and by each pass.
    timer.declare_work({.bytes = 2.0 * sizeof(Key) * count * (1.0 + passes.size())});
}

int main(int argc, char** argv) {
    return mergesort::run_stage(argc, argv, STAGE_NAME, sort_keys, nullptr,
                                {mergesort::ways_option()});
}
