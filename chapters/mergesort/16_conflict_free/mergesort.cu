// SPDX-License-Identifier: MIT
// Merge sort, stage 16: merges without bank conflicts. For keys that are only keys: NOT stable.
// Idea: two searches say which 16 keys a thread merges. It then loads all of them at once: register
// j takes the key whose place is j modulo 16. So 32 lanes touch 32 banks, and no load waits for the
// result of another. The registers, read in a circle, rise and then fall: four steps of a bitonic
// network sort them. A network exchanges equal keys, so keys that carry more than themselves would
// lose their order.
// Compared with 15_async_copies: gather_window (device/conflict_free.cuh) instead of merge_keys.
// Every second fragment lies backwards, and each is filled up to whole windows.
// Limit now: the copies, as before; 16 keys per thread for each search; two blocks, not three.
// Not of the thesis. The gather is that of Berney and Sitchinava, for a power of two.
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
#include "device/conflict_free.cuh"
#include "device/gathered_tile.cuh"
#include "device/multiway_boundaries.cuh"
#include "device/tile_merge.cuh"
#include "problem/mergesort.hpp"
#include "problem/multisort.hpp"
#include "problem/multiway.hpp"

using course::cuda_check, course::DeviceBuffer;
using mergesort::GatheredTile, mergesort::kKeysPerThread, mergesort::kLargestKey, mergesort::Pass,
    mergesort::rounded_up;
using mergesort::Input, mergesort::Key, mergesort::Output, mergesort::Phase, mergesort::PhaseTimer;

constexpr int kThreads = 512;
constexpr int kTileKeys = kThreads * kKeysPerThread;
constexpr int kSharedKeys = mergesort::row_place<kKeysPerThread>(kTileKeys);
constexpr std::size_t kSharedBytes = kSharedKeys * sizeof(Key);

__device__ __forceinline__ int place_of(int i) { return mergesort::row_place<kKeysPerThread>(i); }

// One block per tile, in place; the last tile is filled with the largest key.
__global__ void __launch_bounds__(kThreads) sort_tiles_kernel(Key* list, std::int64_t count) {
    extern __shared__ Key s_keys[];
    __shared__ int s_paths[kThreads];
    const int thread = threadIdx.x;
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kTileKeys;
    const int tile_count = static_cast<int>(min(count - first, std::int64_t{kTileKeys}));
#pragma unroll
    for (int i = thread; i < kTileKeys; i += kThreads) {
        s_keys[place_of(i)] = i < tile_count ? list[first + i] : kLargestKey;
    }
    __syncthreads();
    Key own[kKeysPerThread];
#pragma unroll
    for (int k = 0; k < kKeysPerThread; ++k) own[k] = s_keys[place_of(thread * kKeysPerThread) + k];
    mergesort::sort_registers(own);
    mergesort::merge_runs_of_tile<kKeysPerThread, kThreads>(s_keys, s_paths, kKeysPerThread, own);
    for (int i = thread; i < tile_count; i += kThreads) list[first + i] = s_keys[place_of(i)];
}

// Asks for a tile's keys: they come to their places of the first round.
template <int kWays>
__device__ __forceinline__ void fetch_tile(Key* s_keys, const GatheredTile<kWays>& s_tile) {
#pragma unroll
    for (int f = 0; f < kWays; ++f) {
        const int length = s_tile.lengths[f];
        const int first = f % 2 == 0 ? s_tile.starts[f] : s_tile.starts[f + 1] - 1;
        const int step = f % 2 == 0 ? 1 : -1;
        const Key* source = s_tile.sources[f];
#pragma unroll 1
        for (int i = threadIdx.x; i < length; i += kThreads) {
            __pipeline_memcpy_async(&s_keys[place_of(first + i * step)], &source[i], sizeof(Key));
        }
        const int copy = length + static_cast<int>(threadIdx.x);
        if (copy < rounded_up(length)) s_keys[place_of(first + copy * step)] = kLargestKey;
    }
}

// A round: merges all pairs of fragments.
template <int kWays>
__device__ __forceinline__ void merge_pairs(Key* s_keys, int* s_paths,
                                            const GatheredTile<kWays>& s_tile, int pairs,
                                            Key (&own)[kKeysPerThread]) {
    const int window = threadIdx.x * kKeysPerThread, span = kWays / pairs;
    int pair = 0;
    while (pair + 1 < pairs && window >= s_tile.starts[(pair + 1) * span]) ++pair;
    const int end = s_tile.starts[(pair + 1) * span];
    const int begin = window < end ? s_tile.starts[pair * span] : end;  // threads without keys
    const int middle = s_tile.starts[pair * span + span / 2];
    mergesort::merge_window(s_keys, s_paths, begin, middle, end, pair % 2 == 1, own);
}

// Block b merges the tiles b, b + gridDim.x, … of the result.
template <int kWays>
__global__ void __launch_bounds__(kThreads, 2)
    merge_tiles_kernel(const Key* __restrict__ from, Key* __restrict__ to, Pass pass,
                       const std::int64_t* __restrict__ boundaries) {
    extern __shared__ Key s_keys[];
    __shared__ GatheredTile<kWays> s_tiles[3];  // this tile, the next, and the one after it
    __shared__ int s_paths[kThreads];
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
    fetch_tile(s_keys, s_tiles[0]);
    __pipeline_commit();
    int turn = 0;
    for (int tile = blockIdx.x; tile < tiles; tile += next, ++turn) {
        Key* const keys = s_keys + turn % 2 * kSharedKeys;
        Key* const other = s_keys + (turn + 1) % 2 * kSharedKeys;
        const GatheredTile<kWays>& s_tile = s_tiles[turn % 3];
        if (tile + next < tiles) fetch_tile(other, s_tiles[(turn + 1) % 3]);
        __pipeline_commit();  // in any case, so that each tile is one group
        describe(tile + 2 * next, turn + 2);
        __pipeline_wait_prior(1);  // this thread's keys of this tile have come
        __syncthreads();  // and so have those of all threads
        Key own[kKeysPerThread];
#pragma unroll 1
        for (int pairs = kWays / 2; pairs > 0; pairs /= 2) {
            merge_pairs(keys, s_paths, s_tile, pairs, own);
        }
        for (int i = thread; i < s_tile.count; i += kThreads) s_tile.result[i] = keys[place_of(i)];
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
        count, kTileKeys, input.options.integer("--ways"), kThreads, kKeysPerThread, 1);
    const std::int64_t most_blocks = input.options.integer("--blocks");
    timer.begin(Phase::kSetup);
    DeviceBuffer<Key> d_from(count), d_to(count);
    DeviceBuffer<std::int64_t> d_boundaries(mergesort::most_boundaries(passes));
    course::allow_dynamic_shared(sort_tiles_kernel, kSharedBytes);

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_from.data(), input.keys.data(), d_from.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    sort_tiles_kernel<<<tiles, kThreads, kSharedBytes>>>(d_from.data(), count);
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
