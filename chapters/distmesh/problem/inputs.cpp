// SPDX-License-Identifier: MIT
// Domains, files of polygons and points, and the points at the start.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>
#include <tuple>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/input/random.hpp"
#include "common/input/text_reader.hpp"
#include "problem/distmesh.hpp"

namespace distmesh {

using course::text;

namespace {

constexpr double kCoordinateLimit = 1e6;
constexpr auto kMaxLattice = static_cast<double>(kMaxPoints);

// NACA's four-digit section 0012 with a closed trailing edge. Its chord has length 1 and the origin
// in its middle.
std::vector<Point> wing_section() {
    constexpr int kEdges = 60;  // per side
    constexpr double kThickness = 0.12;
    std::vector<Point> vertices;
    // From the trailing edge over the upper side to the nose, and back. Dense at both ends.
    for (int i = 0; i < 2 * kEdges; ++i) {
        const double x = (1 + std::cos(std::numbers::pi * i / kEdges)) / 2;
        const double y =
            5 * kThickness *
            (0.2969 * std::sqrt(x) - x * (0.1260 + x * (0.3516 - x * (0.2843 - x * 0.1036))));
        vertices.push_back({x - 0.5, i == 0 ? 0 : i < kEdges ? y : -y});
    }
    return vertices;
}

void add_polygon(Region& region, Join join, std::span<const Point> vertices, double x, double y,
                 double scale) {
    const int first = static_cast<int>(region.vertices.size());
    for (const Point& vertex : vertices) {
        region.vertices.push_back({x + scale * vertex.x, y + scale * vertex.y});
    }
    region.domain.shapes[region.domain.count++] = {
        Kind::kPolygon, join, 0, 0, 0, 0, first, static_cast<int>(vertices.size())};
}

void add_box(Region& region, Join join, double x, double y, double half) {
    region.domain.shapes[region.domain.count++] = {Kind::kBox, join, x, y, half, half, 0, 0};
    for (const double sx : {-half, half}) {
        for (const double sy : {-half, half}) region.fixed.push_back({x + sx, y + sy});
    }
}

// False for a name that is not known.
bool add_named(Region& region, Join join, std::string_view name, double x, double y, double scale) {
    if (name == "circle") {
        region.domain.shapes[region.domain.count++] = {Kind::kCircle, join,  x, y,
                                                       scale,         scale, 0, 0};
    } else if (name == "ellipse") {
        region.domain.shapes[region.domain.count++] = {Kind::kEllipse, join,  x, y,
                                                       2 * scale,      scale, 0, 0};
    } else if (name == "square") {
        add_box(region, join, x, y, scale);
    } else if (name == "wing") {
        add_polygon(region, join, wing_section(), x, y, scale);
        region.fixed.push_back({x + scale / 2, y});  // the trailing edge
    } else {
        return false;
    }
    return true;
}

constexpr Box kNothing = {HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL};

// Enlarges the box so that it contains the shape.
void enlarge(Box& box, const Shape& shape, std::span<const Point> vertices) {
    const auto hold = [&](double x, double y, double a, double b) {
        box = {std::fmin(box.left, x - a), std::fmin(box.bottom, y - b),
               std::fmax(box.right, x + a), std::fmax(box.top, y + b)};
    };
    if (shape.kind != Kind::kPolygon) hold(shape.x, shape.y, shape.a, shape.b);
    for (const Point& vertex : vertices.subspan(shape.first, shape.count)) {
        hold(vertex.x, vertex.y, 0, 0);
    }
}

double cross(Point a, Point b, Point c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// Whether c, on the line through a and b, lies between them.
bool lies_between(Point a, Point b, Point c) {
    return std::fmin(a.x, b.x) <= c.x && c.x <= std::fmax(a.x, b.x) && std::fmin(a.y, b.y) <= c.y &&
           c.y <= std::fmax(a.y, b.y);
}

bool meet(Point a, Point b, Point c, Point d) {
    const double abc = cross(a, b, c), abd = cross(a, b, d), cda = cross(c, d, a),
                 cdb = cross(c, d, b);
    if (((abc > 0) != (abd > 0)) && ((cda > 0) != (cdb > 0)) && abc != 0 && abd != 0 && cda != 0 &&
        cdb != 0) {
        return true;
    }
    return (abc == 0 && lies_between(a, b, c)) || (abd == 0 && lies_between(a, b, d)) ||
           (cda == 0 && lies_between(c, d, a)) || (cdb == 0 && lies_between(c, d, b));
}

// Whether one of the points, sorted by x, lies within `range` of a point.
bool is_at_one_of(std::span<const Point> points, Point point, double range) {
    auto near = std::ranges::lower_bound(points, point.x - range, {}, &Point::x);
    for (; near != points.end() && near->x <= point.x + range; ++near) {
        if (std::hypot(near->x - point.x, near->y - point.y) <= range) return true;
    }
    return false;
}

}  // namespace

Domain Region::at_hand() const {
    Domain result = domain;
    result.vertices = vertices.data();
    return result;
}

Box Region::box() const {
    Box box = kNothing;
    for (int i = 0; i < domain.count; ++i) {
        if (domain.shapes[i].join == Join::kUnion) enlarge(box, domain.shapes[i], vertices);
    }
    return box;
}

double Region::narrowest() const {
    double least = HUGE_VAL;
    for (int i = 0; i < domain.count; ++i) {
        Box box = kNothing;
        enlarge(box, domain.shapes[i], vertices);
        least = std::fmin(least, std::fmin(box.width(), box.height()));
    }
    return least;
}

double Region::grid_cell() const {
    constexpr int kCells = 500;
    return std::fmax(box().width(), box().height()) / kCells;
}

double Region::weighted_area() const {
    // A cell at the boundary counts with the share that a straight boundary would leave inside.
    const Domain here = at_hand();
    const Box bounds = box();
    const double cell = grid_cell();
    double area = 0, deepest = 0;
    double y = bounds.bottom + cell / 2;
    // refuse_unresolved() made sure that adding a cell changes a coordinate.
    while (y < bounds.top + cell) {
        double x = bounds.left + cell / 2;
        while (x < bounds.right + cell) {
            const double outside = distance(here, x, y);
            const double share = std::fmin(1.0, std::fmax(0.0, 0.5 - outside / cell));
            deepest = std::fmin(deepest, outside);
            const double length = wanted_length(here, x, y);
            if (share > 0) area += share * cell * cell / (length * length);
            x += cell;
        }
        y += cell;
    }
    return deepest < -cell ? area : 0;  // else there is only a boundary
}

void refuse_unresolved(const Region& region, std::optional<double> h0) {
    constexpr double kSmallest = 1e-100;  // its square is no denormal
    // Of the largest coordinate, which has 53 bits.
    constexpr double kFinestCell = 0x1p-40, kFinestSpacing = 0x1p-20;
    const Box box = region.box();
    const double farthest = std::fmax(std::fmax(std::fabs(box.left), std::fabs(box.right)),
                                      std::fmax(std::fabs(box.bottom), std::fabs(box.top)));
    const double width = std::fmin(box.width(), box.height());
    if (!(width > kSmallest) || !(region.grid_cell() > kFinestCell * farthest)) {
        throw course::UsageError(text("the domain is ", width,
                                      " wide, too little for a coordinate ", "of ", farthest,
                                      ": move it to the origin, or enlarge it"));
    }
    if (h0 && !(*h0 >= kFinestSpacing * farthest)) {
        throw course::UsageError(text("h0 = ", *h0, ": too small for a coordinate of ", farthest,
                                      ": move the domain to the origin, or take a larger h0"));
    }
}

Region make_region(std::string_view name) {
    Region region;
    if (name == "ring") {
        add_named(region, Join::kUnion, "circle", 0, 0, 1);
        add_named(region, Join::kDifference, "circle", 0, 0, 0.5);
    } else if (name == "square-hole") {
        add_named(region, Join::kUnion, "square", 0, 0, 1);
        add_named(region, Join::kDifference, "circle", 0, 0, 0.5);
        region.domain.grading = 6;
        region.domain.graded_shape = 1;
    } else if (name == "square" || !add_named(region, Join::kUnion, name, 0, 0, 1)) {
        throw course::UsageError(text("--domain ", name, ": there is no such domain"));
    }
    return region;
}

Region read_polygon(const std::string& path) {
    std::vector<Point> vertices;
    std::vector<std::int64_t> lines;
    course::TextReader reader(path);
    const auto same = [](Point a, Point b) { return a.x == b.x && a.y == b.y; };
    while (reader.next_row("x y")) {
        const double x = reader.real(0, "x", -kCoordinateLimit, kCoordinateLimit);
        if (vertices.size() > 1 && same(vertices.front(), vertices.back())) {
            reader.fail(text("a second ring begins: a file holds one ring, and line ", lines.back(),
                             " closed it"));
        }
        const Point vertex = {x, reader.real(1, "y", -kCoordinateLimit, kCoordinateLimit)};
        if (!vertices.empty() && same(vertices.back(), vertex)) {
            reader.fail("this vertex repeats that of the line before");
        }
        vertices.push_back(vertex);
        lines.push_back(reader.line_number());
    }
    if (vertices.size() < 2 || !same(vertices.front(), vertices.back())) {
        throw course::InputError(
            text(path, ':', lines.back(),
                 ": the polygon is not closed: its last line must repeat its first vertex"));
    }
    const std::size_t edges = vertices.size() - 1;
    if (edges < 3) {
        throw course::InputError(
            text(path, ':', lines.back(), ": a polygon has at least three vertices"));
    }
    for (std::size_t i = 0; i < edges; ++i) {
        for (std::size_t j = i + 1; j < edges; ++j) {
            bool crosses;
            if (j == i + 1 || (i == 0 && j == edges - 1)) {
                // Neighbours share one vertex and nothing else.
                const Point a = j == i + 1 ? vertices[i] : vertices[j];
                const Point b = j == i + 1 ? vertices[j] : vertices[i];
                const Point c = j == i + 1 ? vertices[j + 1] : vertices[i + 1];
                crosses = cross(a, b, c) == 0 &&
                          (a.x - b.x) * (c.x - b.x) + (a.y - b.y) * (c.y - b.y) > 0;
            } else {
                crosses = meet(vertices[i], vertices[i + 1], vertices[j], vertices[j + 1]);
            }
            if (crosses) {
                throw course::InputError(
                    text(path, ':', lines[j + 1], ": the polygon crosses itself: the edge that ",
                         "ends here meets the edge that ends in line ", lines[i + 1]));
            }
        }
    }
    vertices.pop_back();
    Region region;
    add_polygon(region, Join::kUnion, vertices, 0, 0, 1);
    region.fixed = vertices;
    return region;
}

void add_shape(Region& region, Join join, const std::string& flag, const std::string& value) {
    const auto fail = [&](const char* what) {
        throw course::UsageError(text(flag, ' ', value, ": ", what));
    };
    std::array<double, 3> place = {0, 0, 1};
    const std::size_t colon = value.find(':');
    if (colon != std::string::npos) {
        const char* next = value.data() + colon;
        const char* end = value.data() + value.size();
        for (double& number : place) {
            if (next == end || *next != (&number == place.data() ? ':' : ',')) {
                fail("write NAME:x,y,scale");
            }
            const auto [rest, error] = std::from_chars(next + 1, end, number);
            if (error != std::errc() || !(std::fabs(number) <= kCoordinateLimit)) {
                fail("x, y and scale are numbers");
            }
            next = rest;
        }
        if (next != end) fail("write NAME:x,y,scale");
    }
    if (!(place[2] > 0)) fail("the scale must be above 0");
    if (!add_named(region, join, std::string_view(value).substr(0, colon), place[0], place[1],
                   place[2])) {
        fail("the name is circle, ellipse, square or wing");
    }
}

std::vector<Point> read_fixed(const std::string& path, const Domain& domain, double h0) {
    std::vector<Point> points;
    course::TextReader reader(path);
    while (reader.next_row("x y")) {
        const double x = reader.real(0, "x", -kCoordinateLimit, kCoordinateLimit);
        const Point point = {x, reader.real(1, "y", -kCoordinateLimit, kCoordinateLimit)};
        const double outside = distance(domain, point.x, point.y);
        if (outside > kInsideTolerance * h0) {
            reader.fail(text("the point is ", outside, " outside the domain"));
        }
        points.push_back(point);
    }
    return points;
}

double spacing_for(const Region& region, std::int64_t count) {
    // Each point of the hexagonal lattice has an area of sqrt(3) / 2 h0^2.
    const double area = region.weighted_area();
    if (!(area > 0)) throw course::UsageError("the domain is empty");
    return std::sqrt(2 * area / (std::numbers::sqrt3 * static_cast<double>(count)));
}

void place_points(Input& input, const Region& region, std::span<const Point> fixed,
                  std::uint64_t seed) {
    input.vertices = region.vertices;
    input.domain = region.domain;
    input.domain.vertices = input.vertices.data();
    const double h0 = input.h0, outside = kInsideTolerance * h0;
    const auto before = [](Point a, Point b) { return std::tie(a.x, a.y) < std::tie(b.x, b.y); };
    const auto same = [](Point a, Point b) { return a.x == b.x && a.y == b.y; };
    for (const std::span<const Point> list : {std::span<const Point>(region.fixed), fixed}) {
        for (const Point& point : list) {  // a corner may have been cut off
            if (distance(input.domain, point.x, point.y) <= outside) input.points.push_back(point);
        }
    }
    std::ranges::sort(input.points, before);
    input.points.erase(std::unique(input.points.begin(), input.points.end(), same),
                       input.points.end());
    input.fixed = input.count();

    const Box box = region.box();
    const double row_height = h0 * std::numbers::sqrt3 / 2;
    // A little more than fits, as 2 / 0.2 may be rounded to less than 10.
    const double columns = std::floor(box.width() / h0 * (1 + 1e-12)) + 1;
    const double rows = std::floor(box.height() / row_height * (1 + 1e-12)) + 1;
    if (!(columns * rows <= kMaxLattice)) {
        throw course::UsageError(
            text("h0 = ", h0, ": the lattice has more than ", kMaxLattice, " points"));
    }
    // A lattice point beside a corner, or outside by a rounding, would leave it only flat
    // triangles.
    constexpr double kNear = 0.01;  // of h0
    const std::vector<Point> corners = input.points;
    std::vector<Point> lattice;
    for (std::int64_t column = 0; column < static_cast<std::int64_t>(columns); ++column) {
        for (std::int64_t row = 0; row < static_cast<std::int64_t>(rows); ++row) {
            const double shift =
                static_cast<double>(row % 2) / 2;  // every second row is shifted by half a spacing
            const Point point = {box.left + (static_cast<double>(column) + shift) * h0,
                                 box.bottom + static_cast<double>(row) * row_height};
            if (distance(input.domain, point.x, point.y) >= outside) continue;
            if (!is_at_one_of(corners, point, kNear * h0)) lattice.push_back(point);
        }
    }
    double densest = HUGE_VAL;
    if (input.domain.grading > 0) {
        for (const Point& point : lattice) {
            densest = std::fmin(densest, wanted_length(input.domain, point.x, point.y));
        }
    }
    course::Random random(seed);
    for (const Point& point : lattice) {
        if (input.domain.grading > 0) {
            const double ratio = densest / wanted_length(input.domain, point.x, point.y);
            if (random.uniform() >= ratio * ratio) continue;
        }
        input.points.push_back(point);
    }
    if (input.count() < 3) {
        throw course::UsageError(text("h0 = ", h0, ": the domain holds ", input.count(),
                                      " points of the lattice, and a mesh needs at least three"));
    }
}

}  // namespace distmesh
