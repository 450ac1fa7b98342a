// SPDX-License-Identifier: MIT
// The block levels alone. It sorts, and says what did not fit; only that is sorted again. It needs
// at most the device memory that its stages declare, which the harness checks before anything is
// allocated.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "blocks/levels/level_memory.cuh"
#include "blocks/levels/level_sort.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "limit/01_multiway_partition/multiway.cuh"
#include "limit/03_register_network/register_network.cuh"
#include "limit/09_two_pipes/long_tiles.cuh"
#include "limit/09_two_pipes/path_tree.cuh"
#include "problem/quicksort.hpp"

namespace {

using course::cuda_check, course::DeviceBuffer;
using quicksort::Key, quicksort::LevelMemory, quicksort::LevelPlan;

// Leaves have the fewest keys right above a power of two.
const std::int64_t kSizes[] = {1,
                               5000,
                               (1 << 20) + 1,
                               1 << 23,
                               (1 << 22) + 1,
                               (1 << 23) + 1,
                               (1 << 24) + 1,
                               (1 << 28) + 1,
                               1 << 30};
constexpr std::int64_t kLongList = 1 << 23;
constexpr int kShortestTile = quicksort::kThreads * quicksort::kFewerKeys;

std::int64_t level_bytes(std::int64_t count) {
    const LevelPlan plan = quicksort::plan_levels(count, 0, quicksort::kMostSlack);
    return (count + plan.first_keys + plan.last_keys) * static_cast<std::int64_t>(sizeof(Key)) +
           static_cast<std::int64_t>(LevelMemory(plan, count, kShortestTile).bytes());
}

TEST(Levels, NeedAsManyBytesAsDeclared) {
    for (const std::int64_t count : kSizes) {
        const double tables = count < kLongList ? quicksort::kTablesOfShortLists : 0;
        EXPECT_LE(static_cast<double>(level_bytes(count)),
                  quicksort::kLevelBytesPerKey * static_cast<double>(count) + tables)
            << count;
    }
    EXPECT_LE(quicksort::kLevelBytesPerKey, sizeof(Key) == 4 ? 19 : 44.5);
}

struct Sorted {
    std::vector<Key> keys;
    std::vector<quicksort::Unfit> unfit;
    unsigned long_leaves;
};

// bits: of each of two levels, or 0 for as many levels as the keys need.
Sorted sort_by_levels(const std::vector<Key>& keys, int bits, std::int64_t slack) {
    const auto count = static_cast<std::int64_t>(keys.size());
    const LevelPlan plan = quicksort::plan_levels(count, bits, slack);
    DeviceBuffer<Key> d_keys(count), d_first(plan.first_keys), d_last(plan.last_keys);
    LevelMemory memory(plan, count, kShortestTile);
    cuda_check(cudaMemcpy(d_keys.data(), keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));
    quicksort::with_tiles<quicksort::LongTiles>([&](int keys_per_thread, const auto& partition) {
        quicksort::queue_levels<quicksort::PathTree, quicksort::Exchange>(
            plan, memory, d_keys.data(), count, d_first.data(), d_last.data(), 1,
            quicksort::kThreads * keys_per_thread, partition);
    });
    Sorted sorted = {std::vector<Key>(keys.size()), memory.unfit(), memory.long_leaves()};
    EXPECT_EQ(memory.any_unfit(), !sorted.unfit.empty());
    quicksort::sort_unfit(sorted.unfit, d_keys.data(), count, d_first.data(), d_last.data(), 8, 1);
    cuda_check(
        cudaMemcpy(sorted.keys.data(), d_first.data(), d_keys.bytes(), cudaMemcpyDeviceToHost));
    return sorted;
}

std::vector<Key> random_keys(int count, Key different) {
    std::mt19937_64 random(count);
    std::vector<Key> keys(count);
    for (Key& key : keys) key = static_cast<Key>(random() % different) - different / 2;
    return keys;
}

TEST(Levels, SortListsOfOneLevelAndOfTwo) {
    for (const int bits : {0, 5}) {
        for (const Key different : {Key{1}, Key{40}, Key{1} << 30}) {
            for (const int count : {1, 5000, 20'000}) {
                std::vector<Key> keys = random_keys(count, different);
                const Sorted sorted = sort_by_levels(keys, bits, quicksort::kMostSlack);
                std::sort(keys.begin(), keys.end());
                EXPECT_EQ(sorted.keys, keys) << bits << " bits, " << different << " keys";
                EXPECT_TRUE(sorted.unfit.empty()) << bits << " bits, " << different;
            }
        }
    }
}

// What does not fit lies between its two ends, which no other part has, and has as many keys as it
// says. In each level, and with equal keys, too.
TEST(Levels, OnlyWhatDoesNotFitIsSortedAgain) {
    for (const int bits : {0, 5}) {
        for (const Key different : {Key{300}, Key{1} << 30}) {
            std::vector<Key> keys = random_keys(20'000, different);
            const Sorted sorted = sort_by_levels(keys, bits, 0);
            std::sort(keys.begin(), keys.end());
            EXPECT_EQ(sorted.keys, keys);
            EXPECT_FALSE(sorted.unfit.empty()) << bits << " bits, " << different;
            std::int64_t again = 0;
            for (const quicksort::Unfit& part : sorted.unfit) {
                const auto first = std::lower_bound(keys.begin(), keys.end(), part.low);
                const auto end = std::upper_bound(keys.begin(), keys.end(), part.high);
                EXPECT_EQ(first - keys.begin(), part.begin);
                EXPECT_EQ(end - first, part.count);
                again += part.count;
            }
            EXPECT_LT(again, 20'000) << bits << " bits, " << different;
        }
    }
}

// A leaf of which one key is most: a warp writes its copies, and a long leaf gives them no room.
TEST(Levels, LeavesWithOneHeavyKey) {
    for (const std::size_t count : {1000, 6000, 15'000}) {
        std::vector<Key> keys(count, 5);
        for (std::size_t i = 0; i < count; i += 40) keys[i] = static_cast<Key>(i);
        const Sorted sorted = sort_by_levels(keys, 0, quicksort::kMostSlack);
        std::sort(keys.begin(), keys.end());
        EXPECT_EQ(sorted.keys, keys) << count;
    }
}

TEST(Levels, ALongLeafIsSortedInTurns) {
    std::vector<Key> keys(quicksort::kSplitLeafKeys + 2000);
    for (std::size_t i = 0; i < keys.size(); ++i)
        keys[i] = static_cast<Key>(i * 7919 % keys.size());
    DeviceBuffer<Key> d_keys(static_cast<std::int64_t>(keys.size())), d_sorted(d_keys.count());
    cuda_check(cudaMemcpy(d_keys.data(), keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));
    const quicksort::RegionLeaf leaf = {0, 0, static_cast<unsigned>(keys.size())};
    DeviceBuffer<quicksort::RegionLeaf> d_leaf(1);
    DeviceBuffer<unsigned> d_flags(4);
    cuda_check(cudaMemcpy(d_leaf.data(), &leaf, sizeof leaf, cudaMemcpyHostToDevice));
    cuda_check(cudaMemset(d_flags.data(), 0, d_flags.bytes()));
    unsigned* flags = d_flags.data();
    quicksort::sort_leaves_kernel<quicksort::PathTree, quicksort::Exchange>
        <<<1, quicksort::kLeafThreads, quicksort::kRoomBytes>>>(
            d_keys.data(), d_sorted.data(),
            quicksort::RegionLeaves{d_leaf.data(), nullptr, flags, flags + 1, nullptr, flags + 2,
                                    flags + 3});
    cuda_check(cudaGetLastError());
    std::vector<Key> found(keys.size());
    std::vector<unsigned> counted(4);
    cuda_check(cudaMemcpy(found.data(), d_sorted.data(), d_sorted.bytes(), cudaMemcpyDeviceToHost));
    cuda_check(cudaMemcpy(counted.data(), flags, d_flags.bytes(), cudaMemcpyDeviceToHost));
    std::sort(keys.begin(), keys.end());
    EXPECT_EQ(found, keys);
    EXPECT_EQ(counted, (std::vector<unsigned>{0, 1, 0, 0}));  // one long leaf, not too long
}

}  // namespace
