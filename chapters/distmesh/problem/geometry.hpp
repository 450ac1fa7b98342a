// SPDX-License-Identifier: MIT
// Triangles of points: area, quality, and which diagonal of four points is the right one. Host code
// and kernels call these functions.
#pragma once

#include <cmath>

#include "problem/domain.hpp"

namespace distmesh {

inline constexpr double kInsideTolerance = 0.001;  // geps, of h0
inline constexpr double kFlat = 0.6;  // quality of a triangle at the boundary that is mended
// Far above the rounding error of an area (in h0 squared) and of a sum of three products.
inline constexpr double kRounding = 1e-12;

// Above 0 where the corners go round the triangle counter-clockwise.
DISTMESH_BOTH inline double twice_area(Point a, Point b, Point c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// Twice the area of a triangle that is as flat as rounding makes of points in line.
DISTMESH_BOTH inline double flat_area(double h0, Point a, Point b, Point c) {
    const double longest =
        std::fmax(std::hypot(b.x - a.x, b.y - a.y),
                  std::fmax(std::hypot(c.x - b.x, c.y - b.y), std::hypot(a.x - c.x, a.y - c.y)));
    return kInsideTolerance * h0 * longest;
}

// Whether a triangle is one of the mesh: its centroid is inside, and it is neither turned over nor
// flat.
DISTMESH_BOTH inline bool is_inside(const Domain& domain, double h0, Point a, Point b, Point c) {
    return distance(domain, (a.x + b.x + c.x) / 3, (a.y + b.y + c.y) / 3) <
               -kInsideTolerance * h0 &&
           twice_area(a, b, c) > flat_area(h0, a, b, c);
}

DISTMESH_BOTH inline double squared_distance(Point a, Point b) {
    return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

// Above 0 where d lies in the circle through a, b and c, and 0 where rounding leaves it open: the
// determinant of the points' heights on a paraboloid over d.
DISTMESH_BOTH inline double in_circle(Point a, Point b, Point c, Point d) {
    const double ax = a.x - d.x, ay = a.y - d.y, bx = b.x - d.x, by = b.y - d.y;
    const double cx = c.x - d.x, cy = c.y - d.y;
    const double a2 = ax * ax + ay * ay, b2 = bx * bx + by * by, c2 = cx * cx + cy * cy;
    const double sum =
        a2 * (bx * cy - by * cx) + b2 * (cx * ay - cy * ax) + c2 * (ax * by - ay * bx);
    const double sizes = a2 * (std::fabs(bx * cy) + std::fabs(by * cx)) +
                         b2 * (std::fabs(cx * ay) + std::fabs(cy * ax)) +
                         c2 * (std::fabs(ax * by) + std::fabs(ay * bx));
    return std::fabs(sum) > kRounding * sizes ? sum : 0;
}

// Whether the diagonal from c to d is the right one, and that from a to b is wrong:
//        c                  c
//      /   \              / | \          triangles (a, b, c) and (b, a, d)
//     a --- b     ->     a  |  b         become (a, d, c) and (b, c, d)
//      \   /              \ | /
//        d                  d
// That is so where d lies in the circle through a, b and c (Delaunay's rule). And where a point has
// passed over the edge from a to b, the longest of its triangle: the point goes on into the next
// triangle. There it stays, or it passes over another edge, in the end over the boundary's.
DISTMESH_BOTH inline bool is_wrong_diagonal(double h0, Point a, Point b, Point c, Point d) {
    const double rounding = kRounding * h0 * h0;
    const double abc = twice_area(a, b, c), bad = twice_area(b, a, d);
    const double adc = twice_area(a, d, c), bcd = twice_area(b, c, d);
    if (abc > rounding && bad > rounding) return adc > 0 && bcd > 0 && in_circle(a, b, c, d) > 0;
    if (std::fmax(abc, bad) <= rounding || std::fmax(adc, bcd) <= rounding) return false;
    const Point passed = abc <= rounding ? c : d;
    return squared_distance(a, b) >
           std::fmax(squared_distance(a, passed), squared_distance(b, passed));
}

// Twice the radius of the inscribed circle over that of the circumscribed circle: 1 for an
// equilateral triangle.
DISTMESH_BOTH inline double quality(Point a, Point b, Point c) {
    const double ab = std::hypot(b.x - a.x, b.y - a.y), bc = std::hypot(c.x - b.x, c.y - b.y),
                 ca = std::hypot(a.x - c.x, a.y - c.y);
    return (ab + bc - ca) * (bc + ca - ab) * (ca + ab - bc) / (ab * bc * ca);
}

// Whether a point at rest is just behind the edge from a to b of the boundary, where it belongs.
DISTMESH_BOTH inline bool is_to_mend(const Domain& domain, double h0, Point a, Point b,
                                     Point point) {
    const double wide = (a.x - point.x) * (b.x - point.x) + (a.y - point.y) * (b.y - point.y);
    return wide < 0 && quality(a, b, point) < kFlat &&
           distance(domain, point.x, point.y) < -kInsideTolerance * h0;
}

}  // namespace distmesh
