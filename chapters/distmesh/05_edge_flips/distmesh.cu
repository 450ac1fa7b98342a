// SPDX-License-Identifier: MIT
// Distmesh, stage 05: edge flips.
// Idea: between two triangulations points move a tenth of h0, and of 40 000 triangles a dozen
// cease to be Delaunay's. The triangulation stays on the device and is repaired there: of two
// triangles whose common edge is wrong, the edge is flipped to the other diagonal, until none is
// wrong. Flips that touch the same triangles would spoil each other, so each edge first claims what
// it would change, and in a round only those that got all of it are flipped.
// Compared with 04_resident: repair_kernel, whose steps are functions in edge_flips.cuh, and
// list_bars_kernel (list_bars.cuh) in place of a triangulation on the host, its list of bars and
// five copies; iterate_kernel passes over the edges that are no bars; the buffers are a class, in
// device_mesh.cuh. What flips cannot mend is left to the host.
// Limit now: the first triangulation, on the host; then the waits: three grid barriers an
// iteration, and two a round of flips.
// Not of the thesis nor of seed 004: after Lawson, Software for C1 surface interpolation, 1977.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "device/device_mesh.cuh"
#include "device/edge_flips.cuh"
#include "device/gather.cuh"
#include "device/list_bars.cuh"
#include "problem/distmesh.hpp"

using distmesh::add_forces, distmesh::compute_force, distmesh::measure_bar, distmesh::move_point;
using distmesh::claim, distmesh::flip, distmesh::got_all, distmesh::is_left_wrong;
using distmesh::DeviceMesh, distmesh::launch_resident, distmesh::list_bars_kernel;
using distmesh::HalfEdges, distmesh::resident_blocks, distmesh::should_flip, distmesh::Status;
using distmesh::Input, distmesh::Mesh, distmesh::Output, distmesh::Phase, distmesh::PhaseTimer;

using distmesh::Answer, distmesh::kMostRounds, distmesh::Triangulation;
using distmesh::kBlockSize, distmesh::Loop, distmesh::sum_block, distmesh::Sums;

__global__ void repair_kernel(Triangulation mesh, Loop loop) {
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kBlockSize + threadIdx.x;
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * kBlockSize;
    int round = 0;
    for (; round < kMostRounds; ++round) {
        int* wished = &mesh.wished[round % 2];
        for (std::int64_t i = first; i < 3 * mesh.triangle_count; i += stride) {
            const int h = static_cast<int>(i), g = mesh.twins[h];
            if (h < g && should_flip(mesh, loop, h, g)) {
                mesh.wishes[atomicAdd(wished, 1)] = h;
                claim(mesh, h, g, round);
            }
        }
        grid.sync();
        const int count = *wished;
        if (count == 0) break;
        if (first == 0) mesh.wished[(round + 1) % 2] = 0;
        for (std::int64_t i = first; i < count; i += stride) {
            if (got_all(mesh, mesh.wishes[i], round)) flip(mesh, mesh.wishes[i]);
        }
        grid.sync();
    }
    bool failed = round == kMostRounds;
    for (std::int64_t t = first; t < mesh.triangle_count; t += stride) {
        failed = failed || is_left_wrong(mesh, loop, t);
    }
    if (failed) atomicOr(&mesh.answer->failed, 1);
}

// As stage 04's, but that not every edge is a bar.
__global__ void iterate_kernel(Triangulation mesh, Loop loop) {
    __shared__ Sums s_sums[kBlockSize];
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kBlockSize + threadIdx.x;
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * kBlockSize;
    if (mesh.answer->failed != 0) return;
    for (std::int64_t iteration = 1;; ++iteration) {
        Status* status = &loop.statuses[iteration % 2];
        Sums own = {0, 0};
        for (std::int64_t i = first; i < loop.bar_count; i += stride) {
            if (loop.bars[i].x < 0) continue;
            const Sums bar = measure_bar(loop, i);
            own = {own.lengths + bar.lengths, own.wanted + bar.wanted};
        }
        own = sum_block(own, s_sums);
        if (threadIdx.x == 0) loop.sums[blockIdx.x] = own;
        grid.sync();
        // Nobody reads the other slot any more.
        if (first == 0) loop.statuses[(iteration + 1) % 2] = {0, 0, 0};
        own = {0, 0};
        for (unsigned block = threadIdx.x; block < gridDim.x; block += kBlockSize) {
            own = {own.lengths + loop.sums[block].lengths, own.wanted + loop.sums[block].wanted};
        }
        own = sum_block(own, s_sums);
        const bool density = (loop.first + iteration) % distmesh::kDensityInterval == 0;
        for (std::int64_t i = first; i < loop.bar_count; i += stride) {
            if (loop.bars[i].x >= 0) compute_force(loop, i, own, density, status);
        }
        grid.sync();
        if (status->crowded == 0) {
            for (std::int64_t i = first; i < loop.count; i += stride) {
                if (i < loop.fixed) continue;
                move_point(loop.points, loop.triangulated, add_forces(loop, i), i, loop.domain,
                           loop.h0, status);
            }
        }
        grid.sync();
        const Status now = *status;
        if (now.crowded != 0 || now.moving == 0 || now.drifted != 0 || iteration == loop.most) {
            if (first == 0) *loop.progress = {now, iteration};
            return;
        }
    }
}

void generate_mesh(const Input& input, Output& output, PhaseTimer& timer) {
    timer.begin(Phase::kSetup);
    Mesh mesh(input);
    const std::int64_t repair_blocks = resident_blocks(repair_kernel);
    const std::int64_t list_blocks = resident_blocks(list_bars_kernel);
    const std::int64_t iterate_blocks = resident_blocks(iterate_kernel);
    timer.end();
    std::int64_t blocks = 0;
    while (mesh.triangulate()) {
        const HalfEdges half_edges = distmesh::with_ghosts(mesh.points, mesh.triangles);
        timer.begin(Phase::kSetup);
        DeviceMesh d_mesh(mesh, half_edges, input, iterate_blocks, list_blocks);
        timer.begin(Phase::kCopyIn);
        d_mesh.copy_in(mesh, half_edges);

        Answer answer;
        bool is_new = true;
        do {
            timer.begin(Phase::kKernels);
            const Triangulation triangulation = d_mesh.triangulation();
            const Loop loop = d_mesh.loop(mesh);
            const std::int64_t edges = d_mesh.edge_count;
            d_mesh.clear();
            if (!is_new) {
                launch_resident(repair_kernel, repair_blocks, 2 * edges, triangulation, loop);
            }
            launch_resident(list_bars_kernel, list_blocks, 2 * edges, triangulation, loop);
            blocks = launch_resident(iterate_kernel, iterate_blocks, edges, triangulation, loop);
            is_new = false;

            timer.begin(Phase::kCopyOut);
            answer = d_mesh.copy_out_answer();
            if (answer.failed != 0) {
                mesh.repair_failed();
                break;
            }
            mesh.goes_on(answer.progress.status, answer.progress.iterations, answer.listed / 2);
            if (mesh.at_rest()) d_mesh.copy_out(mesh);
        } while (mesh.repair_will_do());
        d_mesh.copy_out_points(mesh);
        timer.end();
        if (answer.progress.status.crowded != 0) d_mesh.drop_crowded(mesh);
    }
    mesh.finish(output);
    timer.note_grid(blocks, kBlockSize);
    timer.declare_work(mesh.work());
}

int main(int argc, char** argv) {
    return distmesh::run_stage(argc, argv, STAGE_NAME, generate_mesh);
}
