// SPDX-License-Identifier: MIT
// Distmesh, stage peers/cpu_cores: the iterations on all cores of the CPU, with SIMD.
// Idea: as in stage limit/01, no two cores write the same number. Bars are divided among the cores,
// then points: each point gathers the pushes of its bars from a list. Sums over all bars are those
// of blocks of a fixed length, added up in their order, so they do not depend on the cores.
// Compared with 00_cpu: threads, vectors, the list. The triangulations are the same.
// Limit now: the triangulations, on one core.
// Not of the thesis.
#include "problem/distmesh.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "common/cores/every_cpu.hpp"

using distmesh::Bar, distmesh::Domain, distmesh::Point, distmesh::Status;
using distmesh::Input, distmesh::Mesh, distmesh::Output, distmesh::Phase, distmesh::PhaseTimer;

constexpr std::int64_t kBlock = 1024;  // bars whose squares are added up together
constexpr std::int64_t kPoints = 128;  // that a core moves at a time

// Of a block of bars: the squares of the lengths that they have and that they should have.
struct Sums {
    double lengths, wanted;
};

// What the cores share during the iterations of a triangulation.
struct Work {
    explicit Work(const Mesh& mesh)
        : lengths(mesh.bar_count()),
          wanted(mesh.bar_count(), 1.0),
          pushes(mesh.bar_count()),
          sums((mesh.bar_count() + kBlock - 1) / kBlock),
          crowded(mesh.count(), 0),
          triangulated(mesh.points) {
        mesh.list_bars_of_points(offsets, bars_of_points);
    }

    std::vector<double> lengths, wanted;
    std::vector<Point> pushes;  // of a bar to its end a; the other end gets the opposite
    std::vector<Sums> sums;
    std::vector<std::int32_t> crowded, offsets, bars_of_points;
    std::vector<Point> triangulated;
};

EVERY_CPU Sums sum_lengths(const Point* points, const Bar* bars, std::int64_t count,
                           const Domain& domain, double* __restrict__ lengths,
                           double* __restrict__ wanted) {
    // Without grading, all wanted lengths are 1 and stay so.
    for (std::int64_t i = 0; domain.grading != 0 && i < count; ++i) {
        const Point a = points[bars[i].a], b = points[bars[i].b];
        wanted[i] = wanted_length(domain, (a.x + b.x) / 2, (a.y + b.y) / 2);
    }
    double lengths_sum = 0, wanted_sum = 0;
#pragma omp simd reduction(+ : lengths_sum, wanted_sum)
    for (std::int64_t i = 0; i < count; ++i) {
        const double dx = points[bars[i].a].x - points[bars[i].b].x;
        const double dy = points[bars[i].a].y - points[bars[i].b].y;
        const double square = dx * dx + dy * dy;
        lengths[i] = std::sqrt(square);
        lengths_sum += square;
        wanted_sum += wanted[i] * wanted[i];
    }
    return {lengths_sum, wanted_sum};
}

// The push of each bar. Returns whether a bar is much too short.
EVERY_CPU bool compute_pushes(const Point* points, const Bar* bars, std::int64_t count,
                              double scale, const double* __restrict__ lengths,
                              const double* __restrict__ wanted, Point* __restrict__ pushes) {
    int crowded = 0;
#pragma omp simd reduction(| : crowded)
    for (std::int64_t i = 0; i < count; ++i) {
        const double rest = wanted[i] * scale, surplus = rest - lengths[i];
        const double force = (surplus > 0 ? surplus : 0.0) / lengths[i];
        pushes[i].x = force * (points[bars[i].a].x - points[bars[i].b].x);
        pushes[i].y = force * (points[bars[i].a].y - points[bars[i].b].y);
        crowded |= rest > distmesh::kCrowded * lengths[i];
    }
    return crowded != 0;
}

// Moves the points [begin, end). If one left the domain, moves it back to the boundary.
void move_points(Point* points, const Work& work, std::int64_t begin, std::int64_t end,
                 const Domain& domain, double h0, Status& status) {
    const double step = distmesh::kGradientStep * h0;
    for (std::int64_t i = begin; i < end; ++i) {
        double force_x = 0, force_y = 0;
        for (std::int32_t j = work.offsets[i]; j < work.offsets[i + 1]; ++j) {
            const std::int32_t bar = work.bars_of_points[j];
            const Point& push = work.pushes[bar < 0 ? ~bar : bar];
            const double sign = bar < 0 ? -1 : 1;
            force_x += sign * push.x;
            force_y += sign * push.y;
        }
        const double dx = distmesh::kTimeStep * force_x, dy = distmesh::kTimeStep * force_y;
        double x = points[i].x + dx, y = points[i].y + dy;
        const double outside = distance(domain, x, y);
        if (outside > 0) {
            const double gx = (distance(domain, x + step, y) - outside) / step;
            const double gy = (distance(domain, x, y + step) - outside) / step;
            const double back = outside / (gx * gx + gy * gy);
            x -= back * gx;
            y -= back * gy;
        } else if (outside < -distmesh::kInsideTolerance * h0 &&
                   std::sqrt(dx * dx + dy * dy) >= distmesh::kStopTolerance * h0) {
            status.moving = 1;
        }
        const double drift_x = x - work.triangulated[i].x, drift_y = y - work.triangulated[i].y;
        if (std::sqrt(drift_x * drift_x + drift_y * drift_y) >
            distmesh::kTriangulateTolerance * h0) {
            status.drifted = 1;
        }
        points[i] = {x, y};
    }
}

Status iterate(const Input& input, Mesh& mesh, Work& work) {
    const std::int64_t bar_count = mesh.bar_count();
    const Bar* bars = mesh.bars.data();
    Point* points = mesh.points.data();
    double scale = 0;
    bool crowded = false;
    std::int32_t moving = 0, drifted = 0;
#pragma omp parallel if (bar_count >= 2 * kBlock)
    {
#pragma omp for schedule(static)
        for (std::int64_t begin = 0; begin < bar_count; begin += kBlock) {
            work.sums[begin / kBlock] =
                sum_lengths(points, bars + begin, std::min(kBlock, bar_count - begin), input.domain,
                            &work.lengths[begin], &work.wanted[begin]);
        }
#pragma omp single
        {
            Sums all = {0, 0};
            for (const Sums& sums : work.sums) {
                all = {all.lengths + sums.lengths, all.wanted + sums.wanted};
            }
            scale = distmesh::kPressure * std::sqrt(all.lengths / all.wanted);
        }
#pragma omp for schedule(static) reduction(|| : crowded)
        for (std::int64_t begin = 0; begin < bar_count; begin += kBlock) {
            crowded |=
                compute_pushes(points, bars + begin, std::min(kBlock, bar_count - begin), scale,
                               &work.lengths[begin], &work.wanted[begin], &work.pushes[begin]);
        }
        if (!crowded || !mesh.controls_density()) {
#pragma omp for schedule(static) reduction(| : moving, drifted)
            for (std::int64_t begin = input.fixed; begin < mesh.count(); begin += kPoints) {
                Status status = {0, 0, 0};
                move_points(points, work, begin, std::min(begin + kPoints, mesh.count()),
                            input.domain, input.h0, status);
                moving |= status.moving;
                drifted |= status.drifted;
            }
        }
    }
    if (!crowded || !mesh.controls_density()) return {moving, drifted, 0};
    for (std::int64_t i = 0; i < bar_count; ++i) {
        if (work.wanted[i] * scale > distmesh::kCrowded * work.lengths[i]) {
            work.crowded[bars[i].a] = work.crowded[bars[i].b] = 1;
        }
    }
    return {0, 0, 1};
}

void generate_mesh(const Input& input, Output& output, PhaseTimer& timer) {
    timer.begin(Phase::kSetup);
    Mesh mesh(input);
    timer.end();
    while (mesh.triangulate()) {
        timer.begin(Phase::kKernels);
        Work work(mesh);
        do {
            mesh.end_iterations(iterate(input, mesh, work));
        } while (mesh.goes_on());
        timer.end();
        if (mesh.is_crowded()) mesh.drop(work.crowded);
    }
    mesh.finish(output, timer);
    timer.note_grid(1, omp_get_max_threads());
    timer.declare_work({.bytes = 0, .operations = mesh.work().operations});
}

int main(int argc, char** argv) {
    return distmesh::run_stage(argc, argv, STAGE_NAME, generate_mesh);
}
