// SPDX-License-Identifier: MIT
// A mesh that stays on the device comes to rest as one whose triangulations are all the host's, and
// needs the host for the first one only.
#include <gtest/gtest.h>

#include "blocks/resident_mesh/resident_mesh.cuh"
#include "common/backends/backend.hpp"
#include "tests/chapters/distmesh/solve.hpp"

namespace {

using distmesh::iterate_kernel, distmesh::kBlockSize, distmesh::ResidentMesh;

TEST(ResidentMesh, ComesToRestWithOneTriangulationOnTheHost) {
    const distmesh::Region region = distmesh::make_region("circle");
    const auto input = distmesh_test::make_input(region, spacing_for(region, 60));
    const auto backend = course::open_backend(0);
    distmesh::PhaseTimer timer(*backend);
    distmesh::Mesh host(*input);
    ResidentMesh resident(
        *input, {iterate_kernel, course::resident_blocks(iterate_kernel, kBlockSize)}, timer);
    resident.come_to_rest(host, false);
    distmesh::Output output;
    host.finish(output);
    const course::Verdict verdict = distmesh_test::verdict(*input, "circle", region, output);
    EXPECT_TRUE(verdict.passed) << verdict.message;
    EXPECT_TRUE(output.converged);
    EXPECT_EQ(output.host_triangulations, 1);
    EXPECT_GT(output.triangulations, 5);
}

}  // namespace
