// SPDX-License-Identifier: MIT
// What several tests of chapter kmeans need: inputs, right answers, and files.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "common/base/error.hpp"
#include "problem/kmeans.hpp"
#include "tests/common/scratch_folder.hpp"

namespace kmeans_test {

using course_test::message_of, course_test::ScratchFolder;
using kmeans::Input, kmeans::Layout, kmeans::make_centroids, kmeans::make_points, kmeans::Output;
using kmeans::Point, kmeans::read_points, kmeans::Verifier;
using UInt128 = unsigned __int128;

inline constexpr std::int32_t kFar = 1 << 30;  // the greatest coordinate

inline UInt128 squared_distance(const Point& a, const Point& b) {
    const __int128 dx = __int128{a.x} - b.x, dy = __int128{a.y} - b.y;
    return static_cast<UInt128>(dx * dx + dy * dy);
}

// Lloyd's iterations, with every point against every centroid, in 128 bits: this answer must pass.
inline Output solve(const Input& input) {
    Output output;
    output.centroids = input.centroids;
    output.labels.resize(input.count());
    std::vector<Point> before;
    do {
        before = output.centroids;
        const std::size_t k = before.size();
        std::vector<__int128> x(k, 0), y(k, 0);
        output.sizes.assign(k, 0);
        for (std::int64_t i = 0; i < input.count(); ++i) {
            const Point point = input.point(i);
            std::size_t label = 0;
            for (std::size_t c = 1; c < k; ++c) {
                if (squared_distance(point, before[c]) < squared_distance(point, before[label])) {
                    label = c;
                }
            }
            output.labels[i] = static_cast<std::int32_t>(label);
            x[label] += point.x;
            y[label] += point.y;
            ++output.sizes[label];
        }
        for (std::size_t c = 0; c < k; ++c) {
            if (output.sizes[c] == 0) continue;
            output.centroids[c] = {static_cast<std::int32_t>(x[c] / output.sizes[c]),
                                   static_cast<std::int32_t>(y[c] / output.sizes[c])};
        }
        ++output.iterations;
        output.converged = output.centroids == before;
    } while (output.iterations < input.max_iterations &&
             (input.all_iterations || !output.converged));
    return output;
}

inline Input make_input(std::string_view name, std::int64_t count, int k, const std::string& init,
                        std::int64_t max_iterations, std::uint64_t seed = 1) {
    Input input;
    input.points = make_points(name, count, k, seed);
    input.centroids = make_centroids(init, input.points, k, seed);
    input.max_iterations = max_iterations;
    return input;
}

// The same points in the other layout only.
inline Input as_lists(Input input) {
    input.lists = kmeans::to_lists(input.points);
    input.points.clear();
    return input;
}

inline bool passes(const Input& input, const Output& output) {
    return Verifier(input).verify(output).passed;
}

class PointsFile : public testing::Test {
  protected:
    // The message that read_points throws for a file with this text; empty if it throws nothing.
    std::string error_of(const std::string& content) const {
        return message_of<course::InputError>(
            [&] { read_points(folder_.write("points", content)); });
    }

    ScratchFolder folder_;
};

}  // namespace kmeans_test
