// SPDX-License-Identifier: MIT
// Distmesh, stage limit/06: rows.
// Idea: the points at the start lie on rows of a lattice. Between two rows, the middles of their
// edges are merged by x: each edge gets a triangle, whose apex is the nearest point of the other
// row. That is Delaunay's triangulation of the two rows. Flips make it that of all rows.
// Compared with limit/05_claims: merge_rows_kernel and close_kernel before the first repair. What
// limit/05 does after the first triangulation is now in blocks/resident_mesh.
// Limit now: the last test of the mesh, on the host; then the grid barriers.
// Not of the thesis nor of Gaudiani 2012.
#include <cuda_runtime.h>

#include "blocks/resident_mesh/resident_mesh.cuh"
#include "limit/06_rows/rows.cuh"
#include "problem/distmesh.hpp"

using distmesh::Input, distmesh::Output, distmesh::Phase, distmesh::PhaseTimer;
using distmesh::kBlockSize, distmesh::Mesh, distmesh::ResidentMesh, distmesh::Rows;

void generate_mesh(const Input& input, Output& output, PhaseTimer& timer) {
    timer.begin(Phase::kSetup);
    Mesh mesh(input);
    const Rows rows = rows_of(input);
    ResidentMesh resident(
        input,
        {distmesh::iterate_kernel, distmesh::resident_blocks(distmesh::iterate_kernel, kBlockSize)},
        timer);
    bool kept = rows.loose.empty() && rows.count() > 1 && mesh.begin_on_device();
    if (kept) kept = mesh.end_repair(triangulate_rows(rows, resident, timer));
    resident.come_to_rest(mesh, kept);
    mesh.finish(output, timer);
}

int main(int argc, char** argv) {
    return distmesh::run_stage(argc, argv, STAGE_NAME, generate_mesh);
}
