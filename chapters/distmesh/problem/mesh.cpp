// SPDX-License-Identifier: MIT
// The host's part of every stage: triangulations, bars, and which iteration is the last.
#include <algorithm>
#include <boost/polygon/voronoi.hpp>
#include <cmath>
#include <numbers>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "problem/distmesh.hpp"

namespace distmesh {

std::vector<Triangle> delaunay(std::span<const Point> points) {
    std::vector<Triangle> triangles;
    if (points.empty()) return triangles;
    Point low = points[0], high = points[0];
    for (const Point& point : points) {
        low = {std::fmin(low.x, point.x), std::fmin(low.y, point.y)};
        high = {std::fmax(high.x, point.x), std::fmax(high.y, point.y)};
    }
    // Boost's diagram is exact for 32-bit integers: the larger side is scaled to 2^31 - 2.
    constexpr double kHalf = 0x1.0p30 - 1;
    const double half_extent = std::fmax(high.x - low.x, high.y - low.y) / 2;
    const double scale = half_extent > 0 ? kHalf / half_extent : 1;
    const Point middle = {(low.x + high.x) / 2, (low.y + high.y) / 2};
    using IntegerPoint = boost::polygon::point_data<std::int32_t>;
    std::vector<IntegerPoint> sites;
    sites.reserve(points.size());
    for (const Point& point : points) {
        sites.emplace_back(static_cast<std::int32_t>(std::lrint((point.x - middle.x) * scale)),
                           static_cast<std::int32_t>(std::lrint((point.y - middle.y) * scale)));
    }
    boost::polygon::voronoi_diagram<double> diagram;
    boost::polygon::construct_voronoi(sites.begin(), sites.end(), &diagram);

    // A vertex of the diagram is a triangle of the sites around it. If there are more than three,
    // they lie on a circle, and any fan of triangles is a Delaunay triangulation of them.
    triangles.reserve(diagram.num_vertices());
    for (const auto& vertex : diagram.vertices()) {
        const auto site_of = [](const auto* edge) {
            return static_cast<std::int32_t>(edge->cell()->source_index());
        };
        const auto* first = vertex.incident_edge();
        for (const auto* edge = first->rot_next(); edge->rot_next() != first;
             edge = edge->rot_next()) {
            Triangle triangle = {site_of(first), site_of(edge), site_of(edge->rot_next())};
            const Point a = points[triangle.a], b = points[triangle.b], c = points[triangle.c];
            if ((b.x - a.x) * (c.y - a.y) < (b.y - a.y) * (c.x - a.x)) {
                std::swap(triangle.b, triangle.c);
            }
            triangles.push_back(triangle);
        }
    }
    return triangles;
}

HalfEdges with_ghosts(std::span<const Point> points, std::span<const Triangle> triangles) {
    HalfEdges result;
    std::vector<std::int32_t>& corners = result.corners;
    std::vector<std::int32_t>& twins = result.twins;
    for (const auto& [a, b, c] : triangles) corners.insert(corners.end(), {a, b, c});
    const auto real = static_cast<std::int32_t>(corners.size());
    const auto next = [](std::int32_t h) { return h % 3 == 2 ? h - 2 : h + 1; };
    const auto previous = [](std::int32_t h) { return h % 3 == 0 ? h + 2 : h - 1; };
    const auto end_of = [&](std::int32_t h) { return corners[next(h)]; };

    // The half-edges of each point, one point after the other.
    std::vector<std::int32_t> offsets(points.size() + 1, 0), leaving(real);
    for (const std::int32_t corner : corners) ++offsets[corner + 1];
    for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
    std::vector<std::int32_t> place(offsets.begin(), offsets.end() - 1);
    for (std::int32_t h = 0; h < real; ++h) leaving[place[corners[h]]++] = h;

    // A half-edge without a twin gets a ghost triangle, whose first half-edge becomes its twin.
    twins.assign(real, -1);
    std::vector<std::int32_t> boundary;
    for (std::int32_t h = 0; h < real; ++h) {
        const std::int32_t from = corners[h], to = end_of(h);
        const std::span<const std::int32_t> back(leaving.data() + offsets[to],
                                                 leaving.data() + offsets[to + 1]);
        const auto found = std::ranges::find_if(back, [&](auto g) { return end_of(g) == from; });
        if (found != back.end()) {
            twins[h] = *found;
            continue;
        }
        boundary.push_back(h);
        twins[h] = static_cast<std::int32_t>(corners.size());
        corners.insert(corners.end(), {to, from, kGhost});
        twins.insert(twins.end(), {h, -1, -1});
    }

    // The boundary leaves a point by half-edge h. The half-edge by which it arrives is the next one
    // clockwise, as the outside is between them. There are several to choose from only where parts
    // of the mesh meet in nothing but that point.
    std::vector<std::int32_t> arriving = boundary;
    std::ranges::sort(arriving, {}, end_of);
    for (const std::int32_t h : boundary) {
        const Point middle = points[corners[h]];
        const auto angle_of = [&](std::int32_t point) {
            return std::atan2(points[point].y - middle.y, points[point].x - middle.x);
        };
        std::int32_t nearest = -1;
        double least = 0;
        auto g = std::ranges::lower_bound(arriving, corners[h], {}, end_of);
        for (; g != arriving.end() && end_of(*g) == corners[h]; ++g) {
            double clockwise = angle_of(end_of(h)) - angle_of(corners[*g]);
            if (clockwise <= 0) clockwise += 2 * std::numbers::pi;
            if (nearest < 0 || clockwise < least) {
                nearest = *g;
                least = clockwise;
            }
        }
        const std::int32_t to_ghost = next(twins[h]), from_ghost = previous(twins[nearest]);
        twins[to_ghost] = from_ghost;
        twins[from_ghost] = to_ghost;
    }

    result.edges.resize(corners.size());
    result.leaving.assign(points.size(), kNoHalfEdge);
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const auto h = static_cast<std::int32_t>(i), twin = twins[h];
        const std::int32_t from = corners[h], to = corners[twin];
        if (from != kGhost) result.leaving[from] = std::min(result.leaving[from], h);
        if (h > twin) continue;
        result.edges[h] = result.edges[twin] = static_cast<std::int32_t>(result.bars.size());
        result.bars.push_back(from == kGhost || to == kGhost ? kNoBar : Bar{from, to});
    }
    return result;
}

Mesh::Mesh(const Input& input) : points(input.points), input_(input) {}

bool Mesh::is_inside(const Triangle& triangle) const {
    return distmesh::is_inside(input_.domain, input_.h0, points[triangle.a], points[triangle.b],
                               points[triangle.c]);
}

bool Mesh::is_at_rest() const {
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double dx = points[i].x - triangulated[i].x, dy = points[i].y - triangulated[i].y;
        if (std::hypot(dx, dy) > kSlideTolerance * input_.h0) return false;
    }
    return std::ranges::all_of(triangles,
                               [&](const Triangle& triangle) { return is_inside(triangle); });
}

bool Mesh::triangulate() {
    if (converged_) {
        if (is_at_rest() && (iterations_ == input_.max_iterations || !mend())) return false;
        converged_ = false;
    }
    ++triangulations_;
    iterations_here_ = 0;
    crowded_ = ended_ = false;
    triangulated = points;
    triangles = delaunay(points);
    std::erase_if(triangles, [&](const Triangle& triangle) { return !is_inside(triangle); });
    if (triangles.empty()) {
        throw course::UsageError(course::text("h0 = ", input_.h0,
                                              ": too coarse for the domain: no triangle of its ",
                                              points.size(), " points is inside"));
    }
    bars.clear();
    bars.reserve(3 * triangles.size());
    std::vector<bool> joined(points.size(), false);
    for (const auto& [a, b, c] : triangles) {
        joined[a] = joined[b] = joined[c] = true;
        for (const auto& [from, to] : {Bar{a, b}, Bar{b, c}, Bar{c, a}}) {
            bars.push_back({std::min(from, to), std::max(from, to)});
        }
    }
    std::ranges::sort(bars);
    bars.erase(std::unique(bars.begin(), bars.end()), bars.end());
    bar_count_ = static_cast<std::int64_t>(bars.size());
    all_joined_ = std::ranges::find(joined, false) == joined.end();
    return iterations_ < input_.max_iterations;
}

bool Mesh::begin_on_device() {
    if (iterations_left() == 0) return false;
    ++repairs_;
    triangulated = points;
    all_joined_ = true;
    return true;
}

// The forces may come to rest while an edge of the boundary is half as long again as it should be,
// and the point that belongs between its ends is just behind it. The unit circle does so at
// h0 = 0.29, with a quality of 0.39.
bool Mesh::mend() {
    if (mendings_++ == kMostMendings) return false;
    std::vector<std::pair<Bar, std::int32_t>> sides;  // with the corner across
    for (const auto& [a, b, c] : triangles) {
        for (const auto& [from, to, across] : {Triangle{a, b, c}, {b, c, a}, {c, a, b}}) {
            sides.push_back({{std::min(from, to), std::max(from, to)}, across});
        }
    }
    std::ranges::sort(sides);
    bool mended = false;
    for (std::size_t i = 0; i < sides.size(); ++i) {
        const auto& [side, across] = sides[i];
        if ((i > 0 && sides[i - 1].first == side) ||
            (i + 1 < sides.size() && sides[i + 1].first == side) || across < input_.fixed) {
            continue;  // inside the mesh, or fixed
        }
        const Point a = points[side.a], b = points[side.b];
        Point& point = points[across];
        if (!is_to_mend(input_.domain, input_.h0, a, b, point)) continue;
        const Point middle = {(a.x + b.x) / 2, (a.y + b.y) / 2};
        const double step = kGradientStep * input_.h0;
        const double outside = distance(input_.domain, middle.x, middle.y);
        const double gx = (distance(input_.domain, middle.x + step, middle.y) - outside) / step;
        const double gy = (distance(input_.domain, middle.x, middle.y + step) - outside) / step;
        const double back = outside / (gx * gx + gy * gy);
        point = {middle.x - back * gx, middle.y - back * gy};
        mended = true;
    }
    return mended;
}

void Mesh::list_bars_of_points(std::vector<std::int32_t>& offsets,
                               std::vector<std::int32_t>& list) const {
    offsets.assign(points.size() + 1, 0);
    for (const Bar& bar : bars) {
        ++offsets[bar.a + 1];
        ++offsets[bar.b + 1];
    }
    for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
    list.resize(2 * bars.size());
    std::vector<std::int32_t> next(offsets.begin(), offsets.end() - 1);
    for (std::size_t i = 0; i < bars.size(); ++i) {
        list[next[bars[i].a]++] = static_cast<std::int32_t>(i);
        list[next[bars[i].b]++] = ~static_cast<std::int32_t>(i);
    }
}

void Mesh::end_iterations(const Status& status, std::int64_t iterations) {
    iterations_ += iterations;
    bars_done_ += iterations * bar_count();
    points_done_ += iterations * count();
    iterations_here_ += iterations;
    const bool at_rest = status.crowded == 0 && status.moving == 0;
    converged_ = at_rest && iterations_here_ == 1;
    crowded_ = status.crowded != 0;
    ended_ = at_rest || crowded_ || status.drifted != 0;
}

void Mesh::end_launch(const Launched& launched) {
    const std::int64_t before = launched.iterations - launched.iterations_here;
    repairs_ += launched.repairs;
    iterations_ += before;
    points_done_ += before * count();
    bars_done_ += launched.bars - launched.iterations_here * bar_count();
    iterations_here_ = 0;
    end_iterations(launched.status, launched.iterations_here);
}

void Mesh::leave_out_others() {
    std::erase_if(triangles, [&](const Triangle& triangle) {
        const auto& [a, b, c] = triangle;
        return a == kGhost || b == kGhost || c == kGhost ||
               !distmesh::is_inside(input_.domain, input_.h0, triangulated[a], triangulated[b],
                                    triangulated[c]);
    });
}

bool Mesh::begin_repair() {
    if (!all_joined_ || crowded_ || iterations_left() == 0) return false;
    if (converged_ && is_at_rest()) return false;
    converged_ = ended_ = false;
    ++repairs_;
    iterations_here_ = 0;
    return true;
}

bool Mesh::end_repair(bool done) {
    if (!done) --repairs_;
    return done;
}

course::Work Mesh::work() const {
    return {.bytes = sizeof(Bar) * static_cast<double>(bars_done_) +
                     2 * sizeof(Point) * static_cast<double>(points_done_),
            .operations = kOperationsPerBar * static_cast<double>(bars_done_)};
}

void Mesh::drop(std::span<const std::int32_t> crowded) {
    if (iterations_ == input_.max_iterations) return;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const bool fixed = static_cast<std::int64_t>(i) < input_.fixed;
        if (fixed || crowded[i] == 0) points[kept++] = points[i];
    }
    points.resize(kept);
}

void Mesh::finish(Output& output) const {
    std::vector<std::int32_t> places(points.size(), -1);
    output.points.clear();
    output.triangles.clear();
    for (const Triangle& triangle : triangles) {
        for (const std::int32_t i : {triangle.a, triangle.b, triangle.c}) places[i] = 0;
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (places[i] < 0) continue;
        places[i] = static_cast<std::int32_t>(output.points.size());
        output.points.push_back(points[i]);
    }
    for (const auto& [a, b, c] : triangles) {
        output.triangles.push_back({places[a], places[b], places[c]});
    }
    output.iterations = iterations_;
    output.triangulations = triangulations_ + repairs_;
    output.host_triangulations = triangulations_;
    output.converged = converged_;
}

void Mesh::finish(Output& output, PhaseTimer& timer) const {
    timer.begin(Phase::kHost);
    finish(output);
    timer.end();
}

}  // namespace distmesh
