// SPDX-License-Identifier: MIT
// The oracle of chapter kmeans: what must pass, and what must fail.
#include <algorithm>
#include <functional>

#include "tests/chapters/kmeans/kmeans_testing.hpp"

namespace kmeans_test {
namespace {

struct Case {
    std::string_view input;
    std::int64_t count;
    int k;
    std::string init;
    std::int64_t max_iterations;
};

void PrintTo(const Case& c, std::ostream* out) {
    *out << c.input << " n=" << c.count << " k=" << c.k << ' ' << c.init << ' ' << c.max_iterations;
}

class Verdicts : public testing::TestWithParam<Case> {
  protected:
    Input input_ = make_input(GetParam().input, GetParam().count, GetParam().k, GetParam().init,
                              GetParam().max_iterations);
    Output right_ = solve(input_);

    bool fails(const std::function<void(Output&)>& change) const {
        Output output = right_;
        change(output);
        return !passes(input_, output);
    }
};

TEST_P(Verdicts, PassTheRightAnswerAndItsSum) {
    Verifier verifier(input_);
    const course::Verdict verdict = verifier.verify(right_);
    EXPECT_TRUE(verdict.passed) << verdict.message;
    UInt128 sse = 0;
    for (std::size_t i = 0; i < input_.points.size(); ++i) {
        sse += squared_distance(input_.points[i], right_.centroids[right_.labels[i]]);
    }
    std::string digits;
    do {
        digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(sse % 10)));
    } while ((sse /= 10) > 0);
    EXPECT_EQ(verifier.sse(), digits);
    const Input lists = as_lists(input_);
    Verifier of_lists(lists);
    EXPECT_TRUE(of_lists.verify(right_).passed);
    EXPECT_EQ(of_lists.sse(), digits);
}

TEST_P(Verdicts, FailOneLabel) {
    if (GetParam().k == 1) GTEST_SKIP();
    for (const std::int64_t i : {std::int64_t{0}, GetParam().count / 2, GetParam().count - 1}) {
        EXPECT_TRUE(fails(
            [&](Output& output) { output.labels[i] = (output.labels[i] + 1) % GetParam().k; }));
    }
}

TEST_P(Verdicts, FailEachOtherNumber) {
    const std::size_t last = right_.centroids.size() - 1;
    EXPECT_TRUE(fails([&](Output& output) { output.centroids[last].x += 1; }));
    EXPECT_TRUE(fails([&](Output& output) { output.centroids[0].y -= 1; }));
    EXPECT_TRUE(fails([&](Output& output) { output.sizes[last] += 1; }));
    EXPECT_TRUE(fails([&](Output& output) { output.sizes[0] -= 1; }));
    EXPECT_TRUE(fails([&](Output& output) { output.iterations += 1; }));
    EXPECT_TRUE(fails([&](Output& output) { output.converged = !output.converged; }));
    EXPECT_TRUE(fails([&](Output& output) { output.labels.pop_back(); }));
    EXPECT_TRUE(fails([&](Output& output) { output.centroids.pop_back(); }));
    EXPECT_TRUE(fails([&](Output& output) { output.sizes.push_back(0); }));
    EXPECT_TRUE(fails([&](Output& output) { output.labels[0] = -1; }));
    EXPECT_TRUE(fails([&](Output& output) { output.labels[0] = GetParam().k; }));
}

TEST_P(Verdicts, FailTwoClustersSwapped) {
    if (GetParam().k == 1) GTEST_SKIP();
    EXPECT_TRUE(fails([&](Output& output) {
        std::swap(output.centroids[0], output.centroids[1]);
        std::swap(output.sizes[0], output.sizes[1]);
        for (std::int32_t& label : output.labels) label = label < 2 ? 1 - label : label;
    }));
}

TEST_P(Verdicts, FailZeros) {
    EXPECT_TRUE(fails([](Output& output) {
        std::ranges::fill(output.labels, 0);
        std::ranges::fill(output.centroids, Point{0, 0});
        std::ranges::fill(output.sizes, 0);
    }));
}

TEST_P(Verdicts, FailAnIterationTooFew) {
    if (input_.max_iterations == 1 || right_.iterations < 3) GTEST_SKIP();
    Input fewer = input_;
    fewer.max_iterations = right_.iterations - 1;
    Output output = solve(fewer);
    EXPECT_FALSE(passes(input_, output));
    output.iterations = right_.iterations;  // and pretends to have done them all
    output.converged = right_.converged;
    EXPECT_EQ(passes(input_, output),
              right_.converged);  // if converged, the last iteration changed nothing
}

INSTANTIATE_TEST_SUITE_P(
    Inputs, Verdicts,
    testing::Values(Case{"uniform", 2000, 4, "random", 20},
                    Case{"uniform", 2000, 4, "random", 1000},
                    Case{"uniform", 5000, 70, "plusplus", 7}, Case{"uniform", 1, 1, "first", 20},
                    Case{"uniform", 64, 64, "random", 20},
                    Case{"gaussians", 3000, 9, "plusplus", 20}, Case{"rings", 3000, 6, "first", 50},
                    Case{"grid", 3600, 7, "first", 20}, Case{"grid", 1024, 1, "random", 20},
                    Case{"all-equal", 100, 3, "first", 20}));

// The filter by cells against all n * k distances, with unusual places of cells and centroids.
TEST(Oracle, LosesNoCentroidToItsCells) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        Input input = make_input("uniform", 600, 20, "random", 3, seed);
        // Squeezed into few coordinates: ties, equal centroids, cells with one coordinate.
        const int shift = static_cast<int>(seed % 32);
        for (Point& point : input.points) point = {point.x >> shift, point.y >> (31 - shift)};
        for (Point& centroid : input.centroids) {
            centroid = {centroid.x >> shift, centroid.y >> (seed % 3 == 0 ? 0 : 31 - shift)};
        }
        if (seed % 4 == 0) {
            input.points[17] = {kFar, kFar};  // now the other points are all in one corner
        }
        const course::Verdict verdict = Verifier(input).verify(solve(input));
        EXPECT_TRUE(verdict.passed) << seed << ": " << verdict.message;
    }
}

TEST(Exactness, TheWidestDistancesAndSumsFit) {
    Input input;
    // Squared distances up to 2^63, and a tie there.
    input.points = {{kFar, kFar}, {-kFar, -kFar}, {kFar, kFar - 1}, {-kFar, kFar}};
    input.centroids = {{-kFar, -kFar}, {-kFar, -kFar + 1}, {-kFar, -kFar + 1}};
    input.max_iterations = 1;
    const Output output = solve(input);
    EXPECT_EQ(output.labels, (std::vector<std::int32_t>{1, 0, 1, 1}));
    EXPECT_TRUE(passes(input, output));
}

TEST(Exactness, MeansAreTruncatedTowardZeroAndEmptyClustersStay) {
    Input input;
    input.points = {{-1, 1}, {-2, 2}, {0, 0}, {0, 0}};
    input.centroids = {{0, 0}, {5, 5}, {0, 0}};
    input.max_iterations = 1;
    const Output output = solve(input);
    EXPECT_EQ(output.centroids, (std::vector<Point>{{0, 0}, {5, 5}, {0, 0}}));
    EXPECT_EQ(output.sizes, (std::vector<std::int64_t>{4, 0, 0}));
    EXPECT_TRUE(output.converged);
    EXPECT_TRUE(passes(input, output));
    Output floored = output;
    floored.centroids[0].x = -1;
    EXPECT_FALSE(passes(input, floored));
}

}  // namespace
}  // namespace kmeans_test
