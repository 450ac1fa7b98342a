// SPDX-License-Identifier: MIT
// A triangulation on the device, and the flip of one of its edges: what stage 05's repair is made
// of.
#pragma once

#include <cuda_runtime.h>

#include <climits>
#include <cmath>
#include <cstdint>

#include "device/gather.cuh"
#include "problem/distmesh.hpp"

namespace distmesh {

// Some twenty were the most that were seen; here flips undo each other.
inline constexpr int kMostRounds = 200;
// Far above what rounding makes of an area (in h0 squared) and of the sum of three products.
inline constexpr double kRounding = 1e-12;

// What the host is told of a triangulation.
struct Answer {
    Progress progress;
    int failed;  // a repair; nothing was iterated
    int listed;  // bars, each at both of its ends
};

// HalfEdges on the device, with what repairs need.
struct Triangulation {
    int *corners, *twins, *edges;
    unsigned long long* claims;  // of a triangle: the least that any edge claimed it with
    int* wishes;  // half-edges to be flipped in this round
    int* inside;  // whether a triangle is of the mesh
    int* leaving;  // of a point: the first half-edge that leaves it, INT_MAX without any
    int* totals;  // of a block's points: the bars of all
    int2* bars;
    int *offsets, *list;  // as Mesh::list_bars_of_points()
    int* wished;  // how many wishes; two, as one is cleared while the other is used
    Answer* answer;
    std::int64_t triangle_count;
};

__device__ __forceinline__ int next(int h) { return h % 3 == 2 ? h - 2 : h + 1; }
__device__ __forceinline__ int previous(int h) { return h % 3 == 0 ? h + 2 : h - 1; }

__device__ __forceinline__ Point point_at(const double2* points, int i) {
    const double2 point = points[i];
    return {point.x, point.y};
}

__device__ __forceinline__ bool is_inside(const Loop& loop, int a, int b, int c) {
    if (a == kGhost || b == kGhost || c == kGhost) return false;
    return is_inside(loop.domain, loop.h0, point_at(loop.points, a), point_at(loop.points, b),
                     point_at(loop.points, c));
}

// Above 0 where d lies in the circle through a, b and c: the determinant of the points' heights on
// a paraboloid over d; 0 where rounding leaves it open.
__device__ __forceinline__ double in_circle(Point a, Point b, Point c, Point d) {
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

__device__ __forceinline__ double square(Point a, Point b) {
    return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

// Half-edge h goes from a to b with c across, its twin g from b to a with d across:
//        c                  c
//      /   \              / | \          triangles (a, b, c) and (b, a, d)
//     a --- b     ->     a  |  b         become (a, d, c) and (b, c, d)
//      \   /              \ | /
//        d                  d
__device__ __forceinline__ bool should_flip(const Triangulation& mesh, const Loop& loop, int h,
                                            int g) {
    // Flipped, an end of three triangles would have two.
    if (mesh.twins[previous(h)] / 3 == mesh.twins[next(g)] / 3) return false;
    if (mesh.twins[next(h)] / 3 == mesh.twins[previous(g)] / 3) return false;
    const int a = mesh.corners[h], b = mesh.corners[next(h)];
    const int c = mesh.corners[previous(h)], d = mesh.corners[previous(g)];
    if (c == d) return false;
    // The boundary gives away a triangle that is not inside any more, and takes in one that is now.
    if (c == kGhost) return !is_inside(loop, b, a, d);
    if (d == kGhost) return !is_inside(loop, a, b, c);
    if (a == kGhost) return is_inside(loop, b, c, d);
    if (b == kGhost) return is_inside(loop, a, d, c);
    const Point p = point_at(loop.points, a), q = point_at(loop.points, b);
    const Point r = point_at(loop.points, c), s = point_at(loop.points, d);
    const double rounding = kRounding * loop.h0 * loop.h0;
    const double abc = twice_area(p, q, r), bad = twice_area(q, p, s);
    const double adc = twice_area(p, s, r), bcd = twice_area(q, r, s);
    if (abc > rounding && bad > rounding) return adc > 0 && bcd > 0 && in_circle(p, q, r, s) > 0;
    // A point that has passed over an edge, the longest of its triangle, goes on into the next one:
    // there it stays, or passes over another edge, in the end over the boundary's.
    if (std::fmax(abc, bad) <= rounding || std::fmax(adc, bcd) <= rounding) return false;
    const Point passed = abc <= rounding ? r : s;
    return square(p, q) > std::fmax(square(p, passed), square(q, passed));
}

// Different for each half-edge, as the factor is odd; less in later rounds, so that none need be
// cleared; and in an order that has nothing to do with places: neighbours in a row would be flipped
// one after the other.
__device__ __forceinline__ unsigned long long claim_of(int h, int round) {
    const unsigned mixed = (static_cast<unsigned>(h) * 2654435761u) ^ (round * 0x9e3779b9u);
    return static_cast<unsigned long long>(kMostRounds - round) << 32 | mixed;
}

// Two triangles are flipped, and two beside them get new twins.
__device__ __forceinline__ void claim(const Triangulation& mesh, int h, int g, int round) {
    const unsigned long long own = claim_of(h, round);
    atomicMin(&mesh.claims[h / 3], own);
    atomicMin(&mesh.claims[g / 3], own);
    atomicMin(&mesh.claims[mesh.twins[next(h)] / 3], own);
    atomicMin(&mesh.claims[mesh.twins[next(g)] / 3], own);
}

// Reads no triangle before it is known to be its own: others are being flipped meanwhile.
__device__ __forceinline__ bool got_all(const Triangulation& mesh, int h, int round) {
    const unsigned long long own = claim_of(h, round);
    if (mesh.claims[h / 3] != own) return false;
    const int g = mesh.twins[h];
    if (mesh.claims[g / 3] != own) return false;
    return mesh.claims[mesh.twins[next(h)] / 3] == own &&
           mesh.claims[mesh.twins[next(g)] / 3] == own;
}

__device__ __forceinline__ void join(const Triangulation& mesh, int h, int g, int edge) {
    mesh.twins[h] = g;
    mesh.twins[g] = h;
    mesh.edges[h] = mesh.edges[g] = edge;
}

__device__ __forceinline__ void flip(const Triangulation& mesh, int h) {
    const int g = mesh.twins[h];
    const int h1 = next(h), g1 = next(g);
    const int beyond_h = mesh.twins[h1], beyond_g = mesh.twins[g1];
    const int edge = mesh.edges[h], edge_h = mesh.edges[h1], edge_g = mesh.edges[g1];
    const int c = mesh.corners[previous(h)], d = mesh.corners[previous(g)];
    mesh.corners[h1] = d;
    mesh.corners[g1] = c;
    join(mesh, h, beyond_g, edge_g);
    join(mesh, g, beyond_h, edge_h);
    join(mesh, h1, g1, edge);
}

// What flips could not mend: a triangle turned over, or one outside that the boundary cannot give
// away, since with it a point would be lost.
__device__ __forceinline__ bool is_left_wrong(const Triangulation& mesh, const Loop& loop,
                                              std::int64_t t) {
    const int h = static_cast<int>(3 * t);
    const int a = mesh.corners[h], b = mesh.corners[h + 1], c = mesh.corners[h + 2];
    if (a == kGhost || b == kGhost || c == kGhost) return false;
    const Point p = point_at(loop.points, a), q = point_at(loop.points, b);
    const Point r = point_at(loop.points, c);
    if (twice_area(p, q, r) < -flat_area(loop.h0, p, q, r)) return true;
    const bool at_boundary = mesh.corners[previous(mesh.twins[h])] == kGhost ||
                             mesh.corners[previous(mesh.twins[h + 1])] == kGhost ||
                             mesh.corners[previous(mesh.twins[h + 2])] == kGhost;
    return at_boundary && !is_inside(loop, a, b, c);
}

// Calls `visit` with every half-edge that leaves a point, in turn round it.
template <typename Visit>
__device__ __forceinline__ void go_round(const Triangulation& mesh, int leaving, Visit visit) {
    if (leaving == INT_MAX) return;
    int h = leaving;
    do {
        visit(h);
        h = mesh.twins[previous(h)];
    } while (h != leaving);
}

}  // namespace distmesh
