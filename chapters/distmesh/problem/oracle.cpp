// SPDX-License-Identifier: MIT
// What makes a mesh right, whichever stage made it. It shares only the domain with the stages.
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "common/base/text.hpp"
#include "problem/distmesh.hpp"

namespace distmesh {

using course::text;

namespace {

// The iteration that ends a run still moves its points. The next one would move them no farther,
// but for rounding and the last projections.
constexpr double kMovementSlack = 1.1;
// Of an area measured on a grid, in cells: twice the largest error seen.
constexpr double kGridError = 4;

double shoelace(std::span<const Point> vertices) {
    double twice = 0;
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        const Point a = vertices[i], b = vertices[(i + 1) % vertices.size()];
        twice += a.x * b.y - b.x * a.y;
    }
    return std::fabs(twice) / 2;
}

struct Edge {
    std::int32_t from, to;

    auto operator<=>(const Edge&) const = default;  // NOLINT(modernize-use-nullptr)
};

// The largest movement of an interior point in one more iteration, in h0.
double largest_movement(const Input& input, const Output& output, std::span<const Edge> bars) {
    std::vector<double> lengths, wanted;
    double squares = 0, wanted_squares = 0;
    for (const auto& [from, to] : bars) {
        const Point a = output.points[from], b = output.points[to];
        lengths.push_back(std::hypot(b.x - a.x, b.y - a.y));
        wanted.push_back(wanted_length(input.domain, (a.x + b.x) / 2, (a.y + b.y) / 2));
        squares += lengths.back() * lengths.back();
        wanted_squares += wanted.back() * wanted.back();
    }
    std::vector<Point> forces(output.points.size(), Point{0, 0});
    for (std::size_t i = 0; i < bars.size(); ++i) {
        const double rest = wanted[i] * 1.2 * std::sqrt(squares / wanted_squares);
        if (rest <= lengths[i]) continue;
        const Point a = output.points[bars[i].from], b = output.points[bars[i].to];
        const double by_length = (rest - lengths[i]) / lengths[i];
        forces[bars[i].from].x -= by_length * (b.x - a.x);
        forces[bars[i].from].y -= by_length * (b.y - a.y);
        forces[bars[i].to].x += by_length * (b.x - a.x);
        forces[bars[i].to].y += by_length * (b.y - a.y);
    }
    double largest = 0;
    for (std::size_t i = static_cast<std::size_t>(input.fixed); i < forces.size(); ++i) {
        const Point point = output.points[i];
        // Twice as far from the boundary as in the stages, which judge the moved point.
        if (distance(input.domain, point.x, point.y) >= -0.002 * input.h0) continue;
        largest = std::fmax(largest, 0.2 * std::hypot(forces[i].x, forces[i].y) / input.h0);
    }
    return largest;
}

}  // namespace

Expected expected_of(std::string_view name, const Region& region, double h0) {
    Expected expected;
    // Chords of length l leave out pi l^2 / 6 in total along a smooth curve, whatever its shape.
    // That is less than h0^2 if no edge is longer than 1.38 h0. Edges may be longer where a shape
    // has only a handful of points, or by grading. Then the corners of a polygon are cut off, too.
    const bool handful =
        h0 > 0.65;  // at most eight points on the circle; a hexagon lacks 1.05 h0^2
    const bool fine = region.domain.grading == 0 && h0 <= region.narrowest() / 4;
    expected.area_tolerance = (handful ? 3 : fine ? 1 : 2) * h0 * h0;
    expected.holes = 0;
    if (name == "circle") {
        expected.area = std::numbers::pi;
        expected.least_quality = handful ? 0 : 0.6;
    } else if (name == "ellipse") {
        expected.area = 2 * std::numbers::pi;
    } else if (name == "ring") {
        expected.area = 0.75 * std::numbers::pi;
        expected.holes = 1;
    } else if (name == "square-hole") {
        expected.area = 4 - std::numbers::pi / 4;
        expected.holes = 1;
    } else if (region.domain.count == 1 && region.domain.shapes[0].kind == Kind::kPolygon) {
        expected.area = shoelace(region.vertices);
    } else {
        Region uniform = region;
        uniform.domain.grading = 0;
        expected.area = uniform.weighted_area();
        // Chords of other boundaries than the graded one are as long as bars should be there.
        const Box box = region.box();
        const double longest = 1 + region.domain.grading * std::fmax(box.width(), box.height()) / 2;
        expected.area_tolerance *= longest * longest;
        expected.area_tolerance += kGridError * region.grid_cell() * region.grid_cell();
        expected.holes = -1;
    }
    return expected;
}

course::Verdict verdict_of(const Input& input, const Expected& expected, const Output& output,
                           Measures& measures) {
    measures = {};
    const auto wrong = [](const auto&... what) { return course::Verdict{false, text(what...)}; };
    const auto count = static_cast<std::int64_t>(output.points.size());
    if (output.triangles.empty()) return wrong("no triangles");
    if (output.iterations < std::min<std::int64_t>(1, input.max_iterations) ||
        output.iterations > input.max_iterations || output.triangulations < 1 ||
        output.triangulations > output.iterations + 1) {
        return wrong(output.iterations, " iterations with ", output.triangulations,
                     " triangulations");
    }
    if (!output.converged && output.iterations < input.max_iterations) {
        return wrong("did not converge, and stopped before the last iteration");
    }
    for (std::int64_t i = 0; i < count; ++i) {
        const Point point = output.points[i];
        const double outside = distance(input.domain, point.x, point.y) / input.h0;
        if (!(outside <= kInsideTolerance)) {
            return wrong("point ", i, " lies ", outside, " h0 outside the domain");
        }
        measures.farthest_outside = std::fmax(measures.farthest_outside, outside);
        if (i < input.fixed && (point.x != input.points[i].x || point.y != input.points[i].y)) {
            return wrong("fixed point ", i, " was moved or lost");
        }
    }
    if (count < input.fixed) return wrong("fixed points were lost");

    std::vector<Edge> edges;  // in the direction of their triangles
    std::vector<bool> used(output.points.size(), false);
    measures.least_quality = 2;
    double qualities = 0;
    for (std::size_t i = 0; i < output.triangles.size(); ++i) {
        const auto& [a, b, c] = output.triangles[i];
        if (std::min({a, b, c}) < 0 || std::max({a, b, c}) >= count) {
            return wrong("triangle ", i, " has a corner that is not a point");
        }
        const Point p = output.points[a], q = output.points[b], r = output.points[c];
        const double twice = (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
        if (!(twice > 0)) return wrong("triangle ", i, " is clockwise or flat");
        measures.area += twice / 2;
        const double own = quality(p, q, r);
        measures.least_quality = std::fmin(measures.least_quality, own);
        qualities += own;
        for (const std::int32_t corner : {a, b, c}) used[corner] = true;
        edges.insert(edges.end(), {{a, b}, {b, c}, {c, a}});
    }
    measures.mean_quality = qualities / static_cast<double>(output.triangles.size());
    if (std::ranges::find(used, false) != used.end()) return wrong("a point without a triangle");

    // Each edge occurs once per direction, or once at the boundary. Then no side has two triangles.
    std::ranges::sort(edges);
    if (std::ranges::adjacent_find(edges) != edges.end()) {
        return wrong("an edge has two triangles on the same side");
    }
    std::vector<Edge> bars;
    for (const Edge& edge : edges) {
        const bool both = std::ranges::binary_search(edges, Edge{edge.to, edge.from});
        if (!both || edge.from < edge.to) bars.push_back(edge);
    }
    const auto holes = 1 - (count - static_cast<std::int64_t>(bars.size()) +
                            static_cast<std::int64_t>(output.triangles.size()));
    measures.largest_movement = largest_movement(input, output, bars);
    const std::string found =
        text(count, " points, ", output.triangles.size(), " triangles: quality ",
             measures.least_quality, " or more, area ", measures.area, " for ", expected.area,
             ", movement ", measures.largest_movement, " h0");
    if (!output.converged) return {true, found + " (not converged)"};
    if (!(measures.largest_movement < kMovementSlack * kStopTolerance)) {
        return wrong("not at rest: ", found);
    }
    if (expected.holes >= 0 && holes != expected.holes) {
        return wrong(holes, " holes, not ", expected.holes, ": ", found);
    }
    if (!(std::fabs(measures.area - expected.area) <= expected.area_tolerance)) {
        return wrong("the area is more than ", expected.area_tolerance, " off: ", found);
    }
    if (!(measures.least_quality >= expected.least_quality)) {
        return wrong("quality below ", expected.least_quality, ": ", found);
    }
    return {true, found};
}

}  // namespace distmesh
