// SPDX-License-Identifier: MIT
// Distmesh, stage 13: two barriers.
// Idea: an iteration needs two barriers of the grid, not three: one after the sums over all bars,
// and one after the points have moved. Each point computes the forces of its bars itself, so each
// force is computed twice but never stored. Points move from one list to another: their neighbours
// still need the old places.
// Compared with 12_rows: iterate_kernel with push_point(). The merge of rows is in device/rows.cuh.
// Limit now: a point's bars in turn, in one thread: on an H200 this costs more than the barrier.
// Not of the thesis nor of Gaudiani 2012.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>

#include "device/rows.cuh"

using distmesh::BarLists, distmesh::DeviceMesh, distmesh::Loop, distmesh::Status, distmesh::Sums;
using distmesh::Input, distmesh::Output, distmesh::Phase, distmesh::PhaseTimer;
using distmesh::kBlockSize, distmesh::Mesh, distmesh::ResidentMesh, distmesh::Rows;

// The length of a bar without force. Without grading, no wanted length need be loaded.
__device__ __forceinline__ double rest_length(const DeviceMesh& mesh, std::int64_t bar, Sums sums) {
    const double wanted = mesh.domain.grading == 0 ? 1 : mesh.wanted[bar];
    return wanted * distmesh::kPressure * std::sqrt(sums.lengths / sums.wanted);
}

// The force on point i, from its bars in turn. It has the bits of compute_force() and
// gather_force(): the same numbers are added in the same order. A second square root is cheaper
// than a load of the length.
__device__ __forceinline__ double2 push_point(const DeviceMesh& mesh, const BarLists& bars,
                                              std::int64_t i, Sums sums) {
    const double2 own = mesh.points[i];
    double2 force = make_double2(0, 0);
    for (int place = bars.begins[i]; place < bars.ends[i]; ++place) {
        const int entry = bars.list[place], bar = entry < 0 ? ~entry : entry;
        const int2 ends = mesh.bars[bar];
        const double2 other = mesh.points[entry < 0 ? ends.x : ends.y];
        const double dx = own.x - other.x, dy = own.y - other.y;
        const double length = std::sqrt(dx * dx + dy * dy);
        const double push = std::fmax(rest_length(mesh, bar, sums) - length, 0.0) / length;
        force = make_double2(force.x + push * dx, force.y + push * dy);
    }
    return force;
}

// Marks the ends of bar i if it is much too short.
__device__ __forceinline__ void mark_crowded(const DeviceMesh& mesh, std::int64_t i, Sums sums,
                                             Status* status) {
    const auto bar = mesh.bars[i];
    if (bar.x < 0 || rest_length(mesh, i, sums) <= distmesh::kCrowded * mesh.lengths[i]) return;
    atomicOr(&mesh.crowded[bar.x], 1);
    atomicOr(&mesh.crowded[bar.y], 1);
    atomicOr(&status->crowded, 1);
}

__global__ void iterate_kernel(DeviceMesh mesh, BarLists bars, Loop loop) {
    __shared__ Sums s_sums[kBlockSize];
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const std::int64_t first = grid.thread_rank(), stride = grid.size();
    double2* const start = mesh.points;
    DeviceMesh moved = mesh;
    moved.points = mesh.pushes;  // has room for all points, and no push is stored
    for (std::int64_t iteration = 1;; ++iteration) {
        Status* status = &loop.progress->statuses[iteration % 2];
        Sums own = {0, 0};
        for (std::int64_t i = first; i < mesh.bar_count; i += stride) {
            if (mesh.bars[i].x >= 0) own = add(own, measure_bar(mesh, i));
        }
        own = sum_block(own, s_sums);
        if (threadIdx.x == 0) loop.sums[blockIdx.x] = own;
        grid.sync();
        // No thread reads the other status any more.
        if (first == 0) loop.progress->statuses[(iteration + 1) % 2] = {0, 0, 0};
        own = sum_blocks(loop.sums, gridDim.x, s_sums);
        if ((loop.first + iteration) % distmesh::kDensityInterval == 0) {
            for (std::int64_t i = first; i < mesh.bar_count; i += stride) {
                mark_crowded(mesh, i, own, status);
            }
            grid.sync();
        }
        for (std::int64_t i = first; i < mesh.count && status->crowded == 0; i += stride) {
            moved.points[i] = mesh.points[i];
            if (i >= mesh.fixed) move_point(moved, i, push_point(mesh, bars, i, own), status);
        }
        grid.sync();
        if (status->crowded == 0) {
            double2* const before = mesh.points;
            mesh.points = moved.points;
            moved.points = before;
        }
        if (is_over(*status) || iteration == loop.most) {
            if (first == 0) loop.progress->iterations = iteration;
            if (mesh.points == start) return;
            for (std::int64_t i = first; i < mesh.count; i += stride) start[i] = mesh.points[i];
            return;
        }
    }
}

void generate_mesh(const Input& input, Output& output, PhaseTimer& timer) {
    timer.begin(Phase::kSetup);
    Mesh mesh(input);
    const Rows rows = rows_of(input);
    ResidentMesh resident(input, iterate_kernel, timer);
    bool kept = rows.loose.empty() && rows.count() > 1 && mesh.begin_on_device();
    if (kept) kept = mesh.end_repair(triangulate_rows(rows, resident, timer));
    resident.come_to_rest(mesh, kept);
    mesh.finish(output);
}

int main(int argc, char** argv) {
    return distmesh::run_stage(argc, argv, STAGE_NAME, generate_mesh);
}
