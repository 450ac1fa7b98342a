// SPDX-License-Identifier: MIT
// Quicksort, stage 23: each run of a tile leaves by one bulk copy.
// Idea: a run lies in shared memory as it will lie in its region, so one thread orders its copy by
// one instruction, and the hardware moves the bytes. Bulk copies move pieces of 16 bytes: a run
// begins at the same place within 16 bytes as its target, and the few keys before and after the
// pieces are stored as usual.
// Compared with 22_one_pass: store_run, and the room of a run in s_keys.
// Limit now: shared memory: the descent through the tree, and the leaves.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>
#include <cuda/ptx>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "device/exact_rounds.cuh"
#include "device/level_memory.cuh"
#include "device/levels.cuh"
#include "device/region_leaves.cuh"
#include "problem/quicksort.hpp"

using course::cuda_check, course::DeviceBuffer;
using quicksort::Input, quicksort::Key, quicksort::Level, quicksort::LevelMemory, quicksort::Output;
using quicksort::kMostParts, quicksort::kThreads, quicksort::LevelPlan, quicksort::Phase;
using quicksort::PhaseTimer, quicksort::Tile;

constexpr int kMoreKeys = 16, kFewerKeys = 12;  // per thread: as many as shared memory holds

// Stores a run. It begins as many keys behind a multiple of 16 bytes as its target. Devices below
// compute capability 9.0 have no bulk copies.
__device__ void store_run(const Key* s_run, Key* to, unsigned count) {
    unsigned head = 0, body = 0;  // keys before the first whole piece, and in pieces
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    head =
        min(static_cast<unsigned>(-reinterpret_cast<std::uintptr_t>(to) / sizeof(Key) % 4), count);
    body = (count - head) / 4 * 4;
    if (body > 0) {
        cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, to + head,
                                 s_run + head, body * static_cast<unsigned>(sizeof(Key)));
    }
#endif
    for (unsigned i = 0; i < head; ++i) to[i] = s_run[i];
    for (unsigned i = head + body; i < count; ++i) to[i] = s_run[i];
}

// Dynamic shared memory: kThreads kKeys keys, and six more for each part.
template <int kBits, int kKeys>
__global__ void __launch_bounds__(kThreads, 2) partition_kernel(Level level) {
    constexpr int kParts = 1 << kBits;
    extern __shared__ __align__(16) Key s_keys[];
    __shared__ Key s_splitters[kParts], s_tree[kParts];
    __shared__ unsigned s_counts[kParts], s_runs[kParts], s_sums[kThreads / 32];
    if (*level.stop != 0) return;
    const Tile tile = tile_of_level(level, kThreads * kKeys);
    if (tile.count == 0) return;
    const int thread = threadIdx.x, slot = static_cast<int>(tile.slot);
    const bool twins = level.lists[slot].twins;
    if (thread < kParts) {
        s_splitters[thread] = level.splitters[slot * kParts + thread];
        if (thread < kParts - 1) s_tree[quicksort::node_of<kBits>(thread)] = s_splitters[thread];
        s_counts[thread] = 0;
    }
    Key keys[kKeys];
    int parts[kKeys];
    unsigned ranks[kKeys];
    quicksort::descend_tile<kBits>(level.from, tile, s_tree, keys, parts);
#pragma unroll
    for (int j = 0; j < kKeys; ++j) {
        if (twins && parts[j] < kParts - 1 && keys[j] == s_splitters[parts[j]]) ++parts[j];
        if (j * kThreads + thread < tile.count) ranks[j] = atomicAdd(&s_counts[parts[j]], 1u);
    }
    __syncthreads();
    const unsigned count = thread < kParts ? s_counts[thread] : 0;
    Key* to = count > 0 ? reserve(level, slot, thread, count) : nullptr;
    const unsigned skew = reinterpret_cast<std::uintptr_t>(to) / sizeof(Key) % 4;
    const unsigned run = quicksort::sum_before(count > 0 ? (count + 6) / 4 * 4 : 0, s_sums) + skew;
    if (thread < kParts) s_runs[thread] = run;
    __syncthreads();
#pragma unroll
    for (int j = 0; j < kKeys; ++j) {
        if (j * kThreads + thread < tile.count) s_keys[s_runs[parts[j]] + ranks[j]] = keys[j];
    }
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);  // bulk copies see the keys
    __syncthreads();
    if (to != nullptr) store_run(s_keys + run, to, count);
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
void run_level(int bits, const Level& level, int keys_per_part, std::uint64_t seed,
               std::int64_t tiles) {
    switch (bits) {
        case 5:
            return run_level<kKeys, 5>(level, keys_per_part, seed, tiles);
        case 6:
            return run_level<kKeys, 6>(level, keys_per_part, seed, tiles);
        case 7:
            return run_level<kKeys, 7>(level, keys_per_part, seed, tiles);
        case 8:
            return run_level<kKeys, 8>(level, keys_per_part, seed, tiles);
        default:
            return run_level<kKeys, 9>(level, keys_per_part, seed, tiles);
    }
}

// Sorts keys[0, count) into `first`, which has plan.first_keys; `last` has plan.last_keys.
template <int kKeys>
void queue_levels(const LevelPlan& plan, LevelMemory& memory, const Key* keys, std::int64_t count,
                  Key* first, Key* last, std::uint64_t seed) {
    constexpr int kTile = kThreads * kKeys;
    const bool two = plan.last_bits > 0;
    memory.clear();
    const Level upper = memory.first(keys, two ? first : last), none = {};
    quicksort::prepare_level_kernel<<<1, kMostParts>>>(upper, none, count, plan.first_area, kTile);
    cuda_check(cudaGetLastError());
    run_level<kKeys>(plan.first_bits, upper, two ? 1 : quicksort::kKeysPerPart, seed,
                     (count - 1) / kTile + 1);
    const Level lower = two ? memory.last(first, last) : upper;
    if (two) {
        quicksort::prepare_level_kernel<<<1, kMostParts>>>(lower, upper, count, 0, kTile);
        cuda_check(cudaGetLastError());
        run_level<kKeys>(plan.last_bits, lower, quicksort::kKeysPerPart, ~seed,
                         count / kTile + lower.list_count);
    }
    quicksort::queue_leaves(lower, two ? upper : none, memory.leaves(), memory.leaf_count(), first);
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    timer.begin(Phase::kSetup);
    const LevelPlan plan = quicksort::plan_levels(count, input.options);
    DeviceBuffer<Key> d_keys(count), d_first(plan.first_keys), d_last(plan.last_keys);
    LevelMemory memory(plan);
    const bool large = quicksort::shared_bytes_of_block() >= 72 * 1024;

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_keys.data(), input.keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    LevelMemory::Outcome outcome = {.overflowed = true, .long_leaves = 0};
    if (plan.possible) {
        const auto queue = large ? queue_levels<kMoreKeys> : queue_levels<kFewerKeys>;
        queue(plan, memory, d_keys.data(), count, d_first.data(), d_last.data(), input.seed);
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
    timer.note_grid((count - 1) / (kThreads * (large ? kMoreKeys : kFewerKeys)) + 1, kThreads);
    timer.declare_work({.bytes = 2.0 * d_keys.bytes()});  // each key read and written once
    output.report = {{"overflowed", outcome.overflowed ? 1 : 0},
                     {"long_leaves", outcome.long_leaves},
                     {"rounds", rounds}};
}

int main(int argc, char** argv) {
    return quicksort::run_stage(argc, argv, STAGE_NAME, sort_keys, nullptr,
                                quicksort::kLevelOptions, quicksort::kLevelBytesPerKey);
}
