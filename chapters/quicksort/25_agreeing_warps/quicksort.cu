// SPDX-License-Identifier: MIT
// Quicksort, stage 25: warps that agree count once.
// Idea: in sorted input, nearly all keys of a tile belong to the same part, and 32 atomic additions
// to one word take 32 turns. If all lanes of a warp have twelve keys of the same part, one addition
// counts them all, and the ranks follow from the lanes' numbers. A vote for each twelve keys finds
// out; random keys pay for it.
// Compared with 24_path_as_address: rank_keys.
// Limit now: the leaves, and the shared memory of the descent.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>
#include <cuda/ptx>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "device/bulk_runs.cuh"
#include "device/exact_rounds.cuh"
#include "device/levels.cuh"
#include "device/path_tree.cuh"
#include "device/queue_levels.cuh"
#include "problem/quicksort.hpp"

using course::cuda_check, course::DeviceBuffer;
using quicksort::Input, quicksort::Key, quicksort::Level, quicksort::LevelMemory, quicksort::Output;
using quicksort::kThreads, quicksort::LevelPlan, quicksort::Phase;
using quicksort::PhaseTimer, quicksort::Tile;

constexpr unsigned kNobody = 0xffffffff;  // the place of a key behind the end of the tile
constexpr int kMoreKeys = 24, kFewerKeys = 12;  // per thread: as many as shared memory holds
constexpr int kTogether = 12;  // a thread's keys that a warp votes on

// Counts keys at the places of their parts. A place gets its rank, too.
template <int kCount>
__device__ __forceinline__ void rank_keys(unsigned* s_counts, unsigned* places) {
    const unsigned lane = threadIdx.x % 32, first = __shfl_sync(0xffffffff, places[0], 0);
    bool agrees = true;
#pragma unroll
    for (int k = 0; k < kCount; ++k) agrees = agrees && places[k] == first;
    if (__all_sync(0xffffffff, agrees)) {
        unsigned rank = 0;
        if (lane == 0) rank = atomicAdd(&quicksort::word_at(s_counts, first), 4u * 32 * kCount);
        rank = __shfl_sync(0xffffffff, rank, 0) + 4 * kCount * lane;
#pragma unroll
        for (int k = 0; k < kCount; ++k) places[k] += (rank + 4 * k) * 65536;
    } else {
#pragma unroll
        for (int k = 0; k < kCount; ++k) {
            places[k] += atomicAdd(&quicksort::word_at(s_counts, places[k]), 4u) * 65536;
        }
    }
}

// The places of keys behind the end of the tile become kNobody.
template <int kKeys>
__device__ __forceinline__ void rank_tile(int count, unsigned* s_counts,
                                          unsigned (&places)[kKeys]) {
    if (count == kThreads * kKeys) {
#pragma unroll
        for (int k = 0; k < kKeys; k += kTogether) rank_keys<kTogether>(s_counts, places + k);
        return;
    }
#pragma unroll
    for (int k = 0; k < kKeys; ++k) {
        places[k] =
            k * kThreads + static_cast<int>(threadIdx.x) < count
                ? atomicAdd(&quicksort::word_at(s_counts, places[k]), 4u) * 65536 + places[k]
                : kNobody;
    }
}

// Dynamic shared memory: kThreads kKeys keys, and six more for each part.
template <int kBits, int kKeys>
__global__ void __launch_bounds__(kThreads, 2) partition_kernel(Level level) {
    constexpr int kParts = 1 << kBits;
    extern __shared__ __align__(16) Key s_keys[];
    __shared__ __align__(16) Key s_tree[kParts];
    __shared__ Key s_splitters[kParts];
    __shared__ unsigned s_counts[kParts], s_runs[kParts], s_sums[kThreads / 32];
    const Tile tile = tile_of_level(level, kThreads * kKeys);
    if (*level.stop != 0 || tile.count == 0) return;
    const int thread = threadIdx.x, slot = static_cast<int>(tile.slot);
    const bool twins = level.lists[slot].twins;
    const unsigned mine = quicksort::place_of<kBits>(thread % kParts);
    Key keys[kKeys];
    unsigned places[kKeys];  // 4 places of the part; and 4 ranks, times 65536
#pragma unroll
    for (int k = 0; k < kKeys; ++k) {
        const int i = k * kThreads + thread;
        keys[k] = i < tile.count ? level.from[tile.begin + i] : 0;
    }
    if (thread < kParts) {
        s_splitters[mine] = level.splitters[slot * kParts + thread];
        quicksort::write_tree<kBits>(s_tree, level.splitters + slot * kParts);
        s_counts[thread] = 0;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kKeys; k += 4) quicksort::descend<kBits, 4>(s_tree, keys + k, places + k);
#pragma unroll
    for (int k = 0; k < kKeys; ++k) {
        if (twins && places[k] != 4 * (kParts - 1) &&
            keys[k] == quicksort::word_at(s_splitters, places[k])) {
            places[k] =
                4 * quicksort::place_of<kBits>(quicksort::place_of<kBits>(places[k] / 4) + 1);
        }
    }
    rank_tile(tile.count, s_counts, places);
    __syncthreads();
    const unsigned count = thread < kParts ? s_counts[mine] / 4 : 0;
    Key* to = count > 0 ? reserve(level, slot, thread, count) : nullptr;
    const unsigned skew = reinterpret_cast<std::uintptr_t>(to) / sizeof(Key) % 4;
    const unsigned run = quicksort::sum_before(count > 0 ? (count + 6) / 4 * 4 : 0, s_sums) + skew;
    if (thread < kParts) s_runs[mine] = 4 * run;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kKeys; ++k) {
        if (places[k] == kNobody) continue;
        quicksort::word_at(
            s_keys, quicksort::word_at(s_runs, places[k] % 65536) + places[k] / 65536) = keys[k];
    }
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);  // bulk copies see the keys
    __syncthreads();
    if (to != nullptr) quicksort::store_run(s_keys + run, to, count);
    cuda::ptx::cp_async_bulk_commit_group();
    cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>());  // s_keys is read
}

// Samples the lists of a level and partitions them.
template <int kKeys, int kBits>
void run_level(const Level& level, int keys_per_part, std::uint64_t seed, std::int64_t tiles) {
    quicksort::launch_choose_regions<kBits>(level, keys_per_part, seed);
    const auto kernel = partition_kernel<kBits, kKeys>;
    constexpr int kBytes = (kThreads * kKeys + (6 << kBits)) * static_cast<int>(sizeof(Key));
    cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
    kernel<<<static_cast<unsigned>(tiles), kThreads, kBytes>>>(level);
    cuda_check(cudaGetLastError());
}

template <int kKeys>
void run_any(int bits, const Level& level, int keys_per_part, std::uint64_t seed,
             std::int64_t tiles) {
    constexpr decltype(&run_level<kKeys, 5>) kRun[] = {run_level<kKeys, 5>, run_level<kKeys, 6>,
                                                       run_level<kKeys, 7>, run_level<kKeys, 8>,
                                                       run_level<kKeys, 9>};
    kRun[bits - 5](level, keys_per_part, seed, tiles);
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    timer.begin(Phase::kSetup);
    const LevelPlan plan = quicksort::plan_levels(count, input.options);
    DeviceBuffer<Key> d_keys(count), d_first(plan.first_keys), d_last(plan.last_keys);
    LevelMemory memory(plan);
    const bool large = quicksort::shared_bytes_of_block() >= 72 * 1024;
    const int tile_keys = kThreads * (large ? kMoreKeys : kFewerKeys);

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_keys.data(), input.keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    LevelMemory::Outcome outcome = {.overflowed = true, .long_leaves = 0};
    if (plan.possible) {
        quicksort::queue_levels(plan, memory, d_keys.data(), count, d_first.data(), d_last.data(),
                                input.seed, tile_keys,
                                large ? run_any<kMoreKeys> : run_any<kFewerKeys>);
        outcome = memory.outcome();
    }
    const Key* sorted = d_first.data();
    int rounds = 0;
    if (outcome.overflowed) {
        d_last = {};  // makes room for the rounds' memory
        rounds = quicksort::sort_exactly(d_keys.data(), d_first.data(), count,
                                         input.options.integer("--rounds"), input.seed);
        sorted = d_keys.data();
    }

    timer.begin(Phase::kCopyOut);
    cuda_check(cudaMemcpy(output.keys.data(), sorted, d_keys.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid((count - 1) / tile_keys + 1, kThreads);
    timer.declare_work({.bytes = 2.0 * d_keys.bytes()});  // each key read and written once
    output.report = {{"overflowed", outcome.overflowed ? 1 : 0},
                     {"long_leaves", outcome.long_leaves},
                     {"rounds", rounds}};
}

int main(int argc, char** argv) {
    return quicksort::run_stage(argc, argv, STAGE_NAME, sort_keys, nullptr,
                                quicksort::kLevelOptions, quicksort::kLevelBytesPerKey);
}
