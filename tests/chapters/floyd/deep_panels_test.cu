// SPDX-License-Identifier: MIT
// The panels of a round are what single steps leave in the pivots' columns, and what stood in their
// rows before the round. Their keys hold the same distances.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "blocks/deep_panels/deep_panels.cuh"
#include "common/cuda/device_buffer.hpp"

namespace {

using course::cuda_check, course::DeviceBuffer;
using floyd::Distance, floyd::Input, floyd::kInfinity, floyd::kMaxDistance, floyd::Vertex;

constexpr int kRound = 1;  // the second one: rows and columns of other pivots lie on both sides

template <class T>
std::vector<T> on_host(const T* device, std::int64_t count) {
    std::vector<T> host(count);
    cuda_check(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}

// The panels of round kRound of a padded graph, which it changes as the round does.
template <int kPivots>
struct Panels {
    explicit Panels(const Input& input)
        : stride((input.count + kPivots - 1) / kPivots * kPivots),
          d_distances(stride * stride),
          d_next_hops(stride * stride),
          d_panels(2 * kPivots * stride),
          d_least(2 * stride),
          d_keys(2 * kPivots * stride) {
        const floyd::Matrices matrices = {d_distances.data(), d_next_hops.data(), stride};
        DeviceBuffer<Distance> d_pivot_rows(kPivots * kPivots);
        DeviceBuffer<int> d_negative(kRound + 2);
        cuda_check(cudaMemset(d_negative.data(), 0, d_negative.bytes()));
        const auto panel = [&](int i) {
            return floyd::Panel{d_panels.data() + i * kPivots * stride,
                                d_keys.data() + i * kPivots * stride, d_least.data() + i * stride};
        };
        floyd::copy_in(input, matrices);
        before = on_host(d_distances.data(), stride * stride);
        floyd::allow_strips<kPivots>();
        floyd::relax_diagonal_kernel<kPivots><<<1, floyd::Shape<kPivots>::kThreads>>>(
            matrices, kRound, d_pivot_rows.data(), d_negative.data());
        cuda_check(cudaGetLastError());
        floyd::launch_columns<kPivots>(matrices, kRound, d_pivot_rows.data(), panel(0), panel(1),
                                       d_negative.data(), nullptr);
        after = on_host(d_distances.data(), stride * stride);
        distances = on_host(d_panels.data(), 2 * kPivots * stride);
        least = on_host(d_least.data(), 2 * stride);
        keys = on_host(d_keys.data(), 2 * kPivots * stride);
        negative = on_host(d_negative.data() + kRound + 1, 1)[0];
    }

    std::int64_t stride;
    DeviceBuffer<Distance> d_distances;
    DeviceBuffer<Vertex> d_next_hops;
    DeviceBuffer<Distance> d_panels, d_least;
    DeviceBuffer<int> d_keys;
    std::vector<Distance> before, after, distances, least;
    std::vector<int> keys;
    int negative = 0;
};

// The steps of the round one after the other, in the whole matrix.
template <int kPivots>
std::vector<Distance> stepped(std::vector<Distance> cells, std::int64_t stride) {
    for (std::int64_t k = kRound * kPivots; k < (kRound + 1) * kPivots; ++k) {
        for (std::int64_t i = 0; i < stride; ++i) {
            for (std::int64_t j = 0; j < stride; ++j) {
                const Distance to = cells[i * stride + k], from = cells[k * stride + j];
                if (to == kInfinity || from == kInfinity) continue;
                cells[i * stride + j] = std::min(cells[i * stride + j], to + from);
            }
        }
    }
    return cells;
}

template <int kPivots>
void expect_right_panels(std::string_view graph, floyd::GraphOptions options) {
    const Panels<kPivots> panels(
        floyd::make_input(floyd::make_graph(graph, 2 * kPivots + 9, options)));
    const std::int64_t stride = panels.stride;
    const std::vector<Distance> expected = stepped<kPivots>(panels.before, stride);
    ASSERT_EQ(panels.negative, 0);
    for (int k = 0; k < kPivots; ++k) {
        const std::int64_t pivot = kRound * kPivots + k;
        for (std::int64_t vertex = 0; vertex < stride; ++vertex) {
            const bool own = vertex / kPivots == kRound;
            const Distance wanted[2] = {expected[vertex * stride + pivot],
                                        own ? kInfinity : panels.before[pivot * stride + vertex]};
            EXPECT_EQ(panels.after[vertex * stride + pivot], wanted[0]);
            for (int i = 0; i < 2; ++i) {  // to the pivots, from the pivots
                const std::int64_t place = (i * kPivots + k) * stride + vertex;
                ASSERT_EQ(panels.distances[place], wanted[i]) << i << ' ' << k << ' ' << vertex;
                const int tag = i == 0 ? k + 1 : 0;
                using Keys = floyd::Keys<kPivots>;
                const int key = panels.keys[place] - tag;
                if (wanted[i] > kMaxDistance) {
                    ASSERT_EQ(key, Keys::kInfinite);
                } else {
                    ASSERT_EQ(key, std::min(wanted[i] - panels.least[i * stride + vertex],
                                            Keys::kMaxRelative) *
                                       Keys::kTags);
                }
            }
        }
    }
}

TEST(DeepPanels, AreWhatSingleStepsLeave) {
    floyd::GraphOptions options;
    options.density = 0.03;  // many pairs have no path yet
    expect_right_panels<64>("random", options);
    expect_right_panels<128>("random", options);
    options.negative = true;
    expect_right_panels<64>("random", options);
    options.density = 1;
    expect_right_panels<128>("random", options);
    expect_right_panels<64>("cycle", {.max_weight = 3'900'000});  // cut keys
}

}  // namespace
