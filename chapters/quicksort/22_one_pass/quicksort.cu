// SPDX-License-Identifier: MIT
// Quicksort, stage 22: partition without counting first.
// Idea: a part gets a region with room for more keys than the sample promises, and a cursor hands
// out its places. So a level reads each key once and writes it once. If a region overflows, nothing
// is lost: the keys of the input are still there, and the sort of stage 21 starts with them.
// Compared with 21_twin_splitters: partition_kernel instead of two passes, and levels instead of
// rounds; the host waits once.
// Limit now: shared memory, and the stores of short runs.
// Not of the thesis.
#include <cuda_runtime.h>

#include <cstdint>

#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "device/exact_rounds.cuh"
#include "device/level_memory.cuh"
#include "device/levels.cuh"
#include "device/region_leaves.cuh"
#include "problem/quicksort.hpp"

using course::cuda_check, course::DeviceBuffer;
using quicksort::Input, quicksort::Key, quicksort::Level, quicksort::LevelMemory, quicksort::Output;
using quicksort::kKeysPerThread, quicksort::kThreads, quicksort::kTileKeys, quicksort::LevelPlan;
using quicksort::kMostParts, quicksort::Phase, quicksort::PhaseTimer, quicksort::Tile;

template <int kBits>
__global__ void __launch_bounds__(kThreads, 2) partition_kernel(Level level) {
    constexpr int kParts = 1 << kBits;
    __shared__ Key s_keys[kTileKeys], s_splitters[kParts], s_tree[kParts];
    __shared__ unsigned s_counts[kParts], s_runs[kParts], s_sums[kThreads / 32];
    __shared__ Key* s_targets[kParts];
    if (*level.stop != 0) return;
    const Tile tile = tile_of_level(level, kTileKeys);
    if (tile.count == 0) return;
    const int thread = threadIdx.x, slot = static_cast<int>(tile.slot);
    const bool twins = level.lists[slot].twins;
    if (thread < kParts) {
        s_splitters[thread] = level.splitters[slot * kParts + thread];
        if (thread < kParts - 1) s_tree[quicksort::node_of<kBits>(thread)] = s_splitters[thread];
        s_counts[thread] = 0;
    }
    Key keys[kKeysPerThread];
    int parts[kKeysPerThread];
    unsigned ranks[kKeysPerThread];
    quicksort::descend_tile<kBits>(level.from, tile, s_tree, keys, parts);
#pragma unroll
    for (int j = 0; j < kKeysPerThread; ++j) {
        if (twins && parts[j] < kParts - 1 && keys[j] == s_splitters[parts[j]]) ++parts[j];
        if (j * kThreads + thread < tile.count) ranks[j] = atomicAdd(&s_counts[parts[j]], 1u);
    }
    __syncthreads();
    const unsigned count = thread < kParts ? s_counts[thread] : 0;
    const unsigned run = quicksort::sum_before(count, s_sums);
    if (thread < kParts) {
        s_runs[thread] = run;
        s_targets[thread] = count > 0 ? reserve(level, slot, thread, count) : nullptr;
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < kKeysPerThread; ++j) {
        if (j * kThreads + thread < tile.count) s_keys[s_runs[parts[j]] + ranks[j]] = keys[j];
    }
    __syncthreads();
    for (int part = thread / 32; part < kParts; part += kThreads / 32) {  // a warp stores a run
        Key* to = s_targets[part];
        if (to == nullptr) continue;
        for (unsigned i = thread % 32; i < s_counts[part]; i += 32)
            to[i] = s_keys[s_runs[part] + i];
    }
}

// Samples the lists of a level and partitions them.
template <int kBits>
void run_level(const Level& level, int keys_per_part, std::uint64_t seed, std::int64_t tiles) {
    quicksort::launch_choose_regions<kBits>(level, keys_per_part, seed);
    partition_kernel<kBits><<<static_cast<unsigned>(tiles), kThreads>>>(level);
    cuda_check(cudaGetLastError());
}

void run_level(int bits, const Level& level, int keys_per_part, std::uint64_t seed,
               std::int64_t tiles) {
    switch (bits) {
        case 5:
            return run_level<5>(level, keys_per_part, seed, tiles);
        case 6:
            return run_level<6>(level, keys_per_part, seed, tiles);
        case 7:
            return run_level<7>(level, keys_per_part, seed, tiles);
        case 8:
            return run_level<8>(level, keys_per_part, seed, tiles);
        default:
            return run_level<9>(level, keys_per_part, seed, tiles);
    }
}

// Sorts keys[0, count) into `first`, which has plan.first_keys; `last` has plan.last_keys.
void queue_levels(const LevelPlan& plan, LevelMemory& memory, const Key* keys, std::int64_t count,
                  Key* first, Key* last, std::uint64_t seed) {
    const bool two = plan.last_bits > 0;
    memory.clear();
    const Level upper = memory.first(keys, two ? first : last), none = {};
    quicksort::prepare_level_kernel<<<1, kMostParts>>>(upper, none, count, plan.first_area,
                                                       kTileKeys);
    cuda_check(cudaGetLastError());
    run_level(plan.first_bits, upper, two ? 1 : quicksort::kKeysPerPart, seed,
              (count - 1) / kTileKeys + 1);
    const Level lower = two ? memory.last(first, last) : upper;
    if (two) {
        quicksort::prepare_level_kernel<<<1, kMostParts>>>(lower, upper, count, 0, kTileKeys);
        cuda_check(cudaGetLastError());
        run_level(plan.last_bits, lower, quicksort::kKeysPerPart, ~seed,
                  count / kTileKeys + lower.list_count);
    }
    quicksort::queue_leaves(lower, two ? upper : none, memory.leaves(), memory.leaf_count(), first);
}

void sort_keys(const Input& input, Output& output, PhaseTimer& timer) {
    const std::int64_t count = input.count();
    timer.begin(Phase::kSetup);
    const LevelPlan plan = quicksort::plan_levels(count, input.options);
    DeviceBuffer<Key> d_keys(count), d_first(plan.first_keys), d_last(plan.last_keys);
    LevelMemory memory(plan);

    timer.begin(Phase::kCopyIn);
    cuda_check(
        cudaMemcpy(d_keys.data(), input.keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    LevelMemory::Outcome outcome = {.overflowed = true, .long_leaves = 0};
    if (plan.possible) {
        queue_levels(plan, memory, d_keys.data(), count, d_first.data(), d_last.data(), input.seed);
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
    timer.note_grid((count - 1) / kTileKeys + 1, kThreads);
    timer.declare_work({.bytes = 2.0 * d_keys.bytes()});  // each key read and written once
    output.report = {{"overflowed", outcome.overflowed ? 1 : 0},
                     {"long_leaves", outcome.long_leaves},
                     {"rounds", rounds}};
}

int main(int argc, char** argv) {
    return quicksort::run_stage(argc, argv, STAGE_NAME, sort_keys, nullptr,
                                quicksort::kLevelOptions, quicksort::kLevelBytesPerKey);
}
