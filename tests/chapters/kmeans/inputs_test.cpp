// SPDX-License-Identifier: MIT
// Points, initial centroids and files of chapter kmeans.
#include <algorithm>
#include <cmath>
#include <set>

#include "tests/chapters/kmeans/kmeans_testing.hpp"

namespace kmeans_test {
namespace {

TEST(Inputs, HaveTheRequestedNumberOfPointsWithinTheRange) {
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

TEST(Inputs, StayWithinAnotherRange) {
    for (const std::string_view name : kmeans::kInputNames) {
        for (const std::int64_t range :
             {std::int64_t{1}, std::int64_t{1000}, kmeans::kMaxCoordinate}) {
            const std::int64_t count = range == 1 ? 9 : 40000;
            std::int64_t greatest = 0;
            const std::vector<Point> points = make_points(name, count, 3, 7, {}, range);
            for (const Point& point : points) {
                greatest = std::max(
                    {greatest, std::abs(std::int64_t{point.x}), std::abs(std::int64_t{point.y})});
            }
            EXPECT_LE(greatest, range) << name;
            EXPECT_GE(greatest, range / 10) << name;
        }
    }
    EXPECT_EQ(make_points("uniform", 100, 3, 7, {}, kmeans::kMaxCoordinate),
              make_points("uniform", 100, 3, 7));
    // A grid of 10 lines with 10 points each has 9 steps, and -4 to 4 has only 8.
    EXPECT_EQ(message_of<course::UsageError>([] { make_points("grid", 100, 3, 1, {}, 4); }),
              "--max-coordinate 4: a grid of 100 points needs at least 5");
    EXPECT_EQ(make_points("grid", 100, 3, 1, {}, 5).size(), 100u);
}

TEST(Inputs, DependOnTheSeedAlone) {
    // They must be the same on each call.
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

// A point has the number of its cloud and the label of its cluster: each cloud must be one cluster.
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
        EXPECT_GE(found, 8) << k;  // plusplus finds all clouds often, but not always
    }
}

TEST(Centroids, FirstAndRandomArePoints) {
    const std::vector<Point> points = make_points("grid", 50, 4, 1);
    const std::vector<Point> first = make_centroids("first", points, 7, 1);
    EXPECT_TRUE(std::ranges::equal(first, std::span(points).first(7)));
    for (const char* init : {"random", "plusplus"}) {
        std::set<int> drawn;  // over several seeds: in the end, every point
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
    // Three places: the second centroid is drawn with weights 1 and 3^2.
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

TEST_F(PointsFile, HoldsBlanksOrCommas) {
    const std::string path =
        folder_.write("points", "# three\n1 2\n\n-3,4\n 1073741824 , -1073741824 #\n");
    EXPECT_EQ(read_points(path), (std::vector<Point>{{1, 2}, {-3, 4}, {kFar, -kFar}}));
}

TEST_F(PointsFile, FaultsNameTheirLine) {
    for (const char* bad :
         {"1", "1 2 3", "1,2,3", "1,", ",1", "1.5 2", "1 x", "1 nan", "1073741825 0",
          "0 -1073741825", "1 99999999999999999999", "x,y", "0x10 1", "1;x"}) {
        const std::string error = error_of(std::string("1 2\n") + bad + "\n");
        EXPECT_EQ(error.rfind(folder_ / "points" + ":2: ", 0), 0u) << bad << ": " << error;
    }
    EXPECT_NE(error_of(""), "");
    EXPECT_NE(error_of("# nothing\n"), "");
    EXPECT_THROW(read_points("no/such/file"), course::InputError);
    EXPECT_THROW(read_points(folder_.path()), course::InputError);
}

}  // namespace
}  // namespace kmeans_test
