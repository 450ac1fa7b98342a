// SPDX-License-Identifier: MIT
// The block rounds alone, with kernels that know the keys: 32 parts by the upper digit of a key. So
// only the first round parts anything, and lists that are too long stay until the end.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "blocks/rounds/round_sort.cuh"
#include "blocks/rounds/rounds.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "problem/quicksort.hpp"

namespace {

using course::cuda_check, course::DeviceBuffer;
using quicksort::Count, quicksort::Key, quicksort::Leaf, quicksort::Round;

constexpr int kParts = 32, kLeafKeys = 100;
constexpr Key kDigit = 1000;
constexpr int kConstantPart = 7;  // all of its keys are equal

// One thread per part, which counts its keys, and then moves them.
__global__ void part_lists_kernel(quicksort::Pass pass, quicksort::NextRound next) {
    const quicksort::List list = pass.lists[blockIdx.x];
    Count* counts = pass.counts + blockIdx.x * kParts;
    const int part = threadIdx.x;
    for (std::int64_t i = list.begin; i < list.begin + list.count; ++i) {
        counts[part] += pass.from[i] / kDigit == part;
    }
    quicksort::place_child(list, counts, part == kConstantPart, kConstantPart * kDigit, next);
    Key* to = pass.to + list.begin + counts[part];
    for (std::int64_t i = list.begin; i < list.begin + list.count; ++i) {
        if (pass.from[i] / kDigit == part) *to++ = pass.from[i];
    }
}

// One thread per leaf. Insertion sort.
__global__ void sort_leaves_kernel(const Key* from, Key* keys, const Leaf* leaves) {
    const Leaf leaf = leaves[blockIdx.x];
    if (leaf.constant) return quicksort::fill_leaf(leaf, keys);
    for (std::int64_t i = leaf.begin; i < leaf.begin + leaf.count; ++i) {
        const Key key = from[i];
        std::int64_t place = i;
        for (; place > leaf.begin && keys[place - 1] > key; --place) keys[place] = keys[place - 1];
        keys[place] = key;
    }
}

// One thread per tile: adds 1 for each of its keys.
__global__ void mark_tiles_kernel(quicksort::Pass pass, unsigned* marks) {
    const quicksort::Tile tile =
        quicksort::tile_of_block(pass.lists, pass.list_of_tile, quicksort::kTileKeys);
    for (int i = 0; i < tile.count; ++i) atomicAdd(&marks[tile.begin + i], 1u);
}

struct Made {
    std::vector<Key> keys;
    int rounds;
    unsigned lists_left;
    std::vector<unsigned> marks;  // of each place, how many tiles of the first round had it
};

Made sort_in_rounds(const std::vector<Key>& keys, int most) {
    const auto count = static_cast<std::int64_t>(keys.size());
    DeviceBuffer<Key> d_keys(count), d_buffer(count);
    DeviceBuffer<unsigned> d_marks(count);
    cuda_check(cudaMemset(d_marks.data(), 0, d_marks.bytes()));
    cuda_check(cudaMemcpy(d_keys.data(), keys.data(), d_keys.bytes(), cudaMemcpyHostToDevice));
    quicksort::RoundSort sort(count, {kParts, 1, kLeafKeys});
    bool first = true;
    const auto launch_round = [&](const Round& round) {
        if (first) mark_tiles_kernel<<<round.sizes.tiles, 1>>>(round.pass, d_marks.data());
        first = false;
        part_lists_kernel<<<round.sizes.lists, kParts>>>(round.pass, round.next);
        cuda_check(cudaGetLastError());
    };
    const auto launch_leaves = [](const Key* from, Key* to, const Leaf* leaves,
                                  unsigned leaf_count) {
        sort_leaves_kernel<<<leaf_count, 1>>>(from, to, leaves);
        cuda_check(cudaGetLastError());
    };
    Made made = {keys, 0, 0, std::vector<unsigned>(keys.size())};
    made.rounds = sort.sort({{0, count, 0}}, d_keys.data(), d_buffer.data(), most, 1, launch_round,
                            launch_leaves);
    made.lists_left = sort.lists_left();
    cuda_check(cudaMemcpy(made.keys.data(), d_keys.data(), d_keys.bytes(), cudaMemcpyDeviceToHost));
    cuda_check(
        cudaMemcpy(made.marks.data(), d_marks.data(), d_marks.bytes(), cudaMemcpyDeviceToHost));
    return made;
}

// `in_part` keys of each part, and `longer` keys more of part 3.
std::vector<Key> some_keys(int in_part, int longer) {
    std::mt19937 random(in_part);
    std::vector<Key> keys;
    const auto add = [&](int part) {
        const Key low = part == kConstantPart ? 0 : static_cast<Key>(random() % kDigit);
        keys.push_back(part * kDigit + low);
    };
    for (int part = 0; part < kParts; ++part) {
        for (int i = 0; i < in_part; ++i) add(part);
    }
    for (int i = 0; i < longer; ++i) add(3);
    std::shuffle(keys.begin(), keys.end(), random);
    return keys;
}

TEST(Rounds, ShortPartsAreLeavesOfOneRound) {
    std::vector<Key> keys = some_keys(kLeafKeys, 0);
    const Made made = sort_in_rounds(keys, 5);
    std::sort(keys.begin(), keys.end());
    EXPECT_EQ(made.keys, keys);
    EXPECT_EQ(made.rounds, 1);
    EXPECT_EQ(made.lists_left, 0u);
}

TEST(Rounds, AListThatStaysLongIsSortedAtTheEnd) {
    for (const int most : {0, 1, 2, 5}) {  // it ends in either buffer
        std::vector<Key> keys = some_keys(50, 60);
        const Made made = sort_in_rounds(keys, most);
        std::sort(keys.begin(), keys.end());
        EXPECT_EQ(made.keys, keys) << most;
        EXPECT_EQ(made.rounds, most);
        EXPECT_EQ(made.lists_left, 1u);
    }
}

TEST(Rounds, EachKeyIsInOneTile) {
    const std::vector<Key> keys = some_keys(600, 1);  // three tiles
    EXPECT_EQ(sort_in_rounds(keys, 1).marks, std::vector<unsigned>(keys.size(), 1));
}

TEST(Rounds, ALongConstantPartHasSeveralLeaves) {
    std::vector<Key> keys(quicksort::kConstantLeaf + 5, kConstantPart * kDigit);
    for (Key key = 50; key > 0; --key) keys.push_back(key);  // no constant key stays there
    const Made made = sort_in_rounds(keys, 5);
    std::sort(keys.begin(), keys.end());
    EXPECT_EQ(made.keys, keys);
    EXPECT_EQ(made.rounds, 1);
}

}  // namespace
