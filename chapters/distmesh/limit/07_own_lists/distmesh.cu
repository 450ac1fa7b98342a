// SPDX-License-Identifier: MIT
// Distmesh, stage limit/07: own lists.
// Idea: two lanes of a warp take the bars of one point, and add up the forces by a shuffle. Each
// end of a bar computes its force, so no force is stored, and an iteration needs two barriers of
// the grid, not three. Points move from list to list: neighbours need the old places. A block has
// the same points in all iterations of a launch, so it copies the lists of their bars to shared
// memory, with the other end of each bar. Then no load of a point waits for three others: for where
// the list begins, for its entry, and for the ends of the bar.
// Compared with limit/06_rows: iterate_kernel, with iterate() and own_lists().
// Limit now: the host between two launches: it waits for each repair and for each last iteration.
// Not of the thesis nor of Gaudiani 2012.
#include <cuda_runtime.h>

#include "blocks/resident_mesh/resident_mesh.cuh"
#include "limit/06_rows/rows.cuh"
#include "limit/07_own_lists/lanes.cuh"
#include "limit/07_own_lists/own_lists.cuh"
#include "problem/distmesh.hpp"

using distmesh::BarLists, distmesh::DeviceMesh, distmesh::Loop, distmesh::SharedLists;
using distmesh::Input, distmesh::Output, distmesh::Phase, distmesh::PhaseTimer;
using distmesh::kBlockSize, distmesh::Mesh, distmesh::ResidentMesh, distmesh::Rows;

__global__ void __launch_bounds__(kBlockSize, 2)
    iterate_kernel(DeviceMesh mesh, BarLists bars, Loop loop) {
    __shared__ SharedLists s_lists;
    iterate(mesh, own_lists(mesh, bars, s_lists), loop);
}

void generate_mesh(const Input& input, Output& output, PhaseTimer& timer) {
    timer.begin(Phase::kSetup);
    Mesh mesh(input);
    const Rows rows = rows_of(input);
    const int blocks = distmesh::resident_blocks(iterate_kernel, kBlockSize);
    ResidentMesh resident(input, {iterate_kernel, blocks, 2}, timer);
    bool kept = rows.loose.empty() && rows.count() > 1 && mesh.begin_on_device();
    if (kept) kept = mesh.end_repair(triangulate_rows(rows, resident, timer));
    resident.come_to_rest(mesh, kept);
    mesh.finish(output, timer);
}

int main(int argc, char** argv) {
    return distmesh::run_stage(argc, argv, STAGE_NAME, generate_mesh);
}
