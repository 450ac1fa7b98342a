// SPDX-License-Identifier: MIT
// Iterations with several lanes per point and two barriers of the grid.
#pragma once

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>

#include "limit/06_rows/rows.cuh"

namespace distmesh {

constexpr int kLanes = 2, kTogether = 4;  // of a point; bars of a lane
constexpr int kMoving = 1, kDrifted = 2;

// The sums over this thread's bars whose first end is a point of the block.
__device__ __forceinline__ Sums measure_bars(const DeviceMesh& mesh, const auto& lists,
                                             const double2* points) {
    Sums sums = {0, 0};
    const int thread = static_cast<int>(threadIdx.x);
    for (int k = thread / kLanes; k < lists.count; k += kBlockSize / kLanes) {
        const double2 a = points[lists.first + k];
        lists.visit_bars(points, k, [&](double2 b, int bar) {
            if (bar < 0) return;
            const double dx = a.x - b.x, dy = a.y - b.y;
            double wanted = 1;
            if (mesh.domain.grading != 0) {
                wanted = wanted_length(mesh.domain, (a.x + b.x) / 2, (a.y + b.y) / 2);
                mesh.wanted[bar] = wanted;
            }
            sums = add(sums, {dx * dx + dy * dy, wanted * wanted});
        });
    }
    return sums;
}

// The force on point k from this lane's bars. Is one of them much too short?
__device__ __forceinline__ double2 push_point(const DeviceMesh& mesh, const auto& lists,
                                              const double2* points, double rest, int k,
                                              bool& crowded) {
    const double2 a = points[lists.first + k];
    double2 force = make_double2(0, 0);
    lists.visit_bars(points, k, [&](double2 b, int bar) {
        const double dx = a.x - b.x, dy = a.y - b.y;
        const double wanted = mesh.domain.grading == 0 ? 1 : mesh.wanted[bar < 0 ? ~bar : bar];
        const double ratio = rest * wanted * rsqrt(dx * dx + dy * dy);  // to the length
        const double push = std::fmax(ratio - 1, 0.0);
        force = make_double2(force.x + push * dx, force.y + push * dy);
        crowded = crowded || ratio > distmesh::kCrowded;
    });
    return force;
}

// Like move_point() of stage 01, but from list to list, with squares in place of roots, and returns
// what the status should say.
__device__ __forceinline__ int move_point(const DeviceMesh& mesh, const double2* points,
                                          double2* moved, int i, double2 force) {
    const double h0 = mesh.h0, step = distmesh::kGradientStep * h0;
    const double stop = distmesh::kStopTolerance * h0, drift = distmesh::kTriangulateTolerance * h0;
    const double2 start = mesh.triangulated[i];
    const double dx = distmesh::kTimeStep * force.x, dy = distmesh::kTimeStep * force.y;
    double2 point = make_double2(points[i].x + dx, points[i].y + dy);
    const double outside = distance(mesh.domain, point.x, point.y);
    int found = 0;
    if (outside > 0) {
        const double gx = (distance(mesh.domain, point.x + step, point.y) - outside) / step;
        const double gy = (distance(mesh.domain, point.x, point.y + step) - outside) / step;
        const double back = outside / (gx * gx + gy * gy);
        point = make_double2(point.x - back * gx, point.y - back * gy);
    } else if (outside < -distmesh::kInsideTolerance * h0 && dx * dx + dy * dy >= stop * stop) {
        found = kMoving;
    }
    moved[i] = point;
    const double x = point.x - start.x, y = point.y - start.y;
    return x * x + y * y > drift * drift ? found | kDrifted : found;
}

// Moves the points of the block. With `density`, it only marks those that are crowded.
__device__ __forceinline__ void move_points(const DeviceMesh& mesh, const auto& lists,
                                            const double2* points, double2* moved, double rest,
                                            bool density, Status* status) {
    const int thread = static_cast<int>(threadIdx.x), lane = thread % kLanes;
    int found = 0;
    for (int base = 0; base < lists.count; base += kBlockSize / kLanes) {
        const int k = base + thread / kLanes, i = lists.first + k;
        const bool exists = k < lists.count;
        double2 force = make_double2(0, 0);
        bool crowded = false;
        if (exists) force = push_point(mesh, lists, points, rest, k, crowded);
        if (density && crowded) atomicOr(&mesh.crowded[i], 1);
        if (density && crowded) atomicOr(&status->crowded, 1);
        force.x += __shfl_xor_sync(0xffffffff, force.x, 1);  // of the other lane
        force.y += __shfl_xor_sync(0xffffffff, force.y, 1);
        if (density || !exists || lane > 0) continue;
        if (i < mesh.fixed) moved[i] = points[i];
        if (i >= mesh.fixed) found |= move_point(mesh, points, moved, i, force);
    }
    if (__syncthreads_or(found & kMoving) && thread == 0) atomicOr(&status->moving, 1);
    if (__syncthreads_or(found & kDrifted) && thread == 0) atomicOr(&status->drifted, 1);
}

__device__ __forceinline__ void iterate(const DeviceMesh& mesh, const auto& lists, Loop loop) {
    __shared__ Sums s_sums[kBlockSize];
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    double2 *points = mesh.points, *moved = mesh.pushes;  // has room for all points
    for (std::int64_t iteration = 0;; ++iteration) {
        const Status ended = loop.progress->statuses[iteration % 2];
        Sums sums = sum_block(measure_bars(mesh, lists, points), s_sums);
        if (iteration > 0 && (is_over(ended) || iteration == loop.most)) {
            if (grid.thread_rank() == 0) loop.progress->iterations = iteration;
            break;
        }
        Status* status = &loop.progress->statuses[(iteration + 1) % 2];
        if (threadIdx.x == 0) loop.sums[blockIdx.x] = sums;
        grid.sync();
        // No thread reads the last status any more.
        if (grid.thread_rank() == 0) loop.progress->statuses[iteration % 2] = {0, 0, 0};
        sums = sum_blocks(loop.sums, gridDim.x, s_sums);
        const double rest = distmesh::kPressure * std::sqrt(sums.lengths / sums.wanted);
        bool density = (loop.first + iteration + 1) % distmesh::kDensityInterval == 0;
        for (;; density = false) {
            const bool moves = density || status->crowded == 0;
            if (moves) move_points(mesh, lists, points, moved, rest, density, status);
            grid.sync();
            if (!density) break;
        }
        if (status->crowded == 0) {
            double2* const before = points;
            points = moved;
            moved = before;
        }
    }
    if (points == mesh.points) return;
    for (int k = static_cast<int>(threadIdx.x); k < lists.count; k += kBlockSize) {
        mesh.points[lists.first + k] = points[lists.first + k];
    }
}

}  // namespace distmesh
