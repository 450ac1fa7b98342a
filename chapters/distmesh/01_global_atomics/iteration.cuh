// SPDX-License-Identifier: MIT
// The mesh on the device, and what an iteration does with one bar and with one point.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>

#include "problem/distmesh.hpp"

namespace distmesh {

constexpr int kBlockSize = 256;

// Over all bars: the squares of the lengths that they have and of the lengths that they should
// have.
struct Sums {
    double lengths, wanted;
};

// The mesh on the device.
struct DeviceMesh {
    double2* points;
    const double2* triangulated;  // the points at the last triangulation
    int2* bars;
    double *lengths, *wanted;  // of each bar
    double2* pushes;  // the force of each bar on its first end
    int* crowded;  // 1 for an end of a bar that is much too short
    std::int64_t count, bar_count, fixed;
    Domain domain;
    double h0;
};

// Measures bar i, and returns the squares of its length and of its wanted length.
__device__ __forceinline__ Sums measure_bar(const DeviceMesh& mesh, std::int64_t i) {
    const int2 bar = mesh.bars[i];
    const double2 a = mesh.points[bar.x], b = mesh.points[bar.y];
    const double dx = a.x - b.x, dy = a.y - b.y;
    const double square = dx * dx + dy * dy;
    const double target = wanted_length(mesh.domain, (a.x + b.x) / 2, (a.y + b.y) / 2);
    mesh.lengths[i] = std::sqrt(square);
    mesh.wanted[i] = target;
    return {square, target * target};
}

// The force of bar i on its first end; the force on its second end is the opposite. With `density`,
// marks the ends of a bar that is much too short.
__device__ __forceinline__ void compute_force(const DeviceMesh& mesh, std::int64_t i, Sums sums,
                                              bool density, Status* status) {
    const int2 bar = mesh.bars[i];
    const double2 a = mesh.points[bar.x], b = mesh.points[bar.y];
    const double length = mesh.lengths[i], wanted = mesh.wanted[i];
    const double rest = wanted * distmesh::kPressure * std::sqrt(sums.lengths / sums.wanted);
    const double force = std::fmax(rest - length, 0.0) / length;
    mesh.pushes[i] = make_double2(force * (a.x - b.x), force * (a.y - b.y));
    if (density && rest > distmesh::kCrowded * length) {
        atomicOr(&mesh.crowded[bar.x], 1);
        atomicOr(&mesh.crowded[bar.y], 1);
        atomicOr(&status->crowded, 1);
    }
}

// Moves point i by the force on it. If it left the domain, moves it back to the boundary.
__device__ __forceinline__ void move_point(const DeviceMesh& mesh, std::int64_t i, double2 force,
                                           Status* status) {
    const double h0 = mesh.h0, step = distmesh::kGradientStep * h0;
    const double2 start = mesh.triangulated[i];
    const double dx = distmesh::kTimeStep * force.x, dy = distmesh::kTimeStep * force.y;
    double2 point = mesh.points[i];
    point = make_double2(point.x + dx, point.y + dy);
    const double outside = distance(mesh.domain, point.x, point.y);
    if (outside > 0) {
        const double gx = (distance(mesh.domain, point.x + step, point.y) - outside) / step;
        const double gy = (distance(mesh.domain, point.x, point.y + step) - outside) / step;
        const double back = outside / (gx * gx + gy * gy);
        point = make_double2(point.x - back * gx, point.y - back * gy);
    } else if (outside < -distmesh::kInsideTolerance * h0 &&
               std::sqrt(dx * dx + dy * dy) >= distmesh::kStopTolerance * h0) {
        atomicOr(&status->moving, 1);
    }
    const double drift_x = point.x - start.x, drift_y = point.y - start.y;
    if (std::sqrt(drift_x * drift_x + drift_y * drift_y) > distmesh::kTriangulateTolerance * h0) {
        atomicOr(&status->drifted, 1);
    }
    mesh.points[i] = point;
}

}  // namespace distmesh
