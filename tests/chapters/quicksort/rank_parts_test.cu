// SPDX-License-Identifier: MIT
// The block rank_parts alone: pieces of many lengths become lists again, and a sample has one key
// of each range. test_rank_balance.py and the tests of many ranks run its host code.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "blocks/rank_parts/list_pieces.cuh"
#include "blocks/rank_parts/rank_sample.cuh"
#include "common/cuda/cuda_check.hpp"
#include "common/cuda/device_buffer.hpp"
#include "limit/07_one_pass/levels.cuh"
#include "problem/quicksort.hpp"
#include "problem/rank_cuts.hpp"

namespace {

using course::cuda_check, course::DeviceBuffer;
using quicksort::Key, quicksort::LevelList, quicksort::Piece;

constexpr Key kUntouched = -1;

template <typename T>
DeviceBuffer<T> on_device(const std::vector<T>& values) {
    DeviceBuffer<T> d_values(static_cast<std::int64_t>(values.size()));
    cuda_check(
        cudaMemcpy(d_values.data(), values.data(), d_values.bytes(), cudaMemcpyHostToDevice));
    return d_values;
}

template <typename T>
std::vector<T> on_host(const DeviceBuffer<T>& d_values) {
    std::vector<T> values(d_values.count());
    cuda_check(
        cudaMemcpy(values.data(), d_values.data(), d_values.bytes(), cudaMemcpyDeviceToHost));
    return values;
}

// Lists in pieces, some of them empty, that lie in any order and with room between. The second list
// is constant and has no pieces.
void check_join(int ranks) {
    std::mt19937 random(ranks);
    constexpr int kLists = 3, kConstant = 1, kConstantKeys = 700;
    std::vector<std::int64_t> lengths(kLists * ranks), places(lengths.size());
    std::int64_t end = 0;
    for (std::size_t i = lengths.size(); i-- > 0;) {  // the last piece comes first in memory
        const bool is_constant = static_cast<int>(i) / ranks == kConstant;
        lengths[i] = is_constant || random() % 3 == 0 ? 0 : random() % 900;
        places[i] = end;
        end += lengths[i] + random() % 5;
    }
    std::vector<Key> from(end + 1), expected;
    for (Key& key : from) key = static_cast<Key>(random() % 1'000'000);
    std::vector<Piece> pieces;
    std::vector<LevelList> lists(kLists);
    for (int list = 0; list < kLists; ++list) {
        lists[list].begin = static_cast<std::int64_t>(expected.size());
        lists[list].constant = list == kConstant;
        unsigned before = 0;
        for (int rank = 0; rank < ranks; ++rank) {
            const std::size_t i = list * ranks + rank;
            const auto end_of_piece = before + static_cast<unsigned>(lengths[i]);
            pieces.push_back({places[i] - before, end_of_piece, 0});
            before = end_of_piece;
            const auto begin = from.begin() + places[i];
            expected.insert(expected.end(), begin, begin + lengths[i]);
        }
        lists[list].count = list == kConstant ? kConstantKeys : before;
        if (list == kConstant) expected.insert(expected.end(), kConstantKeys, 42);
    }
    const DeviceBuffer<Key> d_from = on_device(from);
    DeviceBuffer<LevelList> d_lists = on_device(lists);
    DeviceBuffer<Key> d_splitters = on_device(std::vector<Key>(kLists, 42));
    const DeviceBuffer<Piece> d_pieces = on_device(pieces);
    expected.push_back(kUntouched);
    DeviceBuffer<Key> d_to = on_device(std::vector<Key>(expected.size(), kUntouched));
    quicksort::ListGroup group = {};
    group.level.from = d_from.data();
    group.level.lists = d_lists.data();
    group.level.list_count = kLists;
    group.before.splitters = d_splitters.data();
    group.pieces = d_pieces.data();
    quicksort::queue_join(group, ranks, d_to.data());
    EXPECT_EQ(on_host(d_to), expected) << ranks << " ranks";
}

TEST(RankParts, PiecesBecomeListsAgain) {
    for (const int ranks : {1, 2, 3, 7, 32, 33, quicksort::kMostRanks}) check_join(ranks);
}

TEST(RankParts, ASampleHasAKeyOfEachRange) {
    constexpr std::int64_t kCount = 10'000;
    std::vector<Key> keys(kCount);
    for (std::int64_t i = 0; i < kCount; ++i) keys[i] = static_cast<Key>(i);
    const DeviceBuffer<Key> d_keys = on_device(keys);
    std::set<std::vector<Key>> different;
    for (const std::uint64_t seed : {1, 2, 3}) {
        constexpr int kSamples = 100;
        DeviceBuffer<Key> d_sample(kSamples);
        quicksort::sample_keys_kernel<<<2, 64>>>(d_keys.data(), kCount, kSamples, seed,
                                                 d_sample.data());
        cuda_check(cudaGetLastError());
        const std::vector<Key> sample = on_host(d_sample);
        for (int i = 0; i < kSamples; ++i) EXPECT_EQ(sample[i] / (kCount / kSamples), i);
        different.insert(sample);
    }
    EXPECT_EQ(different.size(), 3u);
}

TEST(RankParts, ARankWithoutKeysShowsTheLargestKey) {
    DeviceBuffer<Key> d_sample(5);
    quicksort::sample_keys_kernel<<<1, 32>>>(nullptr, 0, 5, 1, d_sample.data());
    cuda_check(cudaGetLastError());
    EXPECT_EQ(on_host(d_sample), std::vector<Key>(5, quicksort::kLargestKey));
}

}  // namespace
