// SPDX-License-Identifier: MIT
// The sort by levels needs at most the device memory that its stages declare, which the harness
// checks before anything is allocated.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "device/level_memory.cuh"
#include "device/multiway.cuh"
#include "device/rounds.cuh"
#include "device/two_pipes.cuh"
#include "problem/quicksort.hpp"

namespace {

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

TEST(QuicksortMemory, LevelsNeedAsManyBytesAsDeclared) {
    for (const std::int64_t count : kSizes) {
        const double tables = count < kLongList ? quicksort::kTablesOfShortLists : 0;
        EXPECT_LE(static_cast<double>(level_bytes(count)),
                  quicksort::kLevelBytesPerKey * static_cast<double>(count) + tables)
            << count;
    }
    EXPECT_LE(quicksort::kLevelBytesPerKey, sizeof(Key) == 4 ? 19 : 44.5);
}

}  // namespace
