// SPDX-License-Identifier: MIT
// The iterations written again, for tests of the host code.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "problem/distmesh.hpp"

namespace distmesh_test {

using distmesh::Bar, distmesh::Input, distmesh::Measures, distmesh::Mesh, distmesh::Output;
using distmesh::Point, distmesh::Region, distmesh::Status;

// What is done wrong, as in the kernels of Gaudiani 2012.
enum class Fault { kNone, kDistanceIsZero };

// The iterations, written for the tests.
inline void solve(const Input& input, Output& output, Fault fault = Fault::kNone) {
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
                const double rest = one.wanted * 1.2 * std::sqrt(lengths / wanted);
                const double force = std::max(rest - one.length, 0.0) / one.length;
                forces[bar.a].x += force * one.delta.x;
                forces[bar.a].y += force * one.delta.y;
                forces[bar.b].x -= force * one.delta.x;
                forces[bar.b].y -= force * one.delta.y;
                if (mesh.controls_density() && rest > 2 * one.length) {
                    crowded[bar.a] = crowded[bar.b] = status.crowded = 1;
                }
            }
            for (std::size_t i = input.fixed; i < start.size() && status.crowded == 0; ++i) {
                Point& p = mesh.points[i];
                const double dx = 0.2 * forces[i].x, dy = 0.2 * forces[i].y;
                p = {p.x + dx, p.y + dy};
                const double d =
                    fault == Fault::kDistanceIsZero ? 0 : distance(input.domain, p.x, p.y);
                const double step = 0x1.0p-26 * input.h0;
                if (d > 0) {
                    const double gx = (distance(input.domain, p.x + step, p.y) - d) / step;
                    const double gy = (distance(input.domain, p.x, p.y + step) - d) / step;
                    const double scale = d / (gx * gx + gy * gy);
                    p = {p.x - scale * gx, p.y - scale * gy};
                } else if (d < -0.001 * input.h0 && std::hypot(dx, dy) >= 0.001 * input.h0) {
                    status.moving = 1;
                }
                if (std::hypot(p.x - start[i].x, p.y - start[i].y) > 0.1 * input.h0) {
                    status.drifted = 1;
                }
            }
            mesh.end_iterations(status);
        } while (mesh.goes_on());
        if (mesh.is_crowded()) mesh.drop(crowded);
    }
    mesh.finish(output);
}

inline std::unique_ptr<Input> make_input(const Region& region, double h0,
                                         const std::vector<Point>& fixed = {}) {
    auto input = std::make_unique<Input>();
    input->h0 = h0;
    place_points(*input, region, fixed, 1);
    return input;
}

inline course::Verdict verdict(const Input& input, std::string_view name, const Region& region,
                               const Output& output, Measures* measures = nullptr) {
    Measures own;
    return verdict_of(input, expected_of(name, region, input.h0), output,
                      measures != nullptr ? *measures : own);
}

}  // namespace distmesh_test
