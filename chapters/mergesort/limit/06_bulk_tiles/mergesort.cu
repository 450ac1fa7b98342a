// SPDX-License-Identifier: MIT
// Merge sort, stage limit/06: bulk tiles.
// Idea: fewer instructions and fewer accesses to shared memory for all that is not merging. One
// bulk copy brings a fragment, with no registers between, and one takes the result away. A thread
// merges 49 keys instead of 33, so there are fewer searches and fewer tiles. It writes its last key
// as a sample, too: the next pass searches its cuts in samples, and then among a few hundred keys.
// Compared with limit/05_odd_windows: merge_tiles_kernel, the tile (bulk_tile.cuh), and the cuts
// (blocks/multiway_cuts). The sort of tiles is that of limit/05_odd_windows.
// Limit now: shared memory, and the cuts of each pass, during which nothing merges.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cuda/ptx>
#include <utility>
#include <vector>

#include "blocks/bulk_copies/bulk_copies.cuh"
#include "blocks/multiway_cuts/sampled_cuts.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "common/cuda/shared_memory.hpp"
#include "limit/05_odd_windows/odd_merge.cuh"
#include "limit/05_odd_windows/odd_tile.cuh"
#include "limit/06_bulk_tiles/bulk_tile.cuh"
#include "problem/mergesort.hpp"
#include "problem/multisort.hpp"
#include "problem/multiway.hpp"

using course::cuda_check, course::DeviceBuffer;
using mergesort::Input, mergesort::Key, mergesort::Output, mergesort::Phase, mergesort::PhaseTimer;
using mergesort::Pass, mergesort::odd::kTileKeys;

constexpr int kThreads = 256;
constexpr int kBlocks = 4;  // per multiprocessor
constexpr int kKeys = 49;  // per thread

template <int kWays>
using Tile = mergesort::BulkTile<kWays, kThreads, kKeys>;

// Merges until `merged` is full. Largest keys follow the right run. No key is greater, so it
// needs no test for its end. Places count bytes.
__device__ __forceinline__ void merge_keys(const Key* s_keys, int left, int left_end, int right,
                                           Key (&merged)[kKeys]) {
    constexpr int kStep = sizeof(Key);
    const char* s_bytes = reinterpret_cast<const char*>(s_keys);
    Key left_key = s_keys[left], right_key = s_keys[right];
    left *= kStep, left_end *= kStep, right *= kStep;
#pragma unroll
    for (int k = 0; k < kKeys; ++k) {
        const bool takes_right = left >= left_end || right_key < left_key;
        merged[k] = takes_right ? right_key : left_key;
        if (k + 1 == kKeys) break;
        const int taken = takes_right ? right : left;
        const Key next = *reinterpret_cast<const Key*>(s_bytes + kStep + taken);
        if (takes_right) {
            right_key = next;
            right += kStep;
        } else {
            left_key = next;
            left += kStep;
        }
    }
}

// A round: merges all pairs of runs. The fragments lie where they were copied to; the results lie
// one after the other, with a room after each.
template <int kWays>
__device__ __forceinline__ void merge_pairs(Key* s_keys, const Tile<kWays>& s_tile, int pairs,
                                            Key (&own)[kKeys]) {
    constexpr int kRoom = Tile<kWays>::kRoom;
    const bool first = pairs == kWays / 2;
    const int window = threadIdx.x * kKeys, span = kWays / pairs;
    int pair = 0;
    while (pair + 1 < pairs &&
           window >= s_tile.starts[(pair + 1) * span] + s_tile.gaps[pairs + pair + 1]) {
        ++pair;
    }
    const int begin = s_tile.starts[pair * span], end = s_tile.starts[(pair + 1) * span];
    const int middle = s_tile.starts[pair * span + span / 2];
    const int diagonal = window - begin - s_tile.gaps[pairs + pair];
    if (diagonal < end - begin) {
        const int left = first ? s_tile.places[2 * pair] : begin + kRoom * 2 * pair;
        const int right = first ? s_tile.places[2 * pair + 1] : middle + kRoom * (2 * pair + 1);
        const int path = mergesort::split_path<kThreads * kKeys>(
            s_keys + left, middle - begin, s_keys + right, end - middle, diagonal);
        merge_keys(s_keys, left + path, left + middle - begin, right + diagonal - path, own);
    }
    __syncthreads();  // all threads have read
    const int room = pairs > 1 ? kRoom : 0;
    mergesort::store_keys(s_keys + begin + room * pair + diagonal, own, end - begin - diagonal);
    if (pairs > 1) {
        mergesort::fill_rooms(s_keys, s_tile, pairs,
                              [&](int i) { return s_tile.starts[i * span] + kRoom * i; });
    } else {
        cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);  // a bulk copy stores the tile
    }
    __syncthreads();
}

// One block per tile of the result. samples: of the result, or nullptr.
template <int kWays>
__global__ void __launch_bounds__(kThreads, kBlocks)
    merge_tiles_kernel(const Key* __restrict__ from, Key* __restrict__ to,
                       Key* __restrict__ samples, Pass pass,
                       const std::int64_t* __restrict__ boundaries) {
    extern __shared__ __align__(16) Key s_keys[];
    __shared__ Tile<kWays> s_tile;
    __shared__ std::uint64_t s_arrived;
    const int thread = threadIdx.x;
    if (thread < 32) {
        mergesort::Fragment own = {};
        if (thread < kWays) own = mergesort::find_fragment<kWays>(pass, boundaries, blockIdx.x);
        if (thread == 0) mergesort::place_samples(pass, blockIdx.x, own.tile_begin, s_tile);
        mergesort::fetch_fragments(from, own, s_keys, s_tile, s_arrived);
    }
    __syncthreads();
    mergesort::wait_for_bulks(s_arrived);
    mergesort::fill_rooms(s_keys, s_tile, kWays, [&](int i) { return s_tile.places[i]; });
    __syncthreads();
    Key own[kKeys];
#pragma unroll 1
    for (int pairs = kWays / 2; pairs > 0; pairs /= 2) merge_pairs(s_keys, s_tile, pairs, own);
    const int count = s_tile.starts[kWays];
    if (samples != nullptr && (thread + 1) * kKeys <= count) {
        samples[s_tile.samples + thread] = own[kKeys - 1];
    }
    mergesort::store_bulk(to + s_tile.result, s_keys, count);
}

template <int kWays>
void merge_runs(const Key* from, Key* to, const Key* samples, Key* result_samples, const Pass& pass,
                std::int64_t* boundaries) {
    constexpr std::size_t kBytes = Tile<kWays>::kWords * sizeof(Key);
    mergesort::find_sampled_cuts_kernel<kWays, kKeys>
        <<<mergesort::blocks_for(pass.tiles * kWays, kThreads), kThreads>>>(from, samples, pass, 0,
                                                                            pass.tiles, boundaries);
    cuda_check(cudaGetLastError());
    course::allow_dynamic_shared(merge_tiles_kernel<kWays>, kBytes);
    merge_tiles_kernel<kWays><<<mergesort::blocks_for(pass.tiles, 1), kThreads, kBytes>>>(
        from, to, result_samples, pass, boundaries);
    cuda_check(cudaGetLastError());
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    const int tiles = mergesort::blocks_for(count, kTileKeys);
    const std::vector<Pass> passes = mergesort::plan_bulk_passes(
        count, kTileKeys, input.options.integer("--ways"), kThreads, kKeys);
    timer.begin(Phase::kSetup);
    // Bulk copies may reach a little beyond the last key.
    DeviceBuffer<Key> d_from(mergesort::whole_bulks(count)), d_to(mergesort::whole_bulks(count));
    DeviceBuffer<Key> d_samples(mergesort::samples_at(count));
    DeviceBuffer<std::int64_t> d_boundaries(mergesort::most_boundaries(passes));
    course::allow_dynamic_shared(mergesort::odd::sort_tiles_kernel, mergesort::odd::kSharedBytes);

    timer.begin(Phase::kCopyIn);
    cuda_check(cudaMemcpy(d_from.data(), input.keys.data(), input.keys.size_bytes(),
                          cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    mergesort::odd::sort_tiles_kernel<<<tiles, kThreads, mergesort::odd::kSharedBytes>>>(
        d_from.data(), count);
    cuda_check(cudaGetLastError());
    for (const Pass& pass : passes) {
        const auto merge = pass.ways == 16  ? merge_runs<16>
                           : pass.ways == 8 ? merge_runs<8>
                           : pass.ways == 4 ? merge_runs<4>
                                            : merge_runs<2>;
        // The runs of the first pass are so short that they need no samples.
        const bool first = pass.run == kTileKeys, last = &pass == &passes.back();
        merge(d_from.data(), d_to.data(), first ? nullptr : d_samples.data(),
              last ? nullptr : d_samples.data(), pass, d_boundaries.data());
        std::swap(d_from, d_to);
    }

    timer.begin(Phase::kCopyOut);
    cuda_check(cudaMemcpy(output.keys.data(), d_from.data(), input.keys.size_bytes(),
                          cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid(tiles, kThreads);
    // All keys are read and written by the sort of the tiles and by each pass.
    timer.declare_work({.bytes = 2.0 * sizeof(Key) * count * (1.0 + passes.size())});
}

int main(int argc, char** argv) {
    return mergesort::run_stage(argc, argv, STAGE_NAME, sort_keys, mergesort::largest_sampled_n,
                                {mergesort::ways_option()}, mergesort::kSampledBytesPerKey);
}
