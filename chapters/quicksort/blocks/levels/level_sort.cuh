// SPDX-License-Identifier: MIT
// The host's part of a sort by levels: memory, copies, the launches of both levels and of the
// leaves, what happens if a region overflows, and the report. A stage says how the lists of a level
// are partitioned.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "blocks/levels/level_memory.cuh"
#include "blocks/levels/region_leaves.cuh"
#include "blocks/rounds/round_sort.cuh"
#include "blocks/rounds/rounds.cuh"
#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "limit/01_multiway_partition/multiway.cuh"
#include "limit/03_register_network/register_network.cuh"
#include "limit/06_twin_splitters/twin_rounds.cuh"
#include "limit/07_one_pass/level_regions.cuh"
#include "limit/07_one_pass/levels.cuh"
#include "problem/quicksort.hpp"

namespace quicksort {

// Lets a kernel ask for so much dynamic shared memory.
template <typename Kernel>
void allow_shared_bytes(Kernel kernel, int bytes) {
    course::cuda_check(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}

// The most shared memory that a block of the current device can ask for.
inline int shared_bytes_of_block() {
    int device = 0, bytes = 0;
    course::cuda_check(cudaGetDevice(&device));
    course::cuda_check(
        cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    return bytes;
}

// A part needs 64 samples: then a region of 1.74 times the mean overflows once in 10^4 sorts of
// random keys. Half as many do for a short list, whose regions are larger, and for 512 parts of
// pairs, for which a block has no room. With less shared memory there are fewer, and the sort falls
// back more often.
template <int kBits, bool kFew>
struct RegionSample {
    static constexpr int kParts = 1 << kBits;
    static constexpr bool kHalf = kFew || kBits > kMostSampledBits;
    static constexpr int kSamples = kParts <= 64 ? 4096 : kParts * (kHalf ? 32 : 64);
    // Few threads with many keys each sort faster than the reverse: they have fewer barriers.
    static constexpr int kBlock = std::min(kSamples / kKeysPerThread, 1024);
    static constexpr int kKeys = kSamples / kBlock;
    static constexpr int kBytes = padded(kBlock * kKeys) * static_cast<int>(sizeof(Key));
    static constexpr int kFewerBytes = padded(kTileKeys) * static_cast<int>(sizeof(Key));
    static constexpr int kWanted = kBytes + 8192;  // with what the kernel has besides
    static constexpr bool kAlwaysFits = kWanted <= 48 * 1024;  // every device has so much
};

template <int kBits, bool kFew>
void launch_choose_regions(const Level& level, const LevelSource& source, int keys_per_part,
                           std::uint64_t seed) {
    using Sample = RegionSample<kBits, kFew>;
    if (Sample::kAlwaysFits || shared_bytes_of_block() >= Sample::kWanted) {
        const auto kernel = choose_regions_kernel<Sample::kParts, Sample::kBlock, Sample::kKeys>;
        if (!Sample::kAlwaysFits) allow_shared_bytes(kernel, Sample::kBytes);
        kernel<<<level.list_count, Sample::kBlock, Sample::kBytes>>>(level, source, keys_per_part,
                                                                     seed);
    } else if constexpr (!Sample::kAlwaysFits) {
        choose_regions_kernel<Sample::kParts, kThreads, kKeysPerThread>
            <<<level.list_count, kThreads, Sample::kFewerBytes>>>(level, source, keys_per_part,
                                                                  seed);
    }
    course::cuda_check(cudaGetLastError());
}

// Sorts the keys, which end where they were, by the rounds of stage limit/06: these count before
// they move, so they need no room besides a second buffer. Returns the number of rounds.
inline int sort_exactly(Key* keys, Key* buffer, std::int64_t count, std::int64_t rounds,
                        std::uint64_t seed) {
    RoundSort sort(count, kTwinShape);
    return sort.sort(keys, buffer, rounds, seed, launch_twin_round, launch_twin_leaves);
}

// Calls action() with a type's constant of the bits, so that kernels can be templates of them.
template <typename Action>
void with_bits(int bits, const Action& action) {
    switch (bits) {
        case 5:
            return action(std::integral_constant<int, 5>());
        case 6:
            return action(std::integral_constant<int, 6>());
        case 7:
            return action(std::integral_constant<int, 7>());
        case 8:
            return action(std::integral_constant<int, 8>());
        default:
            return action(std::integral_constant<int, 9>());
    }
}

// Samples the lists of a level of 2^bits parts, and partitions them: partition(bits, level, tiles)
// launches the kernel of a stage. Its first argument is a type's constant, so that the kernel can
// be a template of it.
template <int kBits, bool kFew, typename Partition>
void run_level(const Level& level, const LevelSource& source, int keys_per_part, std::uint64_t seed,
               std::int64_t tiles, const Partition& partition) {
    launch_choose_regions<kBits, kFew>(level, source, keys_per_part, seed);
    partition(std::integral_constant<int, kBits>(), level, static_cast<unsigned>(tiles));
    course::cuda_check(cudaGetLastError());
}

// kFew: of a short list, which has no other level.
template <bool kFew, typename Partition>
void run_level(int bits, const Level& level, const LevelSource& source, int keys_per_part,
               std::uint64_t seed, std::int64_t tiles, const Partition& partition) {
    with_bits(bits, [&](auto constant) {
        run_level<decltype(constant)::value, kFew>(level, source, keys_per_part, seed, tiles,
                                                   partition);
    });
}

// Sorts keys[0, count) into `first`, which has plan.first_keys; `last` has plan.last_keys. `memory`
// must be clear.
template <typename Tree, typename AnyExchange, typename Partition>
void queue_levels(const LevelPlan& plan, LevelMemory& memory, const Key* keys, std::int64_t count,
                  Key* first, Key* last, std::uint64_t seed, int tile_keys,
                  const Partition& partition) {
    const Level none = {};
    const LevelSource source = {none, count, plan.first_area, tile_keys};
    const std::int64_t tiles = (count - 1) / tile_keys + 1;
    if (plan.last_bits == 0) {
        const Level only = memory.first(keys, last, count);
        run_level<true>(plan.first_bits, only, source, kKeysPerLeaf, seed, tiles, partition);
        queue_leaves<Tree, AnyExchange>(only, none, memory.leaves(), memory.leaf_count(), first);
        return;
    }
    const Level upper = memory.first(keys, first, count), lower = memory.last(first, last);
    run_level<false>(plan.first_bits, upper, source, 1, seed, tiles, partition);
    run_level<false>(plan.last_bits, lower, {upper, count, 0, tile_keys}, kKeysPerLeaf, ~seed,
                     count / tile_keys + lower.list_count, partition);
    queue_leaves<Tree, AnyExchange>(lower, upper, memory.leaves(), memory.leaf_count(), first);
}

// Counts the places where two lists differ.
static __global__ void count_differences_kernel(const Key* __restrict__ keys,
                                                const Key* __restrict__ others, std::int64_t count,
                                                Count* __restrict__ differences) {
    const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
    for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
         i += stride) {
        if (keys[i] != others[i]) atomicAdd(differences, Count{1});
    }
}

// The sorted keys of a run, and how they came about.
struct SortedKeys {
    const Key* keys;
    LevelMemory::Outcome outcome;
    int rounds;
};

// sort(seed) sorts the same keys again; `first` is what it returned for the first seed. Sorts them
// with the seeds that follow, so that there are `seeds` in all, and returns how many sorts
// overflowed. Errors: WrongResultError if a result differs from the first.
template <typename Sort>
std::int64_t sort_with_seeds(std::int64_t count, const SortedKeys& first, std::uint64_t seed,
                             std::int64_t seeds, const Sort& sort) {
    course::DeviceBuffer<Key> d_first(count);
    course::DeviceBuffer<Count> d_differences(1);
    course::cuda_check(
        cudaMemcpy(d_first.data(), first.keys, d_first.bytes(), cudaMemcpyDeviceToDevice));
    course::cuda_check(cudaMemset(d_differences.data(), 0, d_differences.bytes()));
    std::int64_t overflowed = first.outcome.overflowed;
    for (std::int64_t i = 1; i < seeds; ++i) {
        const SortedKeys sorted = sort(seed + static_cast<std::uint64_t>(i));
        overflowed += sorted.outcome.overflowed;
        count_differences_kernel<<<1024, 256>>>(d_first.data(), sorted.keys, count,
                                                d_differences.data());
        course::cuda_check(cudaGetLastError());
        Count differences = 0;
        course::cuda_check(cudaMemcpy(&differences, d_differences.data(), sizeof differences,
                                      cudaMemcpyDeviceToHost));
        if (differences > 0) {
            throw course::WrongResultError(
                course::text("--seeds: seed ", seed + static_cast<std::uint64_t>(i), ": ",
                             differences, " keys differ from those of seed ", seed));
        }
    }
    return overflowed;
}

// The function of a stage. Tree, AnyExchange: those of the leaves. A tile has kThreads
// keys_per_thread keys.
template <typename Tree, typename AnyExchange = Exchange, typename Partition>
void sort_by_levels(const Input& input, Output& output, PhaseTimer& timer, int keys_per_thread,
                    const Partition& partition) {
    const std::int64_t count = input.count();
    const int tile_keys = kThreads * keys_per_thread;
    timer.begin(Phase::kSetup);
    const LevelPlan plan = plan_levels(count, static_cast<int>(input.options.integer("--bits")),
                                       input.options.integer("--slack"));
    course::DeviceBuffer<Key> d_keys(count), d_first(plan.first_keys), d_last(plan.last_keys);
    LevelMemory memory(plan, count, tile_keys);

    timer.begin(Phase::kCopyIn);
    course::cuda_check(
        cudaMemcpy(d_keys.data(), input.keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));

    timer.begin(Phase::kKernels);
    const auto queue = [&](std::uint64_t seed) {
        if (d_last.count() < plan.last_keys) {  // a sort before has overflowed, and used d_keys
            d_last = course::DeviceBuffer<Key>(plan.last_keys);
            course::cuda_check(cudaMemcpy(d_keys.data(), input.keys.data(), d_keys.bytes(),
                                          cudaMemcpyHostToDevice));
        }
        if (!plan.possible) return;
        queue_levels<Tree, AnyExchange>(plan, memory, d_keys.data(), count, d_first.data(),
                                        d_last.data(), seed, tile_keys, partition);
    };
    const auto outcome = [&]() -> SortedKeys {  // waits for the kernels
        if (!plan.possible) return {nullptr, {.overflowed = true, .long_leaves = 0}, 0};
        return {d_first.data(), memory.outcome(), 0};
    };
    const auto sort_again = [&](SortedKeys& sorted, std::uint64_t seed) {
        d_last = {};  // makes room for the rounds' memory
        sorted.rounds = sort_exactly(d_keys.data(), d_first.data(), count,
                                     input.options.integer("--rounds"), seed);
        sorted.keys = d_keys.data();
    };
    queue(input.seed);
    timer.begin(Phase::kCopyOut);
    SortedKeys sorted = outcome();
    if (sorted.outcome.overflowed) {
        timer.begin(Phase::kKernels);
        sort_again(sorted, input.seed);
        timer.begin(Phase::kCopyOut);
    }
    course::cuda_check(
        cudaMemcpy(output.keys.data(), sorted.keys, d_keys.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid((count - 1) / tile_keys + 1, kThreads);
    timer.declare_work({.bytes = 2.0 * d_keys.bytes()});  // each key read and written once
    const std::int64_t seeds = input.options.integer("--seeds");
    const auto sort = [&](std::uint64_t seed) {
        memory.clear();
        queue(seed);
        SortedKeys result = outcome();
        if (result.outcome.overflowed) sort_again(result, seed);
        return result;
    };
    const std::int64_t overflowed = seeds > 1
                                        ? sort_with_seeds(count, sorted, input.seed, seeds, sort)
                                        : sorted.outcome.overflowed;
    output.report = {{"overflowed", overflowed},
                     {"long_leaves", sorted.outcome.long_leaves},
                     {"rounds", sorted.rounds}};
}

}  // namespace quicksort
