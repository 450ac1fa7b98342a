// SPDX-License-Identifier: MIT
// Merge sort, stage 17: a warp sorts in registers. For keys that are only keys: NOT stable.
// Idea: the first ten levels without shared memory. Each thread sorts 32 keys by Batcher's network;
// then lanes exchange keys by shuffles until a warp has 1024 in order. Of equal keys nobody can
// tell which is which, so a thread may begin with any 32 keys of the tile: it loads them from
// global memory right into its registers. The last three levels gather: two searches say which
// keys a thread merges, register j takes the one whose place is j modulo 32, and half of a bitonic
// network sorts them (device/conflict_free.cuh). A network exchanges equal keys, so keys that carry
// more than themselves would lose their order.
// Compared with 16_odd_windows: sort_tiles_kernel; the passes are in device/odd_merge.cuh.
// Limit now: the five passes, unchanged, which take four fifths of the time.
// Not of the thesis. The network is that of quicksort 18; the gather is that of Berney and
// Sitchinava, for a power of two.
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/shared_memory.hpp"
#include "device/conflict_free.cuh"
#include "device/multiway_boundaries.cuh"
#include "device/odd_merge.cuh"
#include "device/warp_network.cuh"
#include "problem/mergesort.hpp"
#include "problem/multisort.hpp"
#include "problem/multiway.hpp"

using course::cuda_check, course::DeviceBuffer;
using mergesort::Input, mergesort::Key, mergesort::Output, mergesort::Phase, mergesort::PhaseTimer;
using mergesort::kLargestKey, mergesort::Pass, mergesort::odd::kThreads;

constexpr int kKeys = 32;  // per thread, in the sort of tiles
constexpr int kTileKeys = kThreads * kKeys;
constexpr int kRowKeys = mergesort::row_place<kKeys>(kThreads);  // places of a row of keys
constexpr std::size_t kSharedBytes = kRowKeys * kKeys * sizeof(Key);

// One block per tile, in place; the last tile is filled with the largest key.
__global__ void __launch_bounds__(kThreads, 4)
    sort_tiles_kernel(Key* __restrict__ list, std::int64_t count) {
    extern __shared__ Key s_keys[];
    __shared__ int s_paths[kThreads];
    const int thread = threadIdx.x;
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kTileKeys;
    const int tile_count = static_cast<int>(min(count - first, std::int64_t{kTileKeys}));
    Key own[kKeys];
#pragma unroll
    for (int k = 0; k < kKeys; ++k) {
        const int i = k * kThreads + thread;
        own[k] = i < tile_count ? list[first + i] : kLargestKey;
    }
    mergesort::sort_warp(own);
    mergesort::merge_runs_of_tile<kKeys, kThreads>(s_keys, s_paths, 32 * kKeys, own);
    const Key* s_own = s_keys + mergesort::row_place<kKeys>(thread);
#pragma unroll
    for (int k = 0; k < kKeys; ++k) {
        const int i = k * kThreads + thread;
        if (i < tile_count) list[first + i] = s_own[k * kRowKeys];
    }
}

template <int kWays>
void merge_runs(const Key* from, Key* to, const Pass& pass, std::int64_t* boundaries) {
    mergesort::find_cuts_kernel<kWays>
        <<<mergesort::blocks_for(pass.tiles * kWays, kThreads), kThreads>>>(from, pass, boundaries);
    cuda_check(cudaGetLastError());
    course::allow_dynamic_shared(mergesort::odd::merge_tiles_kernel<kWays>,
                                 mergesort::odd::kSharedBytes);
    mergesort::odd::merge_tiles_kernel<kWays>
        <<<mergesort::blocks_for(pass.tiles, 1), kThreads, mergesort::odd::kSharedBytes>>>(
            from, to, pass, boundaries);
    cuda_check(cudaGetLastError());
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    const int tiles = mergesort::blocks_for(count, kTileKeys);
    const std::vector<Pass> passes = mergesort::plan_passes(
        count, kTileKeys, input.options.integer("--ways"), kThreads, mergesort::odd::kKeys);
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
