// SPDX-License-Identifier: MIT
// Domains, triangulations and half-edges of chapter distmesh.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <set>

#include "common/base/error.hpp"
#include "common/input/random.hpp"
#include "problem/distmesh.hpp"
#include "tests/chapters/distmesh/solve.hpp"

namespace {

using distmesh::Bar, distmesh::Domain, distmesh::HalfEdges, distmesh::Join, distmesh::kGhost;
using distmesh::Measures, distmesh::Mesh, distmesh::Output, distmesh::Point, distmesh::Region;
using distmesh::Triangle, distmesh::twice_area;
using distmesh_test::make_input, distmesh_test::solve, distmesh_test::verdict;

// ---- Domains

// Compares with the least distance from points of the boundary, which `edge` gives for [0, 1).
void expect_distances(const Domain& domain, const std::function<Point(double)>& edge,
                      const std::function<bool(Point)>& inside) {
    constexpr int kSteps = 20'000;
    course::Random random(3);
    for (int i = 0; i < 60; ++i) {
        const Point p = {random.uniform(-2.5, 2.5), random.uniform(-1.5, 1.5)};
        double least = HUGE_VAL;
        for (int step = 0; step < kSteps; ++step) {
            const Point q = edge(static_cast<double>(step) / kSteps);
            least = std::min(least, std::hypot(p.x - q.x, p.y - q.y));
        }
        EXPECT_NEAR(distance(domain, p.x, p.y), inside(p) ? -least : least, 1e-5)
            << p.x << ' ' << p.y;
    }
}

Point along(const std::vector<Point>& vertices, double share) {
    const double place = share * static_cast<double>(vertices.size());
    const auto i = static_cast<std::size_t>(place);
    const Point a = vertices[i], b = vertices[(i + 1) % vertices.size()];
    const double rest = place - static_cast<double>(i);
    return {a.x + rest * (b.x - a.x), a.y + rest * (b.y - a.y)};
}

TEST(Domains, DistancesAreThoseFromTheBoundary) {
    const Region circle = distmesh::make_region("circle");
    expect_distances(
        circle.at_hand(),
        [](double t) {
            return Point{std::cos(2 * std::numbers::pi * t), std::sin(2 * std::numbers::pi * t)};
        },
        [](Point p) { return std::hypot(p.x, p.y) < 1; });
    const Region ellipse = distmesh::make_region("ellipse");
    expect_distances(
        ellipse.at_hand(),
        [](double t) {
            return Point{2 * std::cos(2 * std::numbers::pi * t),
                         std::sin(2 * std::numbers::pi * t)};
        },
        [](Point p) { return p.x * p.x / 4 + p.y * p.y < 1; });
    Region square = distmesh::make_region("square-hole");
    square.domain.count = 1;  // without its hole
    expect_distances(
        square.at_hand(),
        [](double t) {
            return along({{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}, t);
        },
        [](Point p) { return std::max(std::fabs(p.x), std::fabs(p.y)) < 1; });
    const Region wing = distmesh::make_region("wing");
    expect_distances(
        wing.at_hand(), [&](double t) { return along(wing.vertices, t); },
        [](Point p) {
            if (std::fabs(p.x) >= 0.5) return false;
            const double x = p.x + 0.5;
            const double y = 0.6 * (0.2969 * std::sqrt(x) - 0.126 * x - 0.3516 * x * x +
                                    0.2843 * x * x * x - 0.1036 * x * x * x * x);
            return std::fabs(p.y) < y;
        });
}

TEST(Domains, ShapesAreAddedAndCutOut) {
    const Region ring = distmesh::make_region("ring");
    const Domain domain = ring.at_hand();
    EXPECT_DOUBLE_EQ(distance(domain, 0.75, 0), -0.25);
    EXPECT_DOUBLE_EQ(distance(domain, 0, 0.25), 0.25);
    EXPECT_DOUBLE_EQ(distance(domain, 0, -1.5), 0.5);
    Region two = distmesh::make_region("circle");
    add_shape(two, Join::kUnion, "--plus", "circle:3,0,0.5");
    EXPECT_DOUBLE_EQ(distance(two.at_hand(), 3, 0), -0.5);
    EXPECT_DOUBLE_EQ(two.box().right, 3.5);
    EXPECT_NEAR(two.weighted_area(), 1.25 * std::numbers::pi, 1e-3);
    EXPECT_NEAR(ring.weighted_area(), 0.75 * std::numbers::pi, 1e-3);
    for (const char* bad : {"torus", "circle:", "circle:1,2", "circle:1,2,0", "circle:1,2,-1",
                            "circle:1,2,3,4", "circle:a,2,3", "circle:nan,0,1", ""}) {
        EXPECT_THROW(add_shape(two, Join::kUnion, "--plus", bad), course::UsageError) << bad;
    }
}

// ---- Triangulations

TEST(Delaunay, NoPointLiesInTheCircleOfATriangle) {
    course::Random random(11);
    std::vector<Point> points;
    for (int i = 0; i < 200; ++i) points.push_back({random.uniform(-3, 5), random.uniform(0, 1)});
    const std::vector<Triangle> triangles = distmesh::delaunay(points);
    std::set<std::pair<int, int>> edges;
    for (const auto& [a, b, c] : triangles) {
        EXPECT_GT(twice_area(points[a], points[b], points[c]), 0);
        for (const auto& edge : {std::pair{a, b}, {b, c}, {c, a}}) {
            EXPECT_TRUE(edges.insert(edge).second);
        }
        for (const Point& p : points) {
            const auto row = [&](int i) {
                const double x = points[i].x - p.x, y = points[i].y - p.y;
                return std::array{x, y, x * x + y * y};
            };
            const auto u = row(a), v = row(b), w = row(c);
            const double in_circle = u[0] * (v[1] * w[2] - v[2] * w[1]) -
                                     u[1] * (v[0] * w[2] - v[2] * w[0]) +
                                     u[2] * (v[0] * w[1] - v[1] * w[0]);
            EXPECT_LT(in_circle, 1e-6);
        }
    }
    const auto hull = std::ranges::count_if(edges, [&](const auto& e) {
        return !edges.contains({e.second, e.first});
    });
    EXPECT_EQ(static_cast<std::ptrdiff_t>(triangles.size()), 2 * 200 - 2 - hull);
}

TEST(Delaunay, PointsOnOneCircleAreAFan) {
    std::vector<Point> grid;
    for (int x = 0; x < 8; ++x) {
        for (int y = 0; y < 5; ++y) {
            grid.push_back({static_cast<double>(x), static_cast<double>(y)});
        }
    }
    double twice = 0;
    const std::vector<Triangle> triangles = distmesh::delaunay(grid);
    for (const auto& [a, b, c] : triangles) {
        const double own = twice_area(grid[a], grid[b], grid[c]);
        EXPECT_GT(own, 0);
        twice += own;
    }
    EXPECT_EQ(triangles.size(), 56u);
    EXPECT_DOUBLE_EQ(twice, 56);
    std::vector<Point> ring;
    for (int i = 0; i < 12; ++i) ring.push_back({std::cos(i * 0.5), std::sin(i * 0.5)});
    EXPECT_EQ(distmesh::delaunay(ring).size(), 10u);
}

TEST(Delaunay, TooFewPointsHaveNoTriangle) {
    EXPECT_TRUE(distmesh::delaunay({}).empty());
    for (const std::vector<Point>& few : {std::vector<Point>{{1, 1}},
                                          {{0, 0}, {1, 1}},
                                          {{0, 0}, {1, 1}, {2, 2}},
                                          {{0, 0}, {0, 0}, {1, 0}}}) {
        EXPECT_TRUE(distmesh::delaunay(few).empty());
    }
    EXPECT_EQ(distmesh::delaunay(std::vector<Point>{{0, 0}, {1, 0}, {0, 1}, {0, 1}}).size(), 1u);
}

TEST(WrongDiagonal, IsTheOneWithAPointInTheCircle) {
    const Point a = {-1, 0}, b = {1, 0}, c = {0, 1};
    const auto is_wrong = [&](Point d) { return distmesh::is_wrong_diagonal(1, a, b, c, d); };
    EXPECT_TRUE(is_wrong({0, -0.9}));
    EXPECT_FALSE(is_wrong({0, -1.1}));
    EXPECT_FALSE(is_wrong({0, -1}));  // on the circle: the diagonal stays
    EXPECT_FALSE(is_wrong({3, -0.1}));
    // c has passed over the edge from a to b, the longest of its triangle; then over another one.
    EXPECT_TRUE(distmesh::is_wrong_diagonal(1, a, b, {0, -0.1}, {0, -1}));
    EXPECT_FALSE(distmesh::is_wrong_diagonal(1, a, b, {4, -0.1}, {0, -1}));
    EXPECT_GT(distmesh::in_circle(a, b, c, {0, 0.5}), 0);
    EXPECT_LT(distmesh::in_circle(a, b, c, {0, 1.5}), 0);
    EXPECT_EQ(distmesh::in_circle(a, b, c, {0, -1}), 0);
}

// Points of the lattice are in line, also at its hull. Rounding makes flat triangles of them.
TEST(Mesh, PointsInLineMakeNoTriangle) {
    for (const std::string_view name : distmesh::kDomainNames) {
        const Region region = distmesh::make_region(name);
        for (const int count : {100, 300, 500, 1000, 3000}) {
            const auto input = make_input(region, spacing_for(region, count));
            input->max_iterations = 1;
            Output output;
            solve(*input, output);
            Measures measures;
            const course::Verdict found = verdict(*input, name, region, output, &measures);
            EXPECT_TRUE(found.passed) << name << ' ' << count << ": " << found.message;
        }
    }
}

TEST(Mesh, ListsThePointsBars) {
    const auto input = make_input(distmesh::make_region("ring"), 0.2);
    Mesh mesh(*input);
    ASSERT_TRUE(mesh.triangulate());
    std::vector<std::int32_t> offsets, list;
    mesh.list_bars_of_points(offsets, list);
    ASSERT_EQ(offsets.size(), mesh.points.size() + 1);
    ASSERT_EQ(list.size(), 2 * mesh.bars.size());
    std::vector<int> seen(mesh.bars.size(), 0);
    for (std::size_t i = 0; i < mesh.points.size(); ++i) {
        for (std::int32_t place = offsets[i]; place < offsets[i + 1]; ++place) {
            const std::int32_t bar = list[place];
            const Bar& ends = mesh.bars[bar < 0 ? ~bar : bar];
            EXPECT_LT(ends.a, ends.b);
            EXPECT_EQ(bar < 0 ? ends.b : ends.a, static_cast<std::int32_t>(i));
            ++seen[bar < 0 ? ~bar : bar];
        }
    }
    EXPECT_EQ(std::ranges::count(seen, 2), static_cast<std::ptrdiff_t>(seen.size()));
}

// The next half-edge, clockwise, that leaves the corner of h.
std::int32_t next_round(const HalfEdges& mesh, std::int32_t h) {
    return mesh.twins[h % 3 == 0 ? h + 2 : h - 1];
}

std::size_t cycle_length(const HalfEdges& mesh, std::int32_t first) {
    std::size_t length = 1;
    for (std::int32_t h = next_round(mesh, first); h != first; h = next_round(mesh, h)) ++length;
    return length;
}

// Every half-edge has a twin that goes back, and both have the same edge.
void expect_paired(const HalfEdges& mesh) {
    const std::size_t count = mesh.corners.size();
    ASSERT_EQ(mesh.twins.size(), count);
    ASSERT_EQ(mesh.edges.size(), count);
    std::vector<int> seen(count / 2, 0);
    for (std::size_t i = 0; i < count; ++i) {
        const auto h = static_cast<std::int32_t>(i), g = mesh.twins[h];
        ASSERT_TRUE(g >= 0 && g < static_cast<std::int32_t>(count) && g != h);
        EXPECT_EQ(mesh.twins[g], h);
        EXPECT_EQ(mesh.corners[g], mesh.corners[h % 3 == 2 ? h - 2 : h + 1]);
        EXPECT_EQ(mesh.edges[g], mesh.edges[h]);
        ++seen.at(mesh.edges[h]);
        if (h > g) continue;
        const Bar bar = mesh.bars.at(mesh.edges[h]);
        const bool is_ghost = mesh.corners[h] == kGhost || mesh.corners[g] == kGhost;
        EXPECT_EQ(bar, (is_ghost ? distmesh::kNoBar : Bar{mesh.corners[h], mesh.corners[g]}));
    }
    for (std::size_t i = 0; i < mesh.leaving.size(); ++i) {
        const auto point = static_cast<std::int32_t>(i);
        const auto first = std::ranges::find(mesh.corners, point);
        EXPECT_EQ(mesh.leaving[i], first == mesh.corners.end() ? distmesh::kNoHalfEdge
                                                               : first - mesh.corners.begin());
    }
    EXPECT_EQ(std::ranges::count(seen, 2), static_cast<std::ptrdiff_t>(seen.size()));
}

TEST(HalfEdges, HaveTrianglesOnBothSides) {
    for (const auto& [name, loops] : {std::pair{"circle", 1u}, {"ring", 2u}, {"wing", 1u}}) {
        const auto input = make_input(distmesh::make_region(name), 0.1);
        Mesh mesh(*input);
        ASSERT_TRUE(mesh.triangulate());
        const HalfEdges closed = with_ghosts(mesh.points, mesh.triangles);
        expect_paired(closed);
        std::set<std::pair<std::int32_t, std::int32_t>> bars;
        for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
            const std::array<std::int32_t, 3> corners = {
                closed.corners[3 * t], closed.corners[3 * t + 1], closed.corners[3 * t + 2]};
            const Triangle& own = mesh.triangles[t];
            EXPECT_EQ(corners, (std::array<std::int32_t, 3>{own.a, own.b, own.c}));
            for (int k = 0; k < 3; ++k) bars.insert(std::minmax(corners[k], corners[(k + 1) % 3]));
        }
        EXPECT_EQ(bars.size(), mesh.bars.size());
        // The others are ghosts. Each fan goes round one loop of the boundary.
        std::set<std::int32_t> ghosts;
        for (auto h = static_cast<std::int32_t>(3 * mesh.triangles.size());
             h < static_cast<std::int32_t>(closed.corners.size()); ++h) {
            EXPECT_EQ(closed.corners[h] == kGhost, h % 3 == 2);
            if (h % 3 == 2) ghosts.insert(h);
        }
        EXPECT_EQ(static_cast<std::int64_t>(mesh.triangles.size() + ghosts.size()),
                  closed.triangle_count());
        unsigned found = 0;
        for (; !ghosts.empty(); ++found) {
            const std::int32_t first = *ghosts.begin();
            for (std::int32_t h = next_round(closed, first);; h = next_round(closed, h)) {
                ASSERT_EQ(ghosts.erase(h), 1u);
                if (h == first) break;
            }
        }
        EXPECT_EQ(found, loops) << name;
    }
}

// One turn round the point visits both parts and the ghosts between them.
TEST(HalfEdges, GoRoundPartsThatMeetInAPoint) {
    const std::vector<Point> points = {{0, 0}, {-1, 1}, {-1, -1}, {1, -1}, {1, 1}};
    const HalfEdges closed = with_ghosts(points, std::vector<Triangle>{{0, 1, 2}, {0, 3, 4}});
    expect_paired(closed);
    EXPECT_EQ(closed.triangle_count(), 8);
    EXPECT_EQ(cycle_length(closed, 0), 6u);  // four bars, and two to ghosts
    EXPECT_EQ(cycle_length(closed, 1), 3u);  // two bars and one to a ghost
    for (std::int32_t h = 0; h < 24; ++h) {
        if (closed.corners[h] == kGhost) {
            EXPECT_EQ(cycle_length(closed, h), 6u);  // of one loop
        }
    }
}

TEST(Quality, IsOneForTheEquilateral) {
    EXPECT_NEAR(distmesh::quality({0, 0}, {1, 0}, {0.5, std::numbers::sqrt3 / 2}), 1, 1e-12);
    EXPECT_NEAR(distmesh::quality({0, 0}, {3, 0}, {0, 4}), 2 * 1 / 2.5, 1e-12);
    EXPECT_NEAR(distmesh::quality({0, 0}, {1, 0}, {2, 1e-9}), 0, 1e-8);
}

}  // namespace
