// SPDX-License-Identifier: MIT
// Inputs, files and verdicts of chapter kmeans.
#include "problem/kmeans.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <set>

#include "common/harness/error.hpp"
#include "common/input/numbers.hpp"
#include "common/limits/host_memory.hpp"
#include "tests/chapters/stage_run.hpp"
#include "tests/common/scratch_folder.hpp"

namespace {

using course_test::message_of, course_test::read_file, course_test::ScratchFolder;
using kmeans::Input, kmeans::Layout, kmeans::make_centroids, kmeans::make_points, kmeans::Output;
using kmeans::Point, kmeans::read_points, kmeans::Verifier;
using UInt128 = unsigned __int128;

constexpr std::int32_t kFar = 1 << 30;  // the greatest coordinate

UInt128 squared_distance(const Point& a, const Point& b) {
    const __int128 dx = __int128{a.x} - b.x, dy = __int128{a.y} - b.y;
    return static_cast<UInt128>(dx * dx + dy * dy);
}

// Lloyd's iterations, every point against every centroid, in 128 bits: an answer that must pass.
Output solve(const Input& input) {
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

Input make_input(std::string_view name, std::int64_t count, int k, const std::string& init,
                 std::int64_t max_iterations, std::uint64_t seed = 1) {
    Input input;
    input.points = make_points(name, count, k, seed);
    input.centroids = make_centroids(init, input.points, k, seed);
    input.max_iterations = max_iterations;
    return input;
}

// The same points, and nothing of the other layout.
Input as_lists(Input input) {
    input.lists = kmeans::to_lists(input.points);
    input.points.clear();
    return input;
}

bool passes(const Input& input, const Output& output) {
    return Verifier(input).verify(output).passed;
}

TEST(Inputs, HaveTheAskedNumberOfPointsWithinTheRange) {
    for (const std::string_view name : kmeans::kInputNames) {
        for (const std::int64_t count : {1, 2, 3, 10, 40000}) {
            const std::vector<Point> points = make_points(name, count, 3, 7);
            ASSERT_EQ(std::ssize(points), count) << name;
            std::int64_t greatest = 0;
            for (const Point& point : points) {
                greatest = std::max(
                    {greatest, std::abs(std::int64_t{point.x}), std::abs(std::int64_t{point.y})});
            }
            EXPECT_LE(greatest, kmeans::kMaxCoordinate) << name;
            if (count == 40000) {
                EXPECT_GT(greatest, kmeans::kMaxCoordinate / 10) << name;
            }
        }
    }
    EXPECT_THROW(make_points("triangle", 3, 1, 1), course::UsageError);
    EXPECT_THROW(make_points("uniform", kmeans::kMaxPoints + 1, 1, 1), course::UsageError);
}

TEST(Inputs, DependOnTheSeedAlone) {
    // Written down once: they must never change, on any machine.
    const std::vector<Point> uniform = make_points("uniform", 40000, 4, 1);
    EXPECT_EQ(uniform, make_points("uniform", 40000, 4, 1));
    EXPECT_NE(uniform[39999], make_points("uniform", 40000, 4, 2)[39999]);
    EXPECT_EQ(uniform[39999], make_points("uniform", 40001, 4, 1)[39999]);
    for (const char* name : {"gaussians", "rings"}) {
        EXPECT_EQ(make_points(name, 20000, 4, 3), make_points(name, 20000, 4, 3));
        EXPECT_NE(make_points(name, 20000, 4, 3), make_points(name, 20000, 4, 4));
    }
}

TEST(Inputs, AllEqualHasOnePointAndGridNoTwoAlike) {
    const std::vector<Point> equal = make_points("all-equal", 100, 4, 1);
    EXPECT_EQ(std::ranges::count(equal, equal[0]), 100);
    std::set<std::pair<int, int>> different;
    for (const Point& point : make_points("grid", 100, 4, 1)) different.insert({point.x, point.y});
    EXPECT_EQ(different.size(), 100u);
}

TEST(Inputs, RingsHaveThreeRadii) {
    std::set<int> tenths;
    for (const Point& point : make_points("rings", 1000, 4, 1)) {
        tenths.insert(static_cast<int>(std::hypot(point.x, point.y) / kFar * 20));
    }
    EXPECT_EQ(tenths, (std::set<int>{6, 12, 13, 18, 19}));
}

TEST(Inputs, HaveTheSamePointsInEitherLayout) {
    const std::vector<Point> points = {{1, -2}, {kFar, 0}, {-kFar, 7}};
    Input input;
    input.points = points;
    EXPECT_EQ(kmeans::to_lists(points), (std::vector<std::int32_t>{1, kFar, -kFar, -2, 0, 7}));
    for (const Input& one : {input, as_lists(input)}) {
        ASSERT_EQ(one.count(), 3);
        for (std::int64_t i = 0; i < 3; ++i) EXPECT_EQ(one.point(i), points[i]);
    }
    std::vector<Point> back(3);
    kmeans::from_lists(as_lists(input).lists, back);
    EXPECT_EQ(back, points);
}

// A label of the clouds' own, and one of the clusters': each of one must be one of the other.
TEST(Inputs, CloudsAreFoundFromPlusplus) {
    for (const int k : {1, 2, 5, 16}) {
        int found = 0;
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            constexpr std::int64_t kCount = 2000;
            std::vector<std::int32_t> clouds(kCount);
            Input input;
            input.points = make_points("gaussians", kCount, k, seed, clouds);
            ASSERT_EQ(input.points, make_points("gaussians", kCount, k, seed));
            input.centroids = make_centroids("plusplus", input.points, k, seed);
            const Output output = solve(input);
            std::set<std::pair<int, int>> pairs;
            for (std::int64_t i = 0; i < kCount; ++i) {
                pairs.insert({clouds[i], output.labels[i]});
            }
            found += std::ssize(pairs) == k && output.converged;
        }
        EXPECT_GE(found, 8) << k;  // D^2 sampling is lucky often, not always
    }
}

TEST(Centroids, FirstAndRandomArePoints) {
    const std::vector<Point> points = make_points("grid", 50, 4, 1);
    const std::vector<Point> first = make_centroids("first", points, 7, 1);
    EXPECT_TRUE(std::ranges::equal(first, std::span(points).first(7)));
    for (const char* init : {"random", "plusplus"}) {
        std::set<int> drawn;  // over some seeds, every point
        for (std::uint64_t seed = 1; seed <= 60; ++seed) {
            std::set<int> own;
            for (const Point& centroid : make_centroids(init, points, 7, seed)) {
                const auto place = std::ranges::find(points, centroid) - points.begin();
                ASSERT_LT(place, 50) << init;
                own.insert(static_cast<int>(place));
            }
            EXPECT_EQ(own.size(), 7u) << init;
            drawn.insert(own.begin(), own.end());
        }
        EXPECT_EQ(drawn.size(), 50u) << init;
        EXPECT_EQ(make_centroids(init, points, 50, 1).size(), 50u) << init;
        EXPECT_EQ(make_centroids(init, make_points("all-equal", 9, 9, 1), 9, 1).size(), 9u) << init;
    }
}

TEST(Centroids, PlusplusPrefersTheFarPoint) {
    std::vector<Point> points(1000, Point{0, 0});
    points[777] = {kFar, -kFar};
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const std::vector<Point> centroids = make_centroids("plusplus", points, 2, seed);
        EXPECT_NE(centroids[0], centroids[1]);
    }
    // Three places: the second is drawn in proportion to 1 : 3^2.
    points.assign(1000, Point{0, 0});
    points[0] = {1, 0};
    points[999] = {0, 3};
    int far = 0, draws = 0;
    for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
        const std::vector<Point> centroids = make_centroids("plusplus", points, 2, seed);
        if (centroids[0] != Point{0, 0}) continue;
        ++draws;
        far += centroids[1] == points[999];
    }
    EXPECT_NEAR(static_cast<double>(far) / draws, 0.9, 0.03);
}

class PointsFile : public testing::Test {
  protected:
    // What read_points throws on a file of this text; empty when it throws nothing.
    std::string error_of(const std::string& content) const {
        return message_of<course::InputError>(
            [&] { read_points(folder_.write("points", content)); });
    }

    ScratchFolder folder_;
};

TEST_F(PointsFile, HoldsBlanksOrCommas) {
    const std::string path =
        folder_.write("points", "# three\n1 2\n\n-3,4\n 1073741824 , -1073741824 #\n");
    EXPECT_EQ(read_points(path), (std::vector<Point>{{1, 2}, {-3, 4}, {kFar, -kFar}}));
}

TEST_F(PointsFile, FaultsNameTheirLine) {
    for (const char* bad :
         {"1", "1 2 3", "1,2,3", "1,", ",1", "1.5 2", "1 x", "1 nan", "1073741825 0",
          "0 -1073741825", "1 99999999999999999999", "x,y", "0x10 1", "1;2"}) {
        const std::string error = error_of(std::string("1 2\n") + bad + "\n");
        EXPECT_EQ(error.rfind(folder_ / "points" + ":2: ", 0), 0u) << bad << ": " << error;
    }
    EXPECT_NE(error_of(""), "");
    EXPECT_NE(error_of("# nothing\n"), "");
    EXPECT_THROW(read_points("no/such/file"), course::InputError);
    EXPECT_THROW(read_points(folder_.path()), course::InputError);
}

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
    output.iterations = right_.iterations;  // and a lie about it
    output.converged = right_.converged;
    EXPECT_EQ(passes(input_, output), right_.converged);  // then the lie is the truth
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

// The filter by cells against all n * k distances, where cells and centroids lie oddly.
TEST(Oracle, LosesNoCentroidToItsCells) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        Input input = make_input("uniform", 600, 20, "random", 3, seed);
        // Squeezed to a few coordinates: ties, equal centroids, cells one coordinate wide.
        const int shift = static_cast<int>(seed % 32);
        for (Point& point : input.points) point = {point.x >> shift, point.y >> (31 - shift)};
        for (Point& centroid : input.centroids) {
            centroid = {centroid.x >> shift, centroid.y >> (seed % 3 == 0 ? 0 : 31 - shift)};
        }
        if (seed % 4 == 0) input.points[17] = {kFar, kFar};  // the rest in a corner
        const course::Verdict verdict = Verifier(input).verify(solve(input));
        EXPECT_TRUE(verdict.passed) << seed << ": " << verdict.message;
    }
}

TEST(Exactness, TheWidestDistancesAndSumsFit) {
    Input input;
    // Up to 2^63 apart, and a tie there.
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

// A stage that takes either layout.
void solve_timed(const Input& input, Output& output, kmeans::PhaseTimer& timer) {
    timer.begin(kmeans::Phase::kKernels);
    output = solve(input);
    timer.end();
}

course_test::RunResult run(std::vector<std::string> arguments, Layout layout = Layout::kPoints,
                           kmeans::FindClusters stage = solve_timed) {
    return course_test::run_quietly(std::move(arguments), [&](int argc, char** argv) {
        return kmeans::run_stage(argc, argv, "kmeans/test", stage, layout);
    });
}

TEST(CommandLine, AStageGetsTheLayoutThatItAskedForAndNoOther) {
    const std::vector<std::string> arguments = {"--check", "--n", "33", "--init", "plusplus"};
    const auto points = [](const Input& input, Output& output, kmeans::PhaseTimer& timer) {
        if (input.points.size() == 33 && input.lists.capacity() == 0) {
            solve_timed(input, output, timer);
        }
    };
    const auto lists = [](const Input& input, Output& output, kmeans::PhaseTimer& timer) {
        if (input.lists.size() == 66 && input.points.capacity() == 0) {
            solve_timed(input, output, timer);
        }
    };
    EXPECT_EQ(run(arguments, Layout::kPoints, points).status, 0);
    EXPECT_EQ(run(arguments, Layout::kLists, lists).status, 0);
    EXPECT_NE(run(arguments, Layout::kPoints, lists).status, 0);
    EXPECT_NE(run(arguments, Layout::kLists, points).status, 0);
}

// The points and their labels, and before them the points twice where they are copied into lists or
// weighed: 12 or 16 bytes a point, and on the CPU's "device" 12 more.
TEST(CommandLine, StatesTheMemoryOfTheLayout) {
    constexpr std::int64_t kRound = 10'000'000;  // so that the oracle's few MB round to nothing
    // 12 bytes a point are free, and 24 are not.
    const std::int64_t n = course::available_host_bytes() / 18 / kRound * kRound;
    const auto states = [&](int bytes, Layout layout, const std::string& init) {
        const auto result = run({"--check", "--n", std::to_string(n), "--init", init}, layout);
        EXPECT_EQ(result.status, 2);
        const std::string needed = course::format_bytes(static_cast<double>(bytes * n));
        return result.diagnostics.find(" needs " + needed + " of host memory") != std::string::npos;
    };
    EXPECT_TRUE(states(24, Layout::kPoints, "first"));
    EXPECT_TRUE(states(28, Layout::kPoints, "plusplus"));
    EXPECT_TRUE(states(28, Layout::kLists, "first"));
    EXPECT_TRUE(states(28, Layout::kLists, "plusplus"));
}

TEST_F(PointsFile, RunsWriteBothFilesOrNone) {
    const std::string points = folder_.write("in", "0 0\n1,0\n10 0\n-11 5\n-12 6\n");
    const std::string centroids = folder_.write("init", "0 0\n10 0\n-10 0\n500 500\n");
    const std::string out = folder_ / "out", means = folder_ / "means";
    const std::vector<std::string> arguments = {"--check", "--input",     points, "--k",
                                                "4",       "--output",    out,    "--init",
                                                centroids, "--centroids", means};
    const auto with = [&](std::vector<std::string> more, Layout layout = Layout::kPoints) {
        more.insert(more.begin(), arguments.begin(), arguments.end());
        return run(more, layout);
    };
    for (const Layout layout : {Layout::kPoints, Layout::kLists}) {
        EXPECT_EQ(with({}, layout).status, 0) << with({}, layout).diagnostics;
        EXPECT_EQ(read_file(out), "x,y,label\n0,0,0\n1,0,0\n10,0,1\n-11,5,2\n-12,6,2\n");
        EXPECT_EQ(read_file(means), "x,y,size\n0,0,2\n10,0,1\n-11,5,2\n500,500,0\n");
        ASSERT_EQ(folder_.count(), 4);
        std::filesystem::remove(out);
        std::filesystem::remove(means);
    }

    for (const char* content :
         {"1 2\n", "1 2\n3 4\n5 6\n7 8\n9 10\n", "1 2\n3 4\n5 6\n7 x\n", ""}) {
        folder_.write("init", content);
        const auto result = with({});
        EXPECT_EQ(result.status, 1) << content;
        EXPECT_NE(result.diagnostics.find(centroids), std::string::npos) << result.diagnostics;
        EXPECT_EQ(std::ranges::count(result.diagnostics, '\n'), 1) << result.diagnostics;
        EXPECT_EQ(folder_.count(), 2);
    }
    for (const char* content : {"1 2\n3 4\n5 6\n7.5 8\n", "1 2\n3\n", "1 2\n1 1073741825\n", ""}) {
        folder_.write("in", content);
        const auto result = with({});
        EXPECT_EQ(result.status, 1) << content;
        EXPECT_NE(result.diagnostics.find(points), std::string::npos) << result.diagnostics;
        EXPECT_EQ(std::ranges::count(result.diagnostics, '\n'), 1) << result.diagnostics;
        EXPECT_EQ(folder_.count(), 2);
    }
    folder_.write("in", "1 2\n3 4\n");
    EXPECT_EQ(with({}).status, 2);  // k > n
    EXPECT_EQ(with({"--n", "3"}).status, 2);
    EXPECT_EQ(folder_.count(), 2);
}

TEST(Report, SaysHowItEnded) {
    auto result = run({"--n", "500", "--k", "3", "--max-iterations", "2", "--repeats", "1"});
    ASSERT_EQ(result.status, 0) << result.diagnostics;
    EXPECT_NE(result.output.find("iterations      2\n"), std::string::npos) << result.output;
    EXPECT_NE(result.output.find("converged       not converged\n"), std::string::npos);
    EXPECT_NE(result.output.find("sse "), std::string::npos);
    EXPECT_NE(result.output.find("k=3;init=random;max-iterations=2\n"), std::string::npos);
    result = run({"--n", "500", "--k", "1", "--repeats", "1"});
    EXPECT_NE(result.output.find("iterations      2\n"), std::string::npos) << result.output;
    EXPECT_NE(result.output.find("converged       yes\n"), std::string::npos);
    result = run({"--n", "500", "--k", "1", "--all-iterations", "--repeats", "1"});
    EXPECT_NE(result.output.find(";max-iterations=20;all-iterations=1\n"), std::string::npos);
    EXPECT_NE(result.output.find("iterations      20\n"), std::string::npos) << result.output;
    EXPECT_NE(result.output.find("converged       yes\n"), std::string::npos);
}

}  // namespace
