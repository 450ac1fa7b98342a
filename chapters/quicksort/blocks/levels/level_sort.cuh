// SPDX-License-Identifier: MIT
// The host's part of a sort by levels: memory, copies, the launches of both levels and of the
// leaves, what happens if a region overflows, and the report. A stage says how the lists of a level
// are partitioned.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

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
// pairs, for which a block has no room. With less shared memory there are fewer, and more is sorted
// again.
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

inline constexpr int kFewerKeys = sizeof(Key) == 4 ? 12 : 8;  // per thread

// Calls sort(keys per thread, partition), for tiles as long as shared memory holds. Tiles<keys>:
// the partition, from `arguments`.
template <template <int> typename Tiles, typename Sort, typename... Arguments>
auto with_tiles(const Sort& sort, Arguments&... arguments) {
    constexpr int kMoreKeys = sizeof(Key) == 4 ? 24 : 16;
    if (shared_bytes_of_block() >= 72 * 1024) {
        return sort(kMoreKeys, Tiles<kMoreKeys>{arguments...});
    }
    return sort(kFewerKeys, Tiles<kFewerKeys>{arguments...});
}

// Sorts lists of `count` keys in all by the rounds of stage limit/06: these count before they move,
// so they need no room besides a second buffer. The keys end where they were. Returns the number of
// rounds.
inline int sort_exactly(const std::vector<List>& lists, std::int64_t count, Key* keys, Key* buffer,
                        std::int64_t rounds, std::uint64_t seed) {
    RoundSort sort(count, kTwinShape, static_cast<std::int64_t>(lists.size()));
    return sort.sort(lists, keys, buffer, rounds, seed, launch_twin_round, launch_twin_leaves);
}

// Brings the keys of what did not fit to its places; cursors: all zero, one for each of them.
static __global__ void collect_unfit_kernel(const Key* __restrict__ keys, std::int64_t count,
                                            const Unfit* __restrict__ unfit, int number,
                                            Count* __restrict__ cursors, Key* __restrict__ to) {
    const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
    for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
         i += stride) {
        const Key key = keys[i];
        int part = 0;  // the first whose keys are not all less: they are in order
        for (int end = number; part < end;) {
            const int middle = (part + end) / 2;
            if (unfit[middle].high < key) {
                part = middle + 1;
            } else {
                end = middle;
            }
        }
        if (part == number || key < unfit[part].low) continue;
        to[unfit[part].begin + static_cast<std::int64_t>(atomicAdd(&cursors[part], Count{1}))] =
            key;
    }
}

// Sorts what did not fit, in rounds; all other keys are in `sorted` already. `keys` is the input.
// Returns the number of rounds.
inline int sort_unfit(std::vector<Unfit> unfit, const Key* keys, std::int64_t count, Key* sorted,
                      Key* buffer, std::int64_t rounds, std::uint64_t seed) {
    if (unfit.empty()) return 0;
    std::sort(unfit.begin(), unfit.end(),
              [](const Unfit& a, const Unfit& b) { return a.low < b.low; });
    std::vector<List> lists;
    std::int64_t keys_of_lists = 0;
    for (const Unfit& part : unfit) {
        lists.push_back({part.begin, part.count, 0});
        keys_of_lists += part.count;
    }
    const auto number = static_cast<std::int64_t>(unfit.size());
    course::DeviceBuffer<Unfit> d_unfit(number);
    course::DeviceBuffer<Count> d_cursors(number);
    course::cuda_check(
        cudaMemcpy(d_unfit.data(), unfit.data(), d_unfit.bytes(), cudaMemcpyHostToDevice));
    course::cuda_check(cudaMemset(d_cursors.data(), 0, d_cursors.bytes()));
    collect_unfit_kernel<<<1024, 256>>>(keys, count, d_unfit.data(), static_cast<int>(number),
                                        d_cursors.data(), sorted);
    course::cuda_check(cudaGetLastError());
    return sort_exactly(lists, keys_of_lists, sorted, buffer, rounds, seed);
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

// How a sort begins. Here: it clears the memory of the levels, and samples the list. A stage that
// looks at the keys first has another one.
struct FirstSample {
    template <int kBits, bool kFew>
    void begin(LevelMemory& memory, const Level& level, const LevelSource& source,
               int keys_per_part, std::uint64_t seed) {
        memory.clear();
        launch_choose_regions<kBits, kFew>(level, source, keys_per_part, seed);
    }
    // Whether found() is asked once the first level is queued, not at the end: then the first
    // partition keeps the device busy while the host waits for the answer.
    bool asks_early(std::int64_t) const { return false; }
    // Whether the keys were in order, either way, once the kernels have ended.
    bool in_order() const { return false; }
    // Where the sorted keys are if they were in order: in `keys`, or they are brought to `to`,
    // which has room for `count`. Waits for its kernel that looks.
    const Key* found(const Key*, Key*, std::int64_t) { return nullptr; }
};

// Sorts keys[0, count) into `first`, which has plan.first_keys; `last` has plan.last_keys. Returns
// where the sorted keys will be. partition(bits, level, tiles) launches the kernel of a stage for a
// level of 2^bits parts. Its first argument is a type's constant, so that the kernel can be a
// template of it.
template <typename Tree, typename AnyExchange, typename Partition, typename Begin = FirstSample>
const Key* queue_levels(const LevelPlan& plan, LevelMemory& memory, const Key* keys,
                        std::int64_t count, Key* first, Key* last, std::uint64_t seed,
                        int tile_keys, const Partition& partition, Begin&& begin = {}) {
    const Level none = {};
    const LevelSource source = {none, count, plan.first_area, tile_keys};
    const auto tiles = static_cast<unsigned>((count - 1) / tile_keys + 1);
    const bool two = plan.last_bits > 0;
    const Level upper = memory.first(keys, two ? first : last, count);
    with_bits(plan.first_bits, [&](auto bits) {
        if (two) {
            begin.template begin<bits, false>(memory, upper, source, 1, seed);
        } else {
            begin.template begin<bits, true>(memory, upper, source, kKeysPerLeaf, seed);
        }
        partition(bits, upper, tiles);
        course::cuda_check(cudaGetLastError());
    });
    if (begin.asks_early(count)) {
        if (const Key* found = begin.found(keys, first, count)) return found;
    }
    const Level lower = two ? memory.last(first, last) : upper;
    if (two) {
        with_bits(plan.last_bits, [&](auto bits) {
            launch_choose_regions<bits, false>(lower, {upper, count, 0, tile_keys}, kKeysPerLeaf,
                                               ~seed);
            partition(bits, lower, static_cast<unsigned>(count / tile_keys + lower.list_count));
            course::cuda_check(cudaGetLastError());
        });
    }
    queue_leaves<Tree, AnyExchange>(lower, two ? upper : none, memory.leaves(), memory.leaf_count(),
                                    first);
    return first;
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

// The sorted keys of a run, and how they came about: `again` parts or leaves did not fit, and were
// sorted again in so many rounds.
struct SortedKeys {
    const Key* keys;
    std::int64_t again;
    int rounds;
};

// What a stage with levels reports, if `overflowed` of its sorts had something to sort again.
inline std::vector<course::ReportField> level_report(const SortedKeys& sorted,
                                                     std::int64_t overflowed,
                                                     std::int64_t long_leaves) {
    return {{"overflowed", overflowed},
            {"sorted_again", sorted.again},
            {"long_leaves", long_leaves},
            {"rounds", sorted.rounds}};
}

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
    std::int64_t overflowed = first.again > 0;
    for (std::int64_t i = 1; i < seeds; ++i) {
        const SortedKeys sorted = sort(seed + static_cast<std::uint64_t>(i));
        overflowed += sorted.again > 0;
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
template <typename Tree, typename AnyExchange = Exchange, typename Partition,
          typename Begin = FirstSample>
void sort_by_levels(const Input& input, Output& output, PhaseTimer& timer, int keys_per_thread,
                    const Partition& partition, Begin&& begin = {}) {
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
    const std::int64_t rounds = input.options.integer("--rounds");
    const bool two = plan.last_bits > 0;
    const auto queue = [&](std::uint64_t seed) -> SortedKeys {
        if (plan.possible) {
            return {
                queue_levels<Tree, AnyExchange>(plan, memory, d_keys.data(), count, d_first.data(),
                                                d_last.data(), seed, tile_keys, partition, begin),
                0, 0};
        }
        if (seed != input.seed) {  // the sort before was in place
            course::cuda_check(cudaMemcpy(d_keys.data(), input.keys.data(), d_keys.bytes(),
                                          cudaMemcpyHostToDevice));
        }
        return {d_keys.data(), 1,
                sort_exactly({{0, count, 0}}, count, d_keys.data(), d_first.data(), rounds, seed)};
    };
    // What is left to do, once the kernels have ended; most often nothing.
    const auto is_left = [&] { return plan.possible && (memory.any_unfit() || begin.in_order()); };
    const auto settle = [&](SortedKeys& sorted, std::uint64_t seed) {
        if (const Key* found =
                begin.found(d_keys.data(), two ? d_first.data() : d_last.data(), count)) {
            sorted.keys = found;
            return;
        }
        const std::vector<Unfit> unfit = memory.unfit();
        sorted.again = static_cast<std::int64_t>(unfit.size());
        sorted.rounds =
            sort_unfit(unfit, d_keys.data(), count, d_first.data(), d_last.data(), rounds, seed);
    };
    SortedKeys sorted = queue(input.seed);
    timer.begin(Phase::kCopyOut);  // waits for the kernels
    if (is_left()) {
        timer.begin(Phase::kKernels);
        settle(sorted, input.seed);
        timer.begin(Phase::kCopyOut);
    }
    course::cuda_check(
        cudaMemcpy(output.keys.data(), sorted.keys, d_keys.bytes(), cudaMemcpyDeviceToHost));
    timer.end();
    timer.note_grid((count - 1) / tile_keys + 1, kThreads);
    // Each key is read, and written if it is not in order already.
    timer.declare_work({.bytes = (sorted.keys == d_keys.data() ? 1.0 : 2.0) * d_keys.bytes()});
    const std::int64_t long_leaves = plan.possible ? memory.long_leaves() : 0;
    const std::int64_t seeds = input.options.integer("--seeds");
    const auto sort = [&](std::uint64_t seed) {
        SortedKeys again = queue(seed);
        course::cuda_check(cudaDeviceSynchronize());
        if (is_left()) settle(again, seed);
        return again;
    };
    const std::int64_t overflowed =
        seeds > 1 ? sort_with_seeds(count, sorted, input.seed, seeds, sort) : sorted.again > 0;
    output.report = level_report(sorted, overflowed, long_leaves);
}

}  // namespace quicksort
