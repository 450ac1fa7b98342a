// SPDX-License-Identifier: MIT
// Distmesh, stage 00: one thread on the CPU.
// Idea: the bars of a triangulation push their ends apart until no point moves any more. Points
// that leave the domain are put back on its boundary.
// Limit now: one core: the square roots and divisions of each bar, and the triangulations.
// Not of the thesis but of Gaudiani 2012, 2.2.3, figure 5.
#include "problem/distmesh.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

using distmesh::Bar, distmesh::Domain, distmesh::Point, distmesh::Status;
using distmesh::Input, distmesh::Mesh, distmesh::Output, distmesh::Phase, distmesh::PhaseTimer;

// Over all bars: the squares of the lengths that they have and of the lengths that they should
// have.
struct Sums {
    double lengths, wanted;
};

Sums sum_lengths(const Point* points, const Bar* bars, std::int64_t bar_count, const Domain& domain,
                 double* lengths, double* wanted) {
    Sums sums = {0, 0};
    for (std::int64_t i = 0; i < bar_count; ++i) {
        const Point a = points[bars[i].a], b = points[bars[i].b];
        const double dx = a.x - b.x, dy = a.y - b.y;
        const double square = dx * dx + dy * dy;
        lengths[i] = std::sqrt(square);
        wanted[i] = wanted_length(domain, (a.x + b.x) / 2, (a.y + b.y) / 2);
        sums.lengths += square;
        sums.wanted += wanted[i] * wanted[i];
    }
    return sums;
}

// Adds the force of each bar to its ends. With `density`, marks the ends of bars that are much too
// short.
void compute_forces(const Point* points, const Bar* bars, std::int64_t bar_count, Sums sums,
                    const double* lengths, const double* wanted, bool density, Point* forces,
                    std::int32_t* crowded, Status& status) {
    const double scale = distmesh::kPressure * std::sqrt(sums.lengths / sums.wanted);
    for (std::int64_t i = 0; i < bar_count; ++i) {
        const Point a = points[bars[i].a], b = points[bars[i].b];
        const double rest = wanted[i] * scale;
        const double force = std::fmax(rest - lengths[i], 0.0) / lengths[i];
        const Point push = {force * (a.x - b.x), force * (a.y - b.y)};
        forces[bars[i].a].x += push.x;
        forces[bars[i].a].y += push.y;
        forces[bars[i].b].x -= push.x;
        forces[bars[i].b].y -= push.y;
        if (density && rest > distmesh::kCrowded * lengths[i]) {
            crowded[bars[i].a] = crowded[bars[i].b] = status.crowded = 1;
        }
    }
}

// Moves all points except the fixed ones. If one left the domain, moves it back to the boundary.
void move_points(Point* points, const Point* triangulated, const Point* forces, std::int64_t fixed,
                 std::int64_t count, const Domain& domain, double h0, Status& status) {
    const double step = distmesh::kGradientStep * h0;
    for (std::int64_t i = fixed; i < count; ++i) {
        const double dx = distmesh::kTimeStep * forces[i].x, dy = distmesh::kTimeStep * forces[i].y;
        Point point = {points[i].x + dx, points[i].y + dy};
        const double outside = distance(domain, point.x, point.y);
        if (outside > 0) {
            const double gx = (distance(domain, point.x + step, point.y) - outside) / step;
            const double gy = (distance(domain, point.x, point.y + step) - outside) / step;
            const double back = outside / (gx * gx + gy * gy);
            point = {point.x - back * gx, point.y - back * gy};
        } else if (outside < -distmesh::kInsideTolerance * h0 &&
                   std::sqrt(dx * dx + dy * dy) >= distmesh::kStopTolerance * h0) {
            status.moving = 1;
        }
        const double drift_x = point.x - triangulated[i].x, drift_y = point.y - triangulated[i].y;
        if (std::sqrt(drift_x * drift_x + drift_y * drift_y) >
            distmesh::kTriangulateTolerance * h0) {
            status.drifted = 1;
        }
        points[i] = point;
    }
}

void generate_mesh(const Input& input, Output& output, PhaseTimer& timer) {
    timer.begin(Phase::kSetup);
    Mesh mesh(input);
    std::vector<Point> triangulated, forces;
    std::vector<double> lengths, wanted;
    std::vector<std::int32_t> crowded;
    Status status;
    timer.end();
    while (mesh.triangulate()) {
        timer.begin(Phase::kKernels);
        const std::int64_t count = mesh.count(), bar_count = mesh.bar_count();
        triangulated = mesh.points;
        lengths.resize(bar_count);
        wanted.resize(bar_count);
        crowded.assign(count, 0);
        do {
            status = {0, 0, 0};
            forces.assign(count, Point{0, 0});
            const Sums sums = sum_lengths(mesh.points.data(), mesh.bars.data(), bar_count,
                                          input.domain, lengths.data(), wanted.data());
            compute_forces(mesh.points.data(), mesh.bars.data(), bar_count, sums, lengths.data(),
                           wanted.data(), mesh.controls_density(), forces.data(), crowded.data(),
                           status);
            if (status.crowded == 0) {
                move_points(mesh.points.data(), triangulated.data(), forces.data(), input.fixed,
                            count, input.domain, input.h0, status);
            }
            mesh.end_iterations(status);
        } while (mesh.goes_on());
        timer.end();
        if (mesh.is_crowded()) mesh.drop(crowded);
    }
    mesh.finish(output, timer);
    timer.note_grid(1, 1);
    timer.declare_work({.bytes = 0, .operations = mesh.work().operations});
}

int main(int argc, char** argv) {
    return distmesh::run_stage(argc, argv, STAGE_NAME, generate_mesh);
}
