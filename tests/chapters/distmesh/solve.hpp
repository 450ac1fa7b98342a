// SPDX-License-Identifier: MIT
// Inputs, meshes and verdicts, for tests of the host code.
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

// The mesh of the reference, with a fault.
inline void solve(const Input& input, Output& output, Fault fault = Fault::kNone) {
    if (fault == Fault::kNone) {
        distmesh::make_reference(input, output);
    } else {
        distmesh::make_reference(input, output,
                                 [](const distmesh::Domain&, double, double) { return 0.0; });
    }
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
