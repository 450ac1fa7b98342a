// SPDX-License-Identifier: MIT
// The iterations written again, to tell a wrong stage from a domain that has no mesh.
#include <algorithm>
#include <cmath>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/input/random.hpp"
#include "problem/distmesh.hpp"

namespace distmesh {

using course::text;

void make_reference(const Input& input, Output& output, Distance distance) {
    Mesh mesh(input);
    while (mesh.triangulate()) {
        const std::vector<Point> start = mesh.points;
        std::vector<std::int32_t> crowded(start.size(), 0);
        Status status;
        do {
            status = {0, 0, 0};
            double lengths = 0, wanted = 0;
            const auto bar_of = [&](const Bar& bar) {
                const Point a = mesh.points[bar.a], b = mesh.points[bar.b];
                struct {
                    Point delta;
                    double length, wanted;
                } result = {{a.x - b.x, a.y - b.y},
                            std::hypot(a.x - b.x, a.y - b.y),
                            wanted_length(input.domain, (a.x + b.x) / 2, (a.y + b.y) / 2)};
                return result;
            };
            for (const Bar& bar : mesh.bars) {
                const auto one = bar_of(bar);
                lengths += one.length * one.length;
                wanted += one.wanted * one.wanted;
            }
            std::vector<Point> forces(start.size(), Point{0, 0});
            for (const Bar& bar : mesh.bars) {
                const auto one = bar_of(bar);
                const double rest = one.wanted * kPressure * std::sqrt(lengths / wanted);
                const double force = std::max(rest - one.length, 0.0) / one.length;
                forces[bar.a].x += force * one.delta.x;
                forces[bar.a].y += force * one.delta.y;
                forces[bar.b].x -= force * one.delta.x;
                forces[bar.b].y -= force * one.delta.y;
                if (mesh.controls_density() && rest > kCrowded * one.length) {
                    crowded[bar.a] = crowded[bar.b] = status.crowded = 1;
                }
            }
            for (std::size_t i = input.fixed; i < start.size() && status.crowded == 0; ++i) {
                Point& p = mesh.points[i];
                const double dx = kTimeStep * forces[i].x, dy = kTimeStep * forces[i].y;
                p = {p.x + dx, p.y + dy};
                const double d = distance(input.domain, p.x, p.y);
                const double step = kGradientStep * input.h0;
                if (d > 0) {
                    const double gx = (distance(input.domain, p.x + step, p.y) - d) / step;
                    const double gy = (distance(input.domain, p.x, p.y + step) - d) / step;
                    const double scale = d / (gx * gx + gy * gy);
                    p = {p.x - scale * gx, p.y - scale * gy};
                } else if (d < -kInsideTolerance * input.h0 &&
                           std::hypot(dx, dy) >= kStopTolerance * input.h0) {
                    status.moving = 1;
                }
                if (std::hypot(p.x - start[i].x, p.y - start[i].y) >
                    kTriangulateTolerance * input.h0) {
                    status.drifted = 1;
                }
            }
            mesh.end_iterations(status);
        } while (mesh.goes_on());
        if (mesh.is_crowded()) mesh.drop(crowded);
    }
    mesh.finish(output);
}

void refuse_unfit_domain(const Input& input, const Expected& expected) {
    // Larger meshes would take too long.
    constexpr std::int64_t kMostPoints = 50'000, kMostPointsMoved = 200;
    constexpr std::int64_t kManyIterations = 1000;  // most meshes are at rest within 300
    constexpr int kTrials = 9;
    constexpr double kMoved = 1e-6;  // of h0
    if (input.count() > kMostPoints) return;
    const auto refuse = [&input](const std::string& reason) {
        throw course::UsageError(text("h0 = ", input.h0,
                                      ": too coarse for this domain, or a corner is too sharp: the "
                                      "method has no right mesh: ",
                                      reason));
    };
    course::Random random(1);
    for (int trial = 0; trial < (input.count() > kMostPointsMoved ? 1 : kTrials); ++trial) {
        Input moved;
        moved.vertices = input.vertices;
        moved.domain = input.domain;
        moved.domain.vertices = moved.vertices.data();
        moved.points = input.points;
        moved.fixed = input.fixed;
        moved.h0 = input.h0;
        moved.max_iterations = input.max_iterations;
        if (trial > 0) {
            const double range = kMoved * input.h0;
            for (std::int64_t i = input.fixed; i < input.count(); ++i) {
                moved.points[i].x += random.uniform(-range, range);
                moved.points[i].y += random.uniform(-range, range);
            }
            moved.max_iterations = std::min(input.max_iterations, kManyIterations);
        }
        Output output;
        Measures measures;
        make_reference(moved, output);
        const course::Verdict verdict = verdict_of(moved, expected, output, measures);
        if (!verdict.passed) refuse(verdict.message);
        if (trial == 0 && !output.converged && input.max_iterations >= kManyIterations) {
            refuse("its iterations do not come to rest");
        }
    }
}

}  // namespace distmesh
