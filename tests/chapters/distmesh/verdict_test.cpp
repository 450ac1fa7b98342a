// SPDX-License-Identifier: MIT
// Known results and verdicts of chapter distmesh, and the errata of Gaudiani 2012.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <tuple>

#include "common/input/random.hpp"
#include "problem/distmesh.hpp"
#include "tests/chapters/distmesh/solve.hpp"

namespace {

using distmesh::Expected, distmesh::Input, distmesh::Join, distmesh::Measures, distmesh::Output;
using distmesh::Point, distmesh::Region;
using distmesh_test::Fault, distmesh_test::make_input, distmesh_test::solve, distmesh_test::verdict;

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
    EXPECT_TRUE(verdict_of(*input_, expected, right_, measures).passed);
    expected.least_quality = measures.least_quality + 0.001;
    EXPECT_FALSE(verdict_of(*input_, expected, right_, measures).passed);
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

// Every 30 iterations, ends of bars of half the wanted length are dropped, but no fixed ones.
TEST(DensityControl, DropsWhatIsCrowded) {
    const Region circle = distmesh::make_region("circle");
    std::vector<Point> cage;  // around a point of the lattice, which cannot leave
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

// There the forces alone come to rest with a quality of 0.39.
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

// The largest error of the area, in h0^2. An area measured on a grid has an error of its own.
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

// The interior may be at rest for one iteration while points slide along the boundary. In the next
// iteration it follows them.
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

// ---- Errata of Gaudiani 2012

// The published projection sets the distance to 0 instead of computing it: no point moves back.
TEST(Errata, WithADistanceOfZeroPointsStayOutside) {
    const Region circle = distmesh::make_region("circle");
    const auto input = make_input(circle, 0.2);
    input->max_iterations = 20;
    Output output;
    solve(*input, output, Fault::kDistanceIsZero);
    const course::Verdict found = verdict(*input, "circle", circle, output);
    EXPECT_FALSE(found.passed);
    EXPECT_NE(found.message.find("outside the domain"), std::string::npos) << found.message;
}

// The published program uses floats with the step of MATLAB's doubles. A point that is one step
// away is the same point, and the gradient is 0.
TEST(Errata, ADoublesEpsilonIsNoStepOfAFloat) {
    for (const float h0 : {0.2F, 0.05F, 0.01F}) {
        const auto step = static_cast<float>(std::sqrt(std::numeric_limits<double>::epsilon()) *
                                             static_cast<double>(h0));
        const float x = 0.8F, y = 0.7F;  // outside of the unit circle
        const auto outside = [](float px, float py) { return std::sqrt(px * px + py * py) - 1; };
        EXPECT_EQ(x + step, x);
        EXPECT_EQ((outside(x + step, y) - outside(x, y)) / step, 0);
        // The right step for float finds a slope, with an error of some percent.
        const float own = std::sqrt(std::numeric_limits<float>::epsilon()) * h0;
        EXPECT_NEAR((outside(x + own, y) - outside(x, y)) / own, x / std::sqrt(x * x + y * y), 0.2);
        // The step for double, in double: some seven digits are right.
        const double fine = 0x1.0p-26 * static_cast<double>(h0), r = std::hypot(0.8, 0.7);
        EXPECT_NEAR((std::hypot(0.8 + fine, 0.7) - r) / fine, 0.8 / r, 1e-5);
    }
}

// Floats added in another order give another sum, and atomic additions come in any order.
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

}  // namespace
