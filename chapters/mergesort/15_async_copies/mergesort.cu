// SPDX-License-Identifier: MIT
// Merge sort, stage 15: asynchronous copies.
// Idea: a block's next tile comes while it merges this one. Its keys go from global to shared
// memory without passing through registers, into a second buffer. So blocks stay: as many as fit
// the device at once share all tiles.
// Compared with 14_eight_ways: fetch_tile, and the loop over the tiles of a block; the rounds are
// in device/multiway_rounds.cuh. --blocks: fewer blocks, for tests.
// Limit now: the copies, of one key each. This pass is slower than that of 14 (README, question e).
// Not of the thesis.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/resident_blocks.hpp"
#include "common/cuda/shared_memory.hpp"
#include "device/multiway_boundaries.cuh"
#include "device/multiway_rounds.cuh"
#include "device/multiway_tile.cuh"
#include "device/tile_merge.cuh"
#include "problem/mergesort.hpp"
#include "problem/multisort.hpp"
#include "problem/multiway.hpp"

using course::cuda_check, course::DeviceBuffer;
using mergesort::Input, mergesort::Key, mergesort::Output, mergesort::Phase, mergesort::PhaseTimer;
using mergesort::kKeysPerThread, mergesort::PaddedKeys, mergesort::Pass, mergesort::Tile;

constexpr int kThreads = 512;
constexpr int kTileKeys = kThreads * kKeysPerThread;
constexpr unsigned kSharedKeys = mergesort::shared_keys(kTileKeys);
constexpr std::size_t kSharedBytes = kSharedKeys * sizeof(Key);

// Asks for a tile's keys: they come to their places of the first round.
template <int kWays>
__device__ __forceinline__ void fetch_tile(PaddedKeys keys, const Tile<kWays>& s_tile) {
#pragma unroll 1
    for (int f = 0; f < kWays; ++f) {
        const int length = s_tile.starts[f + 1] - s_tile.starts[f];
        const int place = s_tile.starts[f] + s_tile.gaps[kWays / 2 + f / 2];
        const Key* source = s_tile.sources[f];
#pragma unroll 4
        for (int i = threadIdx.x; i < length; i += kThreads) {
            __pipeline_memcpy_async(&keys[place + i], &source[i], sizeof(Key));
        }
    }
}

// Block b merges the tiles b, b + gridDim.x, … of the result.
template <int kWays>
__global__ void __launch_bounds__(kThreads, kWays == 4 || kWays == 8 ? 3 : 2)
    merge_tiles_kernel(const Key* __restrict__ from, Key* __restrict__ to, Pass pass,
                       const std::int64_t* __restrict__ boundaries) {
    extern __shared__ Key s_keys[];
    __shared__ Tile<kWays> s_tiles[3];  // this tile, the next, and the one after it
    const int thread = threadIdx.x;
    const int tiles = static_cast<int>(pass.tiles), next = gridDim.x;
    const auto describe = [&](int tile, int place) {
        if (thread < kWays && tile < tiles) {
            describe_tile(from, to, pass, boundaries, tile, s_tiles[place % 3]);
        }
    };
    describe(blockIdx.x, 0);
    describe(blockIdx.x + next, 1);
    __syncthreads();
    fetch_tile(PaddedKeys{s_keys}, s_tiles[0]);
    __pipeline_commit();
    int turn = 0;
    for (int tile = blockIdx.x; tile < tiles; tile += next, ++turn) {
        const PaddedKeys keys = {s_keys + turn % 2 * kSharedKeys};
        const PaddedKeys other = {s_keys + (turn + 1) % 2 * kSharedKeys};
        const Tile<kWays>& s_tile = s_tiles[turn % 3];
        if (tile + next < tiles) fetch_tile(other, s_tiles[(turn + 1) % 3]);
        __pipeline_commit();  // in any case, so that each tile is one group
        describe(tile + 2 * next, turn + 2);
        fill_gaps(keys, s_tile, kWays / 2);
        __pipeline_wait_prior(1);  // this thread's keys of this tile have come
        __syncthreads();  // and so have those of all threads
        Key own[kKeysPerThread];
#pragma unroll 1
        for (int pairs = kWays / 2; pairs > 0; pairs /= 2) merge_pairs(keys, s_tile, pairs, own);
        for (int i = thread; i < s_tile.starts[kWays]; i += kThreads) s_tile.result[i] = keys[i];
        __syncthreads();  // the next request overwrites this tile
    }
}

template <int kWays>
void merge_runs(const Key* from, Key* to, const Pass& pass, std::int64_t* boundaries,
                std::int64_t most_blocks) {
    mergesort::find_cuts_kernel<kWays>
        <<<mergesort::blocks_for(pass.tiles * kWays, kThreads), kThreads>>>(from, pass, boundaries);
    cuda_check(cudaGetLastError());
    // Two tiles, and as many blocks as run at once.
    course::allow_dynamic_shared(merge_tiles_kernel<kWays>, 2 * kSharedBytes);
    const int resident =
        course::resident_blocks(merge_tiles_kernel<kWays>, kThreads, 2 * kSharedBytes);
    const std::int64_t wanted = most_blocks > 0 ? most_blocks : resident;
    const int blocks = static_cast<int>(std::min(wanted, pass.tiles));
    merge_tiles_kernel<kWays><<<blocks, kThreads, 2 * kSharedBytes>>>(from, to, pass, boundaries);
    cuda_check(cudaGetLastError());
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    const int tiles = mergesort::blocks_for(count, kTileKeys);
    const std::vector<Pass> passes = mergesort::plan_passes(
        count, kTileKeys, input.options.integer("--ways"), kThreads, kKeysPerThread);
    const std::int64_t most_blocks = input.options.integer("--blocks");
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
        merge(d_from.data(), d_to.data(), pass, d_boundaries.data(), most_blocks);
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
                                {mergesort::ways_option(), mergesort::blocks_option()});
}
