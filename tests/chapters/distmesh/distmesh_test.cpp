// SPDX-License-Identifier: MIT
// Domains, triangulations, verdicts, files and command line of chapter distmesh; and what the
// published kernels would have made of them.
#include "problem/distmesh.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <numbers>
#include <set>
#include <sstream>

#include "common/base/error.hpp"
#include "common/input/random.hpp"
#include "tests/chapters/stage_run.hpp"
#include "tests/common/scratch_folder.hpp"

namespace {

using course_test::message_of, course_test::read_file, course_test::ScratchFolder;
using distmesh::Bar, distmesh::Domain, distmesh::Expected, distmesh::Input, distmesh::Join;
using distmesh::HalfEdges, distmesh::kGhost;
using distmesh::Measures, distmesh::Mesh, distmesh::Output, distmesh::Point, distmesh::Region;
using distmesh::Status, distmesh::Triangle, distmesh::twice_area;

// What is done as seed 004's kernels do it, in place of right.
enum class Fault { kNone, kDistanceIsZero };

// The iterations, written for the tests.
void solve(const Input& input, Output& output, Fault fault = Fault::kNone) {
    Mesh mesh(input);
    while (mesh.triangulate()) {
        const std::vector<Point> start = mesh.points;
        std::vector<std::int32_t> crowded(start.size(), 0);
        Status status;
        do {
            status = {0, 0, 0};
            double lengths = 0, wanted = 0;
            const auto bar_of = [&](const Bar& bar) {
                const Point a = mesh.points[bar.a], b = mesh.points[bar.b];
                struct {
                    Point delta;
                    double length, wanted;
                } result = {{a.x - b.x, a.y - b.y},
                            std::hypot(a.x - b.x, a.y - b.y),
                            wanted_length(input.domain, (a.x + b.x) / 2, (a.y + b.y) / 2)};
                return result;
            };
            for (const Bar& bar : mesh.bars) {
                const auto one = bar_of(bar);
                lengths += one.length * one.length;
                wanted += one.wanted * one.wanted;
            }
            std::vector<Point> forces(start.size(), Point{0, 0});
            for (const Bar& bar : mesh.bars) {
                const auto one = bar_of(bar);
                const double rest = one.wanted * 1.2 * std::sqrt(lengths / wanted);
                const double force = std::max(rest - one.length, 0.0) / one.length;
                forces[bar.a].x += force * one.delta.x;
                forces[bar.a].y += force * one.delta.y;
                forces[bar.b].x -= force * one.delta.x;
                forces[bar.b].y -= force * one.delta.y;
                if (mesh.controls_density() && rest > 2 * one.length) {
                    crowded[bar.a] = crowded[bar.b] = status.crowded = 1;
                }
            }
            for (std::size_t i = input.fixed; i < start.size() && status.crowded == 0; ++i) {
                Point& p = mesh.points[i];
                const double dx = 0.2 * forces[i].x, dy = 0.2 * forces[i].y;
                p = {p.x + dx, p.y + dy};
                const double d =
                    fault == Fault::kDistanceIsZero ? 0 : distance(input.domain, p.x, p.y);
                const double step = 0x1.0p-26 * input.h0;
                if (d > 0) {
                    const double gx = (distance(input.domain, p.x + step, p.y) - d) / step;
                    const double gy = (distance(input.domain, p.x, p.y + step) - d) / step;
                    const double scale = d / (gx * gx + gy * gy);
                    p = {p.x - scale * gx, p.y - scale * gy};
                } else if (d < -0.001 * input.h0 && std::hypot(dx, dy) >= 0.001 * input.h0) {
                    status.moving = 1;
                }
                if (std::hypot(p.x - start[i].x, p.y - start[i].y) > 0.1 * input.h0) {
                    status.drifted = 1;
                }
            }
        } while (mesh.goes_on(status));
        if (status.crowded != 0) mesh.drop(crowded);
    }
    mesh.finish(output);
}

std::unique_ptr<Input> make_input(const Region& region, double h0,
                                  const std::vector<Point>& fixed = {}) {
    auto input = std::make_unique<Input>();
    input->h0 = h0;
    place_points(*input, region, fixed, 1);
    return input;
}

course::Verdict verdict(const Input& input, std::string_view name, const Region& region,
                        const Output& output, Measures* measures = nullptr) {
    Measures own;
    return verify(input, expected_of(name, region, input.h0), output,
                  measures != nullptr ? *measures : own);
}

// ---- Domains

// The least distance from points of the boundary, which `edge` gives for [0, 1).
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

// The lattice's points lie in line, at its hull too, and rounding makes flat triangles of them.
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

// The next one that leaves the corner of h, clockwise.
std::int32_t next_round(const HalfEdges& mesh, std::int32_t h) {
    return mesh.twins[h % 3 == 0 ? h + 2 : h - 1];
}

std::size_t cycle_length(const HalfEdges& mesh, std::int32_t first) {
    std::size_t length = 1;
    for (std::int32_t h = next_round(mesh, first); h != first; h = next_round(mesh, h)) ++length;
    return length;
}

// Each with its two half-edges there and back, and under one number.
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
            for (int k = 0; k < 3; ++k) {
                bars.insert(std::minmax(corners[k], corners[(k + 1) % 3]));
            }
        }
        EXPECT_EQ(bars.size(), mesh.bars.size());
        // The others are ghosts, whose fans go round the loops of the boundary.
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

// Round the point goes one turn, over both parts and what is outside between them.
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

// ---- Known results and verdicts

TEST(KnownResult, TheUnitCircle) {
    const Region circle = distmesh::make_region("circle");
    const auto input = make_input(circle, 0.2);
    Output output;
    solve(*input, output);
    Measures measures;
    const course::Verdict found = verdict(*input, "circle", circle, output, &measures);
    EXPECT_TRUE(found.passed) << found.message;
    EXPECT_EQ(output.points.size(), 88u);
    EXPECT_EQ(output.triangles.size(), 143u);
    EXPECT_NEAR(measures.area, std::numbers::pi, 0.04);
    EXPECT_GE(measures.least_quality, 0.6);
}

class Verdicts : public testing::Test {
  protected:
    Verdicts() { solve(*input_, right_); }

    bool fails(const std::function<void(Output&)>& change) const {
        Output output = right_;
        change(output);
        return !verdict(*input_, "circle", circle_, output).passed;
    }

    Region circle_ = distmesh::make_region("circle");
    std::unique_ptr<Input> input_ = make_input(circle_, 0.25, {{0.3, 0.1}});
    Output right_;
};

TEST_F(Verdicts, PassTheRightMesh) {
    EXPECT_TRUE(right_.converged);
    EXPECT_FALSE(fails([](Output&) {}));
}

TEST_F(Verdicts, FailEachFault) {
    const std::size_t last = right_.points.size() - 1;
    EXPECT_TRUE(fails([](Output& o) { std::ranges::fill(o.points, Point{0, 0}); }));
    EXPECT_TRUE(fails([](Output& o) { o.points[5].x = std::nan(""); }));
    EXPECT_TRUE(fails([](Output& o) { o.points.clear(); }));
    EXPECT_TRUE(fails([](Output& o) { o.triangles.clear(); }));
    EXPECT_TRUE(fails([](Output& o) { o.triangles.pop_back(); }));
    EXPECT_TRUE(fails([](Output& o) { o.triangles.push_back(o.triangles[0]); }));
    EXPECT_TRUE(fails([](Output& o) { std::swap(o.triangles[3].a, o.triangles[3].b); }));
    EXPECT_TRUE(fails([](Output& o) { o.triangles[0].a = -1; }));
    EXPECT_TRUE(fails([&](Output& o) { o.triangles[0].a = static_cast<std::int32_t>(last + 1); }));
    EXPECT_TRUE(fails([](Output& o) { o.points.push_back({0, 0}); }));  // of no triangle
    EXPECT_TRUE(fails([](Output& o) { o.points[0].x += 1e-12; }));  // the fixed one
    EXPECT_TRUE(fails([](Output& o) { o.iterations = 0; }));
    EXPECT_TRUE(fails([](Output& o) { o.triangulations = o.iterations + 2; }));
    EXPECT_TRUE(fails([](Output& o) { o.converged = false; }));  // iterations are left
    // An interior point that is not at rest.
    EXPECT_TRUE(fails([&](Output& o) {
        const auto interior =
            std::ranges::find_if(o.points.begin() + 1, o.points.end(),
                                 [](Point p) { return std::hypot(p.x, p.y) < 0.6; });
        interior->x += 0.01 * input_->h0;
    }));
    // A point that left the domain, by a little more than it may.
    EXPECT_TRUE(fails([&](Output& o) {
        const auto outermost =
            std::ranges::max_element(o.points, {}, [](Point p) { return std::hypot(p.x, p.y); });
        outermost->x *= 1 + 0.0012 * input_->h0;
        outermost->y *= 1 + 0.0012 * input_->h0;
    }));
}

TEST_F(Verdicts, FailAMeshOfAnotherDomain) {
    const Region ring = distmesh::make_region("ring");
    const auto input = make_input(ring, 0.25);
    Output output;
    solve(*input, output);
    EXPECT_TRUE(verdict(*input, "ring", ring, output).passed);
    EXPECT_FALSE(verdict(*input_, "circle", circle_, output).passed);
}

TEST_F(Verdicts, FailFlatTrianglesOfTheCircle) {
    Expected expected = expected_of("circle", circle_, input_->h0);
    Measures measures;
    EXPECT_TRUE(verify(*input_, expected, right_, measures).passed);
    expected.least_quality = measures.least_quality + 0.001;
    EXPECT_FALSE(verify(*input_, expected, right_, measures).passed);
}

TEST_F(Verdicts, AnIterationLimitIsNoFailure) {
    input_->max_iterations = 3;
    Output output;
    solve(*input_, output);
    EXPECT_EQ(output.iterations, 3);
    EXPECT_FALSE(output.converged);
    const course::Verdict found = verdict(*input_, "circle", circle_, output);
    EXPECT_TRUE(found.passed) << found.message;
    output.converged = true;  // a lie
    EXPECT_FALSE(verdict(*input_, "circle", circle_, output).passed);
}

TEST_F(Verdicts, WithoutIterationsItIsTheLattice) {
    input_->max_iterations = 0;
    Output output;
    solve(*input_, output);
    EXPECT_EQ(output.iterations, 0);
    EXPECT_EQ(output.points.size(), input_->points.size());
    for (std::size_t i = 0; i < output.points.size(); ++i) {
        EXPECT_EQ(output.points[i].x, input_->points[i].x);
        EXPECT_EQ(output.points[i].y, input_->points[i].y);
    }
    EXPECT_TRUE(verdict(*input_, "circle", circle_, output).passed);
    output.iterations = 1;
    EXPECT_FALSE(verdict(*input_, "circle", circle_, output).passed);
}

// Every 30 iterations ends of bars half as long as they shall be are dropped, but for fixed ones.
TEST(DensityControl, DropsWhatIsCrowded) {
    const Region circle = distmesh::make_region("circle");
    std::vector<Point> cage;  // around a point of the lattice, which cannot leave it
    const Point middle = {0, -1 + 4 * 0.25 * std::numbers::sqrt3 / 2};
    for (int i = 0; i < 6; ++i) {
        const double angle = std::numbers::pi * i / 3;
        cage.push_back({middle.x + 0.08 * std::cos(angle), middle.y + 0.08 * std::sin(angle)});
    }
    const auto input = make_input(circle, 0.25, cage);
    input->max_iterations = 29;
    const auto count_caged = [&](const Output& output) {
        return std::ranges::count_if(output.points, [&](Point p) {
            return std::hypot(p.x - middle.x, p.y - middle.y) < 0.06;
        });
    };
    Output output;
    solve(*input, output);
    EXPECT_EQ(count_caged(output), 1);
    input->max_iterations = 31;
    solve(*input, output);
    EXPECT_EQ(count_caged(output), 0);
    for (int i = 0; i < 6; ++i) {
        EXPECT_EQ(output.points[i].x, input->points[i].x);
        EXPECT_EQ(output.points[i].y, input->points[i].y);
    }
}

// The forces alone come to rest with a quality of 0.39 there.
TEST(Mending, PutsAPointOnTheBoundary) {
    const Region circle = distmesh::make_region("circle");
    const auto input = make_input(circle, 0.29);
    Output output;
    solve(*input, output);
    Measures measures;
    EXPECT_TRUE(verdict(*input, "circle", circle, output, &measures).passed);
    EXPECT_GT(measures.least_quality, 0.8);
}

TEST(Convergence, EveryDomainAndManySizes) {
    for (const std::string_view name : distmesh::kDomainNames) {
        const Region region = distmesh::make_region(name);
        for (const int count : {40, 80, 150, 300}) {
            const auto input = make_input(region, spacing_for(region, count));
            input->max_iterations = 3000;
            Output output;
            solve(*input, output);
            const course::Verdict found = verdict(*input, name, region, output);
            EXPECT_TRUE(found.passed) << name << ' ' << count << ": " << found.message;
        }
    }
    const Region circle = distmesh::make_region("circle");
    for (double h0 = 0.6; h0 > 0.1; h0 *= 0.97) {
        const auto input = make_input(circle, h0);
        Output output;
        solve(*input, output);
        const course::Verdict found = verdict(*input, "circle", circle, output);
        EXPECT_TRUE(found.passed && output.converged) << h0 << ": " << found.message;
    }
}

// By h0^2: how far the area may be off. A grid that measures it has an error of its own.
TEST(Expectations, TheAreaIsWithinOneSquareOfH0) {
    const auto tolerance = [](std::string_view name, const Region& region, double h0) {
        return expected_of(name, region, h0).area_tolerance / (h0 * h0);
    };
    for (const std::string_view name : {"circle", "ellipse"}) {
        const Region region = distmesh::make_region(name);
        EXPECT_DOUBLE_EQ(tolerance(name, region, 0.5), 1) << name;
        EXPECT_DOUBLE_EQ(tolerance(name, region, 0.51), 2) << name;
        EXPECT_DOUBLE_EQ(tolerance(name, region, 0.66), 3) << name;
    }
    const Region ring = distmesh::make_region("ring"), wing = distmesh::make_region("wing");
    EXPECT_DOUBLE_EQ(ring.narrowest(), 1);  // its hole
    EXPECT_DOUBLE_EQ(tolerance("ring", ring, 0.25), 1);
    EXPECT_DOUBLE_EQ(tolerance("ring", ring, 0.26), 2);
    EXPECT_NEAR(wing.narrowest(), 0.12, 1e-3);
    EXPECT_DOUBLE_EQ(tolerance("wing", wing, 0.03), 1);
    EXPECT_DOUBLE_EQ(tolerance("wing", wing, 0.04), 2);
    const Region hole = distmesh::make_region("square-hole");
    EXPECT_DOUBLE_EQ(tolerance("square-hole", hole, 0.01), 2);  // graded
    Region two = distmesh::make_region("ellipse");
    add_shape(two, Join::kDifference, "--minus", "wing:0,0,2");
    EXPECT_DOUBLE_EQ(two.grid_cell(), 4.0 / 500);
    const double grid = 4 * std::pow(two.grid_cell(), 2), h0 = 0.05;
    EXPECT_DOUBLE_EQ(tolerance("", two, h0), 1 + grid / (h0 * h0));
    EXPECT_GT(grid, std::fabs(two.weighted_area() - (2 * std::numbers::pi - 4 * 0.08166869)));
    two.domain.grading = 1;
    EXPECT_DOUBLE_EQ(tolerance("", two, h0), 2 * 9 + grid / (h0 * h0));
}

// The interior may be at rest for one iteration while points slide along the boundary, and move
// after them in the next one.
TEST(Convergence, NoPointSlidesOn) {
    Region two = distmesh::make_region("circle");
    add_shape(two, Join::kUnion, "--plus", "circle:1,0,0.6");
    const Region wing = distmesh::make_region("wing");
    for (const auto& [name, region, count] :
         std::vector<std::tuple<const char*, const Region*, int>>{
             {"", &two, 130}, {"", &two, 210}, {"wing", &wing, 90}}) {
        const auto input = make_input(*region, spacing_for(*region, count));
        input->max_iterations = 3000;
        Output output;
        solve(*input, output);
        const course::Verdict found = verdict(*input, name, *region, output);
        EXPECT_TRUE(found.passed) << name << ' ' << count << ": " << found.message;
    }
}

// ---- Errata of seed 004

// Its projection sets the distance to 0 where it should compute it: times 0, nothing moves back.
TEST(Errata, WithADistanceOfZeroPointsStayOutside) {
    const Region circle = distmesh::make_region("circle");
    const auto input = make_input(circle, 0.2);
    input->max_iterations = 20;
    Output output;
    solve(*input, output, Fault::kDistanceIsZero);
    const course::Verdict found = verdict(*input, "circle", circle, output);
    EXPECT_FALSE(found.passed);
    EXPECT_NE(found.message.find("outside of the domain"), std::string::npos) << found.message;
}

// Its numbers are floats, its step that of MATLAB's doubles: a point that far away is the same one,
// and the gradient 0.
TEST(Errata, ADoublesEpsilonIsNoStepOfAFloat) {
    for (const float h0 : {0.2F, 0.05F, 0.01F}) {
        const auto step = static_cast<float>(std::sqrt(std::numeric_limits<double>::epsilon()) *
                                             static_cast<double>(h0));
        const float x = 0.8F, y = 0.7F;  // outside of the unit circle
        const auto outside = [](float px, float py) { return std::sqrt(px * px + py * py) - 1; };
        EXPECT_EQ(x + step, x);
        EXPECT_EQ((outside(x + step, y) - outside(x, y)) / step, 0);
        // Float's own step sees a slope, with an error of some percent.
        const float own = std::sqrt(std::numeric_limits<float>::epsilon()) * h0;
        EXPECT_NEAR((outside(x + own, y) - outside(x, y)) / own, x / std::sqrt(x * x + y * y), 0.2);
        // Double's, in double: seven digits or so.
        const double fine = 0x1.0p-26 * static_cast<double>(h0), r = std::hypot(0.8, 0.7);
        EXPECT_NEAR((std::hypot(0.8 + fine, 0.7) - r) / fine, 0.8 / r, 1e-5);
    }
}

// Additions of floats in another order are another sum, and atomic ones come in any order.
TEST(Errata, TheOrderOfFloatAdditionsShows) {
    course::Random random(1);
    std::vector<float> squares;
    for (int i = 0; i < 20'000; ++i) {
        const auto length = static_cast<float>(0.01 * (1 + random.uniform(-0.1, 0.1)));
        squares.push_back(length * length);
    }
    const auto add = [](const auto& list) {
        float sum = 0;
        for (const float one : list) sum += one;
        return sum;
    };
    const float in_order = add(squares);
    std::ranges::reverse(squares);
    EXPECT_NE(add(squares), in_order);
}

// ---- Files and command line

class Files : public testing::Test {
  protected:
    std::string error_of(const std::string& content) {
        return message_of<course::InputError>(
            [&] { distmesh::read_polygon(folder_.write("polygon", content)); });
    }
    course_test::RunResult run(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "--check");
        return course_test::run_quietly(std::move(arguments), [](int argc, char** argv) {
            return distmesh::run_stage(
                argc, argv, "distmesh/test",
                [](const Input& in, Output& out, distmesh::PhaseTimer& timer) {
                    timer.begin(distmesh::Phase::kKernels);
                    solve(in, out);
                    timer.end();
                });
        });
    }
    // One line, the status, no output.
    void refuse(int status, const std::string& said, std::vector<std::string> arguments) {
        const std::string out = folder_ / "out.csv";
        arguments.insert(arguments.end(), {"--output", out});
        const auto result = run(arguments);
        EXPECT_EQ(result.status, status) << said << result.diagnostics;
        EXPECT_NE(result.diagnostics.find(said), std::string::npos) << result.diagnostics;
        EXPECT_EQ(std::ranges::count(result.diagnostics, '\n'), 1) << result.diagnostics;
        EXPECT_FALSE(std::filesystem::exists(out));
    }

    ScratchFolder folder_;
};

constexpr const char* kLetterL = "0 0\n2 0\n2 1\n1,1\n1 2\n0 2\n0 0\n";

TEST_F(Files, APolygonIsMeshed) {
    const std::string path = folder_.write("letter", kLetterL);
    const Region region = distmesh::read_polygon(path);
    EXPECT_EQ(region.fixed.size(), 6u);
    EXPECT_DOUBLE_EQ(distance(region.at_hand(), 0.5, 0.5), -0.5);
    const auto result = run({"--domain", "polygon", "--input", path, "--n", "80"});
    EXPECT_EQ(result.status, 0) << result.diagnostics;
    EXPECT_EQ(run({"--input", path, "--h0", "0.3"}).status, 0);
}

TEST_F(Files, FaultsOfPolygonsNameTheirLine) {
    const std::string start = folder_ / "polygon";
    EXPECT_EQ(error_of("0 0\n1 0\n1 1\n").find(start + ":3: the polygon is not closed"), 0u);
    EXPECT_EQ(error_of("0 0\n1 0\n0 0\n").find(start + ":3: "), 0u);
    EXPECT_EQ(error_of("0 0\n").find(start + ":1: "), 0u);
    EXPECT_EQ(error_of("0 0\n1 1\n1 0\n0 1\n0 0\n").find(start + ":4: the polygon crosses itself"),
              0u);
    EXPECT_EQ(error_of("0 0\n2 0\n1 0\n1 1\n0 0\n").find(start + ":3: "), 0u);  // and back
    EXPECT_EQ(error_of("0 0\n2 0\n2 2\n1 0\n0 2\n0 0\n").find(start + ":4: "), 0u);  // touches
    EXPECT_EQ(error_of("0 0\n1 0\n1 0\n1 1\n0 0\n").find(start + ":3: "), 0u);
    EXPECT_EQ(error_of("0 0\n1 x\n1 1\n0 0\n").find(start + ":2: "), 0u);
    EXPECT_EQ(error_of("0 0\n1 nan\n1 1\n0 0\n").find(start + ":2: "), 0u);
    EXPECT_EQ(error_of("0 0\n1 2 3\n1 1\n0 0\n").find(start + ":2: "), 0u);
    EXPECT_NE(error_of(""), "");
    EXPECT_EQ(error_of(kLetterL), "");
    EXPECT_THROW(distmesh::read_polygon("no/such/file"), course::InputError);
}

TEST_F(Files, RefusesWhatCannotBeRight) {
    refuse(2, "--h0", {"--h0", "0"});
    refuse(2, "--h0", {"--h0", "-1"});
    refuse(2, "--h0", {"--h0", "nan"});
    refuse(2, "larger than the domain", {"--h0", "2.1"});
    refuse(2, "lattice", {"--h0", "1e-6"});
    refuse(2, "--n", {"--h0", "0.2", "--n", "5"});
    refuse(2, "--n 2", {"--n", "2"});
    refuse(2, "--domain", {"--domain", "torus"});
    refuse(2, "--domain polygon", {"--domain", "polygon"});
    refuse(2, "--domain ring", {"--domain", "ring", "--input", "circle"});
    refuse(2, "--domain ring", {"--domain", "ring", "--input", folder_.write("letter", kLetterL)});
    refuse(2, "--max-iterations", {"--max-iterations", "-1"});
    refuse(2, "--minus", {"--minus", "torus"});
    refuse(2, "--grading", {"--grading", "-1"});
    refuse(2, "empty", {"--minus", "circle"});
    refuse(2, "a mesh needs three or more", {"--minus", "circle", "--h0", "0.2"});
    refuse(2, "too coarse for the domain: no triangle of its 3 points",
           {"--domain", "ring", "--n", "6"});
    refuse(1, "polygon:4: ", {"--input", folder_.write("polygon", "0 0\n1 1\n1 0\n0 1\n0 0\n")});
    refuse(1, "no/such/file", {"--input", "no/such/file"});
    refuse(1, "no/such/file", {"--fixed", "no/such/file"});
    refuse(1, "fixed:2: the point is 0.4142", {"--fixed", folder_.write("fixed", "0 0.5\n1 1\n")});
    refuse(1, "fixed:1: ", {"--fixed", folder_.write("fixed", "0 x\n")});
}

TEST_F(Files, FixedPointsStay) {
    const std::string out = folder_ / "out.vtk";
    const auto result = run(
        {"--h0", "0.3", "--fixed", folder_.write("fixed", "0.1 0.2\n-0.5,0\n"), "--output", out});
    ASSERT_EQ(result.status, 0) << result.diagnostics;
    EXPECT_NE(read_file(out).find("double\n-0.5 0 0\n0.1 0.2 0\n"), std::string::npos)
        << read_file(out);
}

TEST_F(Files, AreVtkOrCsv) {
    const std::string vtk = folder_ / "mesh.vtk", csv = folder_ / "mesh";
    ASSERT_EQ(run({"--h0", "0.2", "--output", vtk}).status, 0);
    ASSERT_EQ(run({"--h0", "0.2", "--output", csv}).status, 0);
    std::istringstream in(read_file(vtk));
    std::string line, word;
    std::getline(in, line);
    EXPECT_EQ(line, "# vtk DataFile Version 3.0");
    std::size_t points = 0, cells = 0, numbers = 0;
    in >> word >> word >> word >> word >> word >> points >> word;
    ASSERT_EQ(points, 88u);
    std::vector<Point> places(points);
    double zero = 1;
    for (Point& p : places) in >> p.x >> p.y >> zero;
    in >> word >> cells >> numbers;
    ASSERT_EQ(cells, 143u);
    EXPECT_EQ(numbers, 4 * cells);
    double area = 0;
    for (std::size_t i = 0; i < cells; ++i) {
        std::size_t three, a, b, c;
        in >> three >> a >> b >> c;
        ASSERT_TRUE(three == 3 && std::max({a, b, c}) < points);
        area += twice_area(places[a], places[b], places[c]) / 2;
    }
    EXPECT_NEAR(area, std::numbers::pi, 0.04);
    std::istringstream table(read_file(csv));
    std::getline(table, line);
    EXPECT_EQ(line, "x1,y1,x2,y2,x3,y3,quality");
    std::size_t rows = 0;
    while (std::getline(table, line)) {
        EXPECT_EQ(std::ranges::count(line, ','), 6);
        ++rows;
    }
    EXPECT_EQ(rows, 143u);
}

}  // namespace
