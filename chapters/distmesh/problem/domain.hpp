// SPDX-License-Identifier: MIT
// What is meshed: a signed distance, negative inside, and the wanted length of bars. Host code and
// kernels call both functions. Kernels take a Domain by value.
#pragma once

#include <cmath>

#ifdef __CUDACC__
#define DISTMESH_BOTH __host__ __device__
#else
#define DISTMESH_BOTH  // only nvcc must know that host and device call a function
#endif

namespace distmesh {

// Laid out as CUDA's double2, so that a list of points is copied to the device unchanged.
struct alignas(16) Point {
    double x, y;
};

enum class Kind : int { kCircle, kEllipse, kBox, kPolygon };
enum class Join : int { kUnion, kDifference };

struct Shape {
    Kind kind;
    Join join;  // with the shapes before it
    double x, y;  // its centre; unused for a polygon
    double a, b;  // radius, -; half axes; half sides
    int first, count;  // a polygon's vertices
};

inline constexpr int kMaxShapes = 4;

struct Domain {
    Shape shapes[kMaxShapes];
    int count;
    // Bars are longer by this factor times the distance from a shape's boundary. 0: all are alike.
    double grading;
    int graded_shape;
    const Point* vertices;  // of all polygons, in the memory where the domain is used
};

// Distance from an ellipse around the origin with half axes a and b. The foot of the perpendicular
// is found in steps along the circle of curvature; each step doubles or triples the right digits.
DISTMESH_BOTH inline double ellipse_distance(double a, double b, double x, double y) {
    const double px = std::fabs(x), py = std::fabs(y);
    double cosine = 0.70710678118654752, sine = cosine;
    for (int step = 0; step < 6; ++step) {
        // The centre of curvature there, and from it the foot and the point.
        const double ex = (a * a - b * b) * cosine * cosine * cosine / a;
        const double ey = (b * b - a * a) * sine * sine * sine / b;
        const double rx = a * cosine - ex, ry = b * sine - ey;
        const double qx = px - ex, qy = py - ey;
        const double q = std::sqrt(qx * qx + qy * qy);
        if (q == 0) break;  // all points of the circle of curvature are equally near
        const double ratio = std::sqrt(rx * rx + ry * ry) / q;
        cosine = std::fmin(1.0, std::fmax(0.0, (qx * ratio + ex) / a));
        sine = std::fmin(1.0, std::fmax(0.0, (qy * ratio + ey) / b));
        const double norm = std::sqrt(cosine * cosine + sine * sine);
        cosine /= norm;
        sine /= norm;
    }
    const double dx = px - a * cosine, dy = py - b * sine;
    const double distance = std::sqrt(dx * dx + dy * dy);
    return (px / a) * (px / a) + (py / b) * (py / b) < 1 ? -distance : distance;
}

DISTMESH_BOTH inline double box_distance(double a, double b, double x, double y) {
    const double dx = std::fabs(x) - a, dy = std::fabs(y) - b;
    const double outside_x = std::fmax(dx, 0.0), outside_y = std::fmax(dy, 0.0);
    return std::sqrt(outside_x * outside_x + outside_y * outside_y) +
           std::fmin(std::fmax(dx, dy), 0.0);
}

// Distance from the nearest edge. A point is inside if a ray to the right crosses an odd number of
// edges.
DISTMESH_BOTH inline double polygon_distance(const Point* vertices, int count, double x, double y) {
    double least = HUGE_VAL;
    bool inside = false;
    Point from = vertices[count - 1];
    for (int i = 0; i < count; ++i) {
        const Point to = vertices[i];
        const double ex = to.x - from.x, ey = to.y - from.y;
        const double wx = x - from.x, wy = y - from.y;
        const double along =
            std::fmin(1.0, std::fmax(0.0, (wx * ex + wy * ey) / (ex * ex + ey * ey)));
        const double dx = wx - along * ex, dy = wy - along * ey;
        least = std::fmin(least, dx * dx + dy * dy);
        if ((from.y > y) != (to.y > y) && x < from.x + ex * (y - from.y) / ey) inside = !inside;
        from = to;
    }
    return inside ? -std::sqrt(least) : std::sqrt(least);
}

DISTMESH_BOTH inline double shape_distance(const Domain& domain, const Shape& shape, double x,
                                           double y) {
    x -= shape.x;
    y -= shape.y;
    if (shape.kind == Kind::kCircle) return std::sqrt(x * x + y * y) - shape.a;
    if (shape.kind == Kind::kEllipse) return ellipse_distance(shape.a, shape.b, x, y);
    if (shape.kind == Kind::kBox) return box_distance(shape.a, shape.b, x, y);
    return polygon_distance(domain.vertices + shape.first, shape.count, x, y);
}

// Below 0 inside. It is exact for one shape. For several it is exact near a boundary that belongs
// to one of them only.
DISTMESH_BOTH inline double distance(const Domain& domain, double x, double y) {
    double result = shape_distance(domain, domain.shapes[0], x, y);
    for (int i = 1; i < domain.count; ++i) {
        const double other = shape_distance(domain, domain.shapes[i], x, y);
        result = domain.shapes[i].join == Join::kUnion ? std::fmin(result, other)
                                                       : std::fmax(result, -other);
    }
    return result;
}

// The wanted length of a bar at a place. Only the ratio of two lengths matters.
DISTMESH_BOTH inline double wanted_length(const Domain& domain, double x, double y) {
    if (domain.grading == 0) return 1;
    const Shape& shape = domain.shapes[domain.graded_shape];
    return 1 + domain.grading * std::fabs(shape_distance(domain, shape, x, y));
}

}  // namespace distmesh
